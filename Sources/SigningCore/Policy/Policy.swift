// SPDX-License-Identifier: Apache-2.0

/// A request as policies see it: everything that may decide, nothing that may not.
public struct JudgedRequest: Sendable {
    /// The wire it came by.
    public let adapter: AdapterID
    /// The protocol rules name.
    public let protocolID: ProtocolID
    /// The method as the wire names it.
    public let method: String
    /// Who asks, if anyone says.
    public let client: Client?
    /// The door it came through, and what the kernel says about the caller.
    public let peer: Peer
    /// The time of the request, never before the latest time on record: limits count by it.
    public private(set) var time: Timestamp
    /// What the clock says; behind `time` where it went back.
    public private(set) var clock: Timestamp
    /// The frame's size in bytes.
    public let frameBytes: Int
    /// How much was understood.
    public let decoding: Decoding
    /// Facts of the request as a whole.
    public let facts: [Fact]
    /// Effects of the request as a whole, without those of the operations.
    public let effects: [Effect]
    /// Dangers of the request as a whole, without those of the operations.
    public let dangers: [Danger]
    /// What leaves accounts beyond what the operations move.
    public let outflows: [Outflow]
    /// The operations, judged one by one.
    public let operations: [RequestedOperation]
    /// The addresses held here, for `@own`.
    public let ownAddresses: [String]
    /// Which of the machines that share the record judges; nil where it is one machine's alone.
    public package(set) var hub: String?

    /// The view that steps 3 to 5 of the hub make of a request.
    package init(
        _ request: some SignRequest, by adapter: AdapterID, frame: Frame, at time: Timestamp,
        clock: Timestamp? = nil, client: @autoclosure () -> Client? = nil, accounts: [Account],
        isKnown: (Client) -> Bool = { _ in true }
    ) {
        self.adapter = adapter
        protocolID = request.protocolID
        method = request.method
        let client = request.client.map { frame.peer.client(toldAs: $0) } ?? client()
        self.client = client
        peer = frame.peer
        self.time = time
        self.clock = clock ?? time
        frameBytes = frame.bytes.count
        decoding = request.decoding
        facts = request.facts
        effects = request.effects
        // What could not be read is flagged, whether or not its adapter thought of it.
        let isUnflagged = request.decoding == .opaque && !request.dangers.contains(.opaque)
        let isNew = !request.dangers.contains(.newClient) && client.map { !isKnown($0) } ?? false
        dangers =
            request.dangers + (isUnflagged ? [.opaque] : []) + (isNew ? [.newClient] : [])
            + frame.peer.dangers
        outflows = request.outflows
        operations = request.operations
        ownAddresses = accounts.ownAddresses
    }

    /// A request that nobody sent, for tools that ask what a policy would say.
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

    /// The same request at a later time, as after a wait for a person.
    func later(at time: Timestamp) -> JudgedRequest {
        var copy = self
        copy.clock = time
        copy.time = max(time, copy.time)
        return copy
    }

    /// Whether the clock is behind the latest time on record, so that nobody knows the time.
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

/// What a policy says, each with its reasons.
public enum Verdict: Hashable, Sendable {
    /// Rules cover every operation.
    case allow([Reason])
    /// A person must decide.
    case ask([Reason])
    /// No.
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

/// A verdict with what has to hold when it is carried out.
public struct Judgement: Hashable, Sendable {
    /// What the policy says.
    public let verdict: Verdict
    /// The limits that the operations covered by rules use up.
    public let claims: [LimitClaim]
    /// The operations that nothing but the default asks about; empty where a rule or a used-up
    /// limit asks as well.
    ///
    /// These, and no others, may be answered by what a person said before.
    public let undecided: [Int]
    /// The dangers that the rules which allow each operation name, in the order of operations;
    /// one list for a request without operations.
    ///
    /// The hub holds an `allow` against them: a danger that nobody named is a person's.
    public let acknowledged: [[Danger]]
    /// What several people have to meet, sorted by rule; empty where any person may decide.
    public let demands: [ApproverDemand]
    /// The hash of the policy that judged, 32 bytes.
    public let policyHash: [UInt8]

    /// Makes a judgement.
    public init(
        verdict: Verdict, claims: [LimitClaim], undecided: [Int] = [],
        acknowledged: [[Danger]] = [], demands: [ApproverDemand] = [], policyHash: [UInt8]
    ) {
        self.verdict = verdict
        self.claims = claims
        self.undecided = undecided
        self.acknowledged = acknowledged
        self.demands = demands.sorted { $0.rule < $1.rule }
        self.policyHash = policyHash
    }
}

/// Gives the verdict over a request; pure over the request and a snapshot of the limits.
public protocol Policy: Sendable {
    /// The hash of the rules in force, 32 bytes.
    var hash: [UInt8] { get }

    /// Whether rules can name this fact; a critical fact that none can name is refused.
    func understands(_ fact: Fact, of protocolID: ProtocolID) -> Bool

    /// Judges a request; throws only where the snapshot could not be read.
    func judge(
        _ request: JudgedRequest, usage: some LimitUsage
    ) throws(LedgerError) -> Judgement
}
