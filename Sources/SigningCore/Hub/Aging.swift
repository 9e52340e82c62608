// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How values that age, such as nonces and block hashes, are filled in once nothing waits for a
/// person any more: in turn with the other requests of the same key.
final class Aging<Request: SignRequest>: Sendable {
    /// The same request with fresh values; `hasWaited` where a person was waited for.
    typealias Renewal =
        @Sendable (_ first: Decoded<Request>, _ hasWaited: Bool) async throws(Stop) -> Decoded<
            Request
        >

    /// The lane that it goes out in; nil where order does not matter.
    let lane: String?
    let renew: Renewal
    private let lanes: Lanes
    private let state = Mutex<(turn: Lanes.Turn?, ids: [String])>((nil, []))

    init(in lane: String?, of lanes: Lanes, renew: @escaping Renewal) {
        self.lane = lane
        self.lanes = lanes
        self.renew = renew
    }

    /// Waits for its turn; false where that took too long, or nobody waits for it any more.
    func begin() async -> Bool {
        guard let lane else { return true }
        guard let turn = await lanes.take(lane) else { return false }
        state.withLock { $0.turn = turn }
        return true
    }

    /// Says what goes to a network by this request.
    func carries(_ ids: [String]) {
        lanes.begin(ids)
        state.withLock { $0.ids += ids }
    }

    /// Lets the next request of the lane go.
    func pass() {
        let turn = state.withLock { state in
            defer { state.turn = nil }
            return state.turn
        }
        turn?.end()
    }

    /// The end of it: what became of everything is on record.
    func end() {
        pass()
        let ids = state.withLock { state in
            defer { state.ids = [] }
            return state.ids
        }
        lanes.finish(ids)
    }
}

extension Decoded {
    /// Whether a later reading of the same frame is what a person, or the rules, agreed to: equal
    /// in every byte that is signed but for those that age, in all that rules see, and no danger
    /// more.
    func agrees(with later: Decoded) -> Bool {
        let (shown, now) = (request.summary, later.request.summary)
        return digest == later.digest && shown.title == now.title
            && shown.headlines == now.headlines && shown.raw == now.raw
            && terms.connectionChanges.map(\.meaning)
                == later.terms.connectionChanges.map(\.meaning)
            && judged.agrees(with: later.judged, in: schema)
    }
}

extension ConnectionChange {
    /// The same without what is made up anew each time.
    fileprivate var meaning: ConnectionChange {
        guard case .opens(let connection) = self else { return self }
        return .opens(
            ClientConnection(
                id: [], protocolID: connection.protocolID, client: connection.client,
                network: connection.network, key: connection.key, address: connection.address,
                started: Timestamp(seconds: 0), expires: connection.expires))
    }
}

extension JudgedRequest {
    fileprivate func agrees(with later: JudgedRequest, in schema: FactSchema) -> Bool {
        method == later.method && client == later.client && decoding == later.decoding
            && effects == later.effects && outflows == later.outflows
            && dangers.contains(all: later.dangers)
            && facts.agree(with: later.facts, in: schema)
            && operations.count == later.operations.count
            && zip(operations, later.operations).allSatisfy { $0.agrees(with: $1, in: schema) }
    }
}

extension RequestedOperation {
    fileprivate func agrees(with later: RequestedOperation, in schema: FactSchema) -> Bool {
        account == later.account && effects == later.effects
            && dangers.contains(all: later.dangers)
            && outflows == later.outflows && undetermined == later.undetermined
            && facts.agree(with: later.facts, in: schema)
            && operation.withoutAging == later.operation.withoutAging
    }
}

extension [Danger] {
    /// A danger may be over by now, as that of a new client.
    fileprivate func contains(all later: [Danger]) -> Bool { later.allSatisfy(contains) }
}

extension [Fact] {
    /// Equal, but for fields that change nothing of who owns, controls or receives, and for
    /// numbers that are lower than those shown where that is less.
    fileprivate func agree(with later: [Fact], in schema: FactSchema) -> Bool {
        map(\.name) == later.map(\.name)
            && zip(self, later).allSatisfy { one, other in
                switch (schema.field(named: one.name)?.varies ?? .fixed, one.value, other.value) {
                case (.free, _, _): true
                case (.upTo, .integer(let shown), .integer(let now)): now <= shown
                default: one.value == other.value
                }
            }
    }
}

extension KeyOperation {
    /// The same with zeros for the bytes that age.
    fileprivate var withoutAging: KeyOperation {
        guard case .sign(let input) = self else { return self }
        return .sign(
            SigningInput(
                domain: input.domain, preimage: input.preimageWithoutAging, aging: input.aging))
    }
}
