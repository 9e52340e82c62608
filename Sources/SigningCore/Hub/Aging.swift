// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Fills in values that age, such as nonces and block hashes, after all waiting for people.
///
/// Requests of the same key take turns.
final class Aging<Request: SignRequest>: Sendable {
    /// Returns the request with fresh values; `hasWaited` is true if a person was waited for.
    typealias Renewal =
        @Sendable (_ first: Decoded<Request>, _ hasWaited: Bool) async throws(Stop) -> Decoded<
            Request
        >

    /// The lane of the request; nil if order does not matter.
    let lane: String?
    let renew: Renewal
    private let lanes: Lanes
    private let state = Mutex<(turn: Lanes.Turn?, ids: [String])>((nil, []))

    init(in lane: String?, of lanes: Lanes, renew: @escaping Renewal) {
        self.lane = lane
        self.lanes = lanes
        self.renew = renew
    }

    /// Waits for its turn; false if the wait took too long or was cancelled.
    func begin() async -> Bool {
        guard let lane else { return true }
        guard let turn = await lanes.take(lane) else { return false }
        state.withLock { $0.turn = turn }
        return true
    }

    /// Registers the ids of the items that the request sends to a network.
    func carries(_ ids: [String]) {
        lanes.begin(ids)
        state.withLock { $0.ids += ids }
    }

    /// Lets the next request of the lane start.
    func pass() {
        let turn = state.withLock { state in
            defer { state.turn = nil }
            return state.turn
        }
        turn?.end()
    }

    /// Ends the request once the outcome of every item is on record.
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
    /// All signed bytes must be equal except those that age. The facts must agree, and no danger
    /// may be added.
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
    /// The change without its random values.
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
    /// A danger may have ended meanwhile, such as that of a new client.
    fileprivate func contains(all later: [Danger]) -> Bool { later.allSatisfy(contains) }
}

extension [Fact] {
    /// True if the facts are equal, with two exceptions.
    ///
    /// A field may differ if it does not affect who owns, controls or receives. A number may be
    /// lower than the one that was shown if lower means less.
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
