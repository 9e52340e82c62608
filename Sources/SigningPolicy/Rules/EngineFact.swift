// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// A fact that the engine knows about every request; the raw value is its name in rules.
package enum EngineFact: String, CaseIterable, Sendable {
    case protocolID = "protocol"
    case operation, key, client, channel, effects, danger, decoded, size, time, hub
    case keyTags = "key.tags"
    case requestOperations = "request.operations"
    case clientName = "client.name"
    case clientParty = "client.party"
    case clientProof = "client.proof"
    case clientCallback = "client.callback"
    case clientProfile = "client.profile"
    case clientTopOrigin = "client.top_origin"
    case processUID = "client.process.uid"
    case processExecutable = "client.process.exe"
    case processUnit = "client.process.unit"
    case processHash = "client.process.exe_sha256"
    case processParents = "client.process.parents"

    package var field: PolicyField {
        let isNumber = [.size, .processUID, .requestOperations].contains(self)
        let isList = [.effects, .danger, .keyTags, .processParents].contains(self)
        let type = self == .time ? FactType.time : isNumber ? .integer : .text
        return PolicyField(name: rawValue, type: type, isList: isList)
    }

    /// The facts that describe a program and do not prove its identity.
    static let describing = [processExecutable, processHash, processUnit, processParents]
        .map(\.rawValue)

    /// True if every request has the fact.
    package var isAlwaysThere: Bool {
        switch self {
        case .protocolID, .operation, .channel, .effects, .danger, .decoded, .size, .time,
            .requestOperations:
            true
        default: false
        }
    }

    /// True if all operations of a request have the same value.
    var isOfRequest: Bool { ![.key, .keyTags, .effects, .danger].contains(self) }

    /// The fact's value; nil if it is unknown.
    func value(in request: JudgedRequest, of operation: RequestedOperation?) -> FactValue? {
        switch self {
        case .protocolID: .text(request.protocolID.name)
        case .operation: .text(request.method)
        case .key: operation.map { .text($0.account.name) }
        case .keyTags: operation.map { .list($0.account.tags.map { .text($0) }) }
        case .client: request.client.map { .text($0.id) }
        case .clientParty: request.client.map { .text($0.party) }
        case .clientName: request.client?.name.map { .text($0) }
        case .clientProof: request.client.map { .text($0.proof.word) }
        case .clientCallback: request.client?.callback.map { .text($0) }
        case .clientProfile: request.client?.proof.profile.map { .text($0) }
        case .clientTopOrigin: request.peer.credential?.page.map { .text($0.topOrigin) }
        case .processUID: request.peer.provedUserID.map { .integer(Int128($0)) }
        case .processExecutable: request.peer.executable.map { .text($0) }
        case .processUnit: request.peer.unit.map { .text($0) }
        case .processHash: request.peer.process?.executableHash.map { .text($0.hexText) }
        case .processParents: request.peer.process?.parents.map { .list($0.map { .text($0) }) }
        case .channel: .text(request.peer.channel.name)
        case .effects: .list(request.effects(of: operation).map { .text($0.rawValue) })
        case .danger: .list(request.dangers(of: operation).map { .text($0.name) })
        case .decoded: .text(request.decoding.rawValue)
        case .size: .integer(Int128(request.frameBytes))
        case .requestOperations: .integer(Int128(request.operations.count))
        case .time: request.isClockBehind ? nil : .time(request.time)
        case .hub: request.hub.map { .text($0) }
        }
    }
}

extension JudgedRequest {
    /// The dangers an allow rule has to acknowledge for one operation, each once.
    func dangers(of operation: RequestedOperation?) -> [Danger] {
        Self.each(dangers, operation?.dangers)
    }

    /// The effects of one operation with those of the request, each once.
    func effects(of operation: RequestedOperation?) -> [Effect] {
        Self.each(effects, operation?.effects)
    }

    private static func each<Element: Equatable>(
        _ common: [Element], _ own: [Element]?
    ) -> [Element] {
        let all = common + (own ?? [])
        guard all.count > 1 else { return all }
        return all.reduce(into: []) { once, element in
            if !once.contains(element) { once.append(element) }
        }
    }
}
