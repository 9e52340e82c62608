// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Renews values that go out of date, such as nonces and block hashes, before signing.
///
/// It does so after all waiting for people. Requests in the same lane take turns.
final class Aging<Request: SignRequest>: Sendable {
    /// Returns the request with new values; `hasWaited` is true if the hub waited for a person.
    typealias Renewal =
        @Sendable (_ first: Decoded<Request>, _ hasWaited: Bool) async throws(Stop) -> Decoded<
            Request
        >

    /// The queue in which the request takes its turn; nil if the order does not matter.
    let lane: String?
    let renew: Renewal
    private let lanes: Lanes
    private let state = Mutex<(turn: Lanes.Turn?, ids: [String])>((nil, []))

    init(in lane: String?, of lanes: Lanes, renew: @escaping Renewal) {
        self.lane = lane
        self.lanes = lanes
        self.renew = renew
    }

    /// Waits for the request's turn; false if the wait took too long or was cancelled.
    func begin() async -> Bool {
        guard let lane else { return true }
        guard let turn = await lanes.take(lane) else { return false }
        state.withLock { $0.turn = turn }
        return true
    }

    /// Marks the items that the request sends to a network as being sent, by their ids.
    func carries(_ ids: [String]) {
        lanes.begin(ids)
        state.withLock { $0.ids += ids }
    }

    /// Ends the request's turn, so that the next request of the lane can start.
    func pass() {
        let turn = state.withLock { state in
            defer { state.turn = nil }
            return state.turn
        }
        turn?.end()
    }

    /// Ends the turn and the marks of the items; call it after every item's outcome was recorded.
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
    /// True if a later reading of the frame matches the one that a person or the rules agreed to.
    ///
    /// All signed bytes must be equal except those of values that age. The facts must agree as
    /// described below, and there must be no further danger.
    func agrees(with later: Decoded) -> Bool { digest == later.digest && asksTheSame(as: later) }

    /// True if another frame asks for the same, perhaps under another id.
    ///
    /// What is signed and shown must be equal, with the same exceptions for values that age.
    func asksTheSame(as later: Decoded) -> Bool {
        let (shown, now) = (request.summary, later.request.summary)
        return shown.title == now.title
            && shown.headlines == now.headlines && shown.raw == now.raw
            && terms.connectionChanges.map(\.meaning)
                == later.terms.connectionChanges.map(\.meaning)
            && judged.agrees(with: later.judged, in: schema)
    }
}

extension ConnectionChange {
    /// The change without the values that differ in each reading: the id and the start time.
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
    /// True if there is no danger in `later` that is not in this list; some may have ended.
    fileprivate func contains(all later: [Danger]) -> Bool { later.allSatisfy(contains) }
}

extension [Fact] {
    /// True if the facts are equal, with two exceptions.
    ///
    /// A fact may differ if its field's variation is `free`. A number may be lower than the one
    /// that was shown if the variation is `upTo`.
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
    /// The operation with zeros in place of the bytes that age.
    fileprivate var withoutAging: KeyOperation {
        guard case .sign(let input) = self else { return self }
        return .sign(
            SigningInput(
                domain: input.domain, preimage: input.preimageWithoutAging, aging: input.aging))
    }
}
