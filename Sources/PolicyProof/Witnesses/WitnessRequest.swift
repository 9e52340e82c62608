// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// A request made of values of fields, with operations alike or none.
struct WitnessRequest {
    let protocolID: ProtocolID
    let method: String
    /// The fields with a value, sorted by name.
    private(set) var values: [(field: PolicyField, value: FactValue)]
    /// The addresses held here.
    let own: [String]
    private(set) var moment: TimeTable.Moment
    /// False for a request without operations, which has no key.
    let hasOperation: Bool
    /// The sums over requests that rules are about, by the names of their fields.
    let totals: [String: RequestTotal]

    /// The request as policies see it.
    var judged: JudgedRequest {
        let account = Account(
            id: KeyID("0"), name: text(.key) ?? FieldValues.otherText, protocolID: protocolID,
            algorithm: .ed25519, publicKey: [], address: own.first ?? "", network: nil,
            tags: texts(.keyTags))
        let facts = values.filter {
            EngineFact(rawValue: $0.field.name) == nil && !PolicyField.isOfOutflows($0.field.name)
                && FirstUseField.base(of: $0.field.name) == nil
        }.map { Fact($0.field.name, $0.value) }
        let effects = texts(.effects).compactMap { Effect(rawValue: $0) }
        let dangers = texts(.danger).map { Danger($0) }
        let count = hasOperation ? operationCount : 0
        let operations = (0..<count).map { place in
            RequestedOperation(
                account: account, operation: .publicKey, facts: facts, effects: effects,
                dangers: dangers, outflows: outflows(of: place, among: count))
        }
        var judged = JudgedRequest(
            adapter: AdapterID(protocolID.name), protocolID: protocolID, method: method,
            client: client, peer: peer, time: moment.time, clock: moment.clock,
            frameBytes: Int(clamping: number(.size) ?? Self.bytesUsual),
            decoding: text(.decoded).flatMap { Decoding(rawValue: $0) } ?? .full,
            facts: hasOperation ? [] : facts, effects: hasOperation ? [] : effects,
            dangers: hasOperation ? [] : dangers,
            operations: operations, ownAddresses: own)
        judged.hub = text(.hub)
        return judged
    }

    private static let bytesUsual: Int128 = 100
    /// The most operations of a witness.
    static let operationsMax: Int128 = 64

    /// The number of operations; 1 if no rule counts them.
    private var operationCount: Int {
        Int(clamping: number(.requestOperations) ?? 1)
    }

    /// Gives a field a number, also one that it lacked.
    mutating func set(_ field: PolicyField, to number: Int128) {
        values.removeAll { $0.field.name == field.name }
        values.append((field, .integer(number)))
        values.sort { $0.field.name < $1.field.name }
    }

    /// Returns the request with both of its times moved by `hours`.
    func later(byHours hours: Int64) -> WitnessRequest {
        func later(_ time: Timestamp) -> Timestamp {
            Timestamp(seconds: time.seconds.addingReportingOverflow(hours * 3_600).partialValue)
        }
        var copy = self
        copy.moment = TimeTable.Moment(time: later(moment.time), clock: later(moment.clock))
        return copy
    }

    /// The most that the request may use of a limit, whose table may not list its value.
    func maximum(of limit: PolicyLimit) -> Int128 {
        let value = values.first { $0.field == limit.scope.first }?.value
        return limit.maximum(for: value) ?? limit.maximum
    }

    /// Returns the request with an amount above the lowest of these limits in place of each zero,
    /// as nothing always has room.
    func raised(above limits: [PolicyLimit]) -> WitnessRequest {
        var copy = self
        for (place, (field, value)) in values.enumerated() where value.number == 0 {
            let caps = limits.filter { $0.measure == .sum(of: field) }.map(maximum)
            if let cap = caps.min(), cap < .max { copy.values[place].value = .integer(cap + 1) }
        }
        return copy
    }

    /// The request for people, in one line; `now` is the time that need not be named.
    ///
    /// Amounts of a token have the unit that the policies give it.
    func text(now: Timestamp, by policies: [TOMLPolicy]) -> String {
        let named = values.filter { !isUsual($0.field, $0.value) }.map { field, value in
            let isDoubled = !field.isList && value == .list([])
            let shown = self.shown(field, by: policies)
            return "\(field.name) is \(isDoubled ? "given twice" : shown.shown(value))"
        }
        var words = "\(protocolID) \(VisibleText.escaped(method))"
        if !named.isEmpty { words += " where \(named.joined(separator: ", "))" }
        if moment.isClockBehind {
            words += ", with the clock behind the record"
        } else if moment.time != now {
            words += ", at \(moment.time.utcText)"
        }
        return words
    }

    /// The field with the unit of the token that the request is about; without it if policies do
    /// not name the token, or differ about it.
    private func shown(_ field: PolicyField, by policies: [TOMLPolicy]) -> PolicyField {
        func has(_ name: String, _ value: FactValue) -> Bool {
            values.contains { $0.field.name == name && $0.value.isExactly(value) }
        }
        let schemas = policies.flatMap(\.vocabulary.schemas).filter { $0.protocolID == protocolID }
        guard let fields = schemas.lazy.compactMap({ $0.field(named: field.name)?.asset }).first,
            !values.contains(where: { $0.field.name == fields.parts })
        else { return field }
        let named = policies.flatMap(\.document.assets).filter { asset in
            asset.protocolName == protocolID.name && has(fields.identity, asset.identity)
                && has(AssetFields.network, .text(asset.network))
        }
        guard let asset = named.first, named.allSatisfy({ $0 == asset }) else { return field }
        return field.inUnits(of: asset)
    }

    /// True for what readers expect of a request of which nothing is said.
    private func isUsual(_ field: PolicyField, _ value: FactValue) -> Bool {
        switch EngineFact(rawValue: field.name) {
        case .protocolID, .operation: true
        case .key, .channel: value == .text(FieldValues.otherText)
        case .decoded: value == .text(Decoding.full.rawValue)
        case .requestOperations: value == .integer(hasOperation ? 1 : 0)
        case .danger, .effects, .keyTags: value == .list([])
        default: false
        }
    }

    /// The client; nil if the request has none.
    private var client: Client? {
        guard let id = text(.client) else { return nil }
        let profile = text(.clientProfile)
        let proof = Client.Proof(word: text(.clientProof) ?? "claimed", profile: profile)
        return Client(
            id: id, name: text(.clientName), proof: proof ?? .claimed, party: text(.clientParty),
            callback: text(.clientCallback))
    }

    private var peer: Peer {
        let page = text(.clientTopOrigin).map { origin in
            Credential.page(
                BrowserPage(
                    profile: text(.clientProfile) ?? FieldValues.otherText,
                    origin: text(.client) ?? origin, party: text(.clientParty) ?? origin,
                    topOrigin: origin, document: nil))
        }
        var process: (any ClientProcess)?
        if text(.processHash) != nil || value(.processParents) != nil {
            process = WitnessProcess(
                executableHash: text(.processHash).flatMap { $0.hexBytes },
                parents: value(.processParents).map { _ in texts(.processParents) })
        }
        return Peer(
            channel: text(.channel).map { ChannelName($0) } ?? .commandLine,
            provedUserID: number(.processUID).flatMap { UInt32(exactly: $0) },
            executable: text(.processExecutable), unit: text(.processUnit), process: process,
            credential: page)
    }

    private func value(_ fact: EngineFact) -> FactValue? {
        values.first { $0.field.name == fact.rawValue }?.value
    }

    private func text(_ fact: EngineFact) -> String? {
        if case .text(let text) = value(fact) { text } else { nil }
    }

    private func texts(_ fact: EngineFact) -> [String] {
        guard case .list(let list) = value(fact) else { return [] }
        return list.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    func number(_ fact: EngineFact) -> Int128? { value(fact)?.number }
}

/// A program as the kernel would describe it.
private struct WitnessProcess: ClientProcess {
    let executableHash: [UInt8]?
    let parents: [String]?
}

extension String {
    /// The bytes of lower-case hexadecimal digits; nil if the text is not of that form.
    fileprivate var hexBytes: [UInt8]? {
        let digits = utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == utf8.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] * 16 + digits[$0 + 1])
        }
    }
}
