// SPDX-License-Identifier: Apache-2.0

/// A request as policies see it: all values that may affect a verdict, and nothing else.
public struct JudgedRequest: Sendable {
    /// The wire of the request.
    public let adapter: AdapterID
    /// The protocol that rules name.
    public let protocolID: ProtocolID
    /// The method as the wire names it.
    public let method: String
    /// The client that asks; nil if it is unknown.
    public let client: Client?
    /// The peer, with its channel and the kernel's description of the program.
    public let peer: Peer
    /// The time for limits: the time of the request, but never before the latest time on record.
    public private(set) var time: Timestamp
    /// The time of the clock; behind `time` if the clock went back.
    public private(set) var clock: Timestamp
    /// The frame's size in bytes.
    public let frameBytes: Int
    /// The degree to which the request was decoded.
    public let decoding: Decoding
    /// Facts of the request as a whole.
    public let facts: [Fact]
    /// Effects of the request as a whole, without those of the operations.
    public let effects: [Effect]
    /// Dangers of the request as a whole, without those of the operations.
    public internal(set) var dangers: [Danger]
    /// The amounts that leave accounts beyond those of the operations.
    public let outflows: [Outflow]
    /// The operations, judged separately.
    public let operations: [RequestedOperation]
    /// The addresses held here, for `@own`.
    public let ownAddresses: [String]
    /// The hub's name among those that share the record; nil if the record has one machine.
    public package(set) var hub: String?

    /// Makes the view of a request after steps 3 to 5.
    package init(
        _ request: some SignRequest, by adapter: AdapterID, frame: Frame, at time: Timestamp,
        clock: Timestamp? = nil, client: @autoclosure () -> Client? = nil, accounts: [Account],
        isKnown: (Client) -> Bool = { _ in true }
    ) {
        self.adapter = adapter
        protocolID = request.protocolID
        method = request.method
        let client = request.client.map { frame.peer.client(claimedAs: $0) } ?? client()
        self.client = client
        peer = frame.peer
        self.time = time
        self.clock = clock ?? time
        frameBytes = frame.bytes.count
        decoding = request.decoding
        facts = request.facts
        effects = request.effects
        // Opaque requests have the danger even if the adapter did not add it.
        let isUnflagged = request.decoding == .opaque && !request.dangers.contains(.opaque)
        let isNew = !request.dangers.contains(.newClient) && client.map { !isKnown($0) } ?? false
        dangers =
            request.dangers + (isUnflagged ? [.opaque] : []) + (isNew ? [.newClient] : [])
            + frame.peer.dangers
        outflows = request.outflows
        operations = request.operations
        ownAddresses = accounts.ownAddresses
    }

    /// Makes a request for tools that ask for a policy's judgement.
    package init(
        adapter: AdapterID, protocolID: ProtocolID, method: String, client: Client?,
        peer: Peer, time: Timestamp, clock: Timestamp? = nil, frameBytes: Int,
        decoding: Decoding, facts: [Fact], effects: [Effect], dangers: [Danger],
        operations: [RequestedOperation], ownAddresses: [String], outflows: [Outflow] = []
    ) {
        self.adapter = adapter
        self.protocolID = protocolID
        self.method = method
        self.client = client
        self.peer = peer
        self.time = time
        self.clock = clock ?? time
        self.frameBytes = frameBytes
        self.decoding = decoding
        self.facts = facts
        self.effects = effects
        self.dangers = dangers
        self.outflows = outflows
        self.operations = operations
        self.ownAddresses = ownAddresses
    }

    /// Returns the request at a later time, as after a wait for a person.
    func later(at time: Timestamp) -> JudgedRequest {
        var copy = self
        copy.clock = time
        copy.time = max(time, copy.time)
        return copy
    }

    /// True if the clock is behind the latest time on record, so that the time is unknown.
    public var isClockBehind: Bool { clock < time }

    /// Every danger of the request and its operations, each once.
    public var allDangers: [Danger] {
        operations.reduce(into: dangers) { all, operation in
            for danger in operation.dangers where !all.contains(danger) { all.append(danger) }
        }
    }

    /// Every effect of the request and its operations, each once.
    public var allEffects: [Effect] {
        operations.reduce(into: effects) { all, operation in
            for effect in operation.effects where !all.contains(effect) { all.append(effect) }
        }
    }
}

/// A policy's verdict, with its reasons.
public enum Verdict: Hashable, Sendable {
    /// Rules cover every operation.
    case allow([Reason])
    /// A person must decide.
    case ask([Reason])
    /// The request is denied.
    case deny([Reason])

    /// The reasons, the deciding one first.
    public var reasons: [Reason] {
        switch self {
        case .allow(let reasons), .ask(let reasons), .deny(let reasons): reasons
        }
    }

    /// `allow`, `ask` or `deny`.
    public var name: String {
        switch self {
        case .allow: "allow"
        case .ask: "ask"
        case .deny: "deny"
        }
    }
}

/// A verdict with the conditions for carrying it out.
public struct Judgement: Hashable, Sendable {
    /// The policy's verdict.
    public let verdict: Verdict
    /// The uses of limits that the request is charged with if it is carried out.
    public let claims: [LimitClaim]
    /// The indexes of operations that only the default asks about.
    ///
    /// Empty if a rule or a used-up limit asks as well. Only these may be answered by a remembered
    /// answer.
    public let undecided: [Int]
    /// The dangers that the allowing rules acknowledge, one list for each operation.
    ///
    /// A request without operations has one list. For an `allow` with an unacknowledged danger the
    /// hub asks a person.
    public let acknowledged: [[Danger]]
    /// The demands for several people, sorted by rule; empty if one person may decide.
    public let demands: [ApproverDemand]
    /// The seconds of an `allow` for which the request waits, so that a person can stop it; 0 if it
    /// is allowed at once.
    public let delay: Int64
    /// The effect of a yes on budgets in words, for the question.
    public let budgets: [String]
    /// The counterparties for which nothing was signed yet, of fields whose first uses rules name.
    public let newCounterparties: [Counterparty]
    /// The hash of the policy that judged, 32 bytes.
    public let policyHash: [UInt8]

    /// Makes a judgement.
    public init(
        verdict: Verdict, claims: [LimitClaim], undecided: [Int] = [],
        acknowledged: [[Danger]] = [], demands: [ApproverDemand] = [],
        delay: Int64 = 0, budgets: [String] = [], newCounterparties: [Counterparty] = [],
        policyHash: [UInt8]
    ) {
        self.verdict = verdict
        self.claims = claims
        self.undecided = undecided
        self.acknowledged = acknowledged
        self.demands = demands.sorted { $0.rule < $1.rule }
        self.delay = delay
        self.budgets = budgets
        self.newCounterparties = newCounterparties
        self.policyHash = policyHash
    }
}

/// Gives the verdict over a request; pure over the request and a snapshot of the past.
public protocol Policy: Sendable {
    /// The hash of the rules in force, 32 bytes.
    var hash: [UInt8] { get }

    /// Returns whether rules can name this fact; a critical fact that no rule can name is refused.
    func understands(_ fact: Fact, of protocolID: ProtocolID) -> Bool

    /// Judges a request; throws only if the snapshot could not be read.
    func judge(
        _ request: JudgedRequest, usage: some LimitUsage
    ) throws(LedgerError) -> Judgement
}
