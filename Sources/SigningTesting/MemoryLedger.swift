// SPDX-License-Identifier: Apache-2.0

public import SigningCore
import Synchronization

/// A ledger in memory, with the semantics of the durable one.
///
/// It is for tests and benchmarks: its content ends with the process.
public final class MemoryLedger: Ledger {
    private struct State {
        var intents: [Intent] = []
        var settlements: [[UInt8]: Settlement] = [:]
        var refusals: [Refusal] = []
        var uses: [(counter: String, amount: Int128, time: Timestamp, intent: [UInt8])] = []
        /// The replay token of each intent that has one, by the id of the intent.
        var tokens: [[UInt8]: [UInt8]] = [:]
        var grants: [SealedGrant] = []
        var notes: [Note.Subject: [String: Note]] = [:]
        var questions: [(about: [UInt8], time: Timestamp)] = []
        var connections: [ClientConnection] = []
        var lastSerials: [String: UInt64] = [:]
        var usedSerials: [SerialUse: [UInt8]] = [:]
        var broadcasts: [String: Broadcast.Result] = [:]
        /// The items on record without a result, and those that may have arrived.
        var queued: Set<String> = []
        var items: [String: Broadcast.Item] = [:]
        var uncertain: Set<String> = []
        var isFrozen = false
        var freezeCount: Int64 = 0
        var failsReserving = false
        var whenReserved: (@Sendable () -> Void)?
        var reservationLasts: Duration?
        var hubName: String?
        var failsSettling = false
    }

    private let state = Mutex(State())

    /// Creates an empty ledger.
    public init() {}

    /// Every intent on record, oldest first.
    public var intents: [Intent] { state.withLock { $0.intents } }
    /// Every refusal on record, oldest first.
    public var refusals: [Refusal] { state.withLock { $0.refusals } }

    /// Every grant, oldest first.
    public var grants: [SealedGrant] { state.withLock { $0.grants } }

    /// The result of an intent.
    public func settlement(of intentID: [UInt8]) -> Settlement? {
        state.withLock { $0.settlements[intentID] }
    }

    /// Makes recording an intent fail from now on, as a full disk would.
    public func breakReserving() { state.withLock { $0.failsReserving = true } }

    /// Limits the time for which an intent is valid; `whenReserved` is called when one is recorded.
    public func limitReservations(
        to lasts: Duration, whenReserved: @escaping @Sendable () -> Void = {}
    ) {
        state.withLock {
            $0.reservationLasts = lasts
            $0.whenReserved = whenReserved
        }
    }

    /// The time for which an intent is valid.
    public var reservationLasts: Duration? { state.withLock { $0.reservationLasts } }

    /// The name of this machine among those that share the record.
    public var hubName: String? {
        get { state.withLock { $0.hubName } }
        set { state.withLock { $0.hubName = newValue } }
    }

    /// Makes recording a result fail from now on.
    public func breakSettling() { state.withLock { $0.failsSettling = true } }

    /// The amount used within the claim's window.
    public func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        state.withLock { Self.used(claim, at: now, in: $0) }
    }

    /// The amount used of a counter with the name of a key.
    public func usedByName(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try used(claim, at: now)
    }

    /// Whether an intent with this token is on record.
    public func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool {
        state.withLock { $0.tokens.values.contains(token.bytes) }
    }

    /// The time of the newest intent.
    public func latestTime() throws(LedgerError) -> Timestamp? {
        state.withLock { $0.intents.last?.time }
    }

    /// The last note about a subject under a name.
    public func noted(_ name: String, about subject: Note.Subject) throws(LedgerError) -> Note? {
        state.withLock { $0.notes[subject]?[name] }
    }

    /// The connections of a client.
    public func connections(
        of client: Client, in protocolID: ProtocolID
    ) throws(LedgerError) -> [ClientConnection] {
        state.withLock {
            $0.connections.filter {
                $0.client.subject == client.subject && $0.protocolID == protocolID
            }
        }
    }

    /// Allocates new numbers.
    public func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) throws(LedgerError) -> UInt64 {
        let drawn: UInt64? = state.withLock { state in
            let end = min(ceiling, 1 << 62)
            let last = state.lastSerials[series].flatMap { $0 < end ? $0 : nil } ?? 0
            var first = max(min(floor, end), last) + 1
            let isUsed = { (number: UInt64) in
                state.usedSerials[SerialUse(series: series, number: number)] != nil
            }
            while let used = (first..<first + UInt64(count)).last(where: isUsed) {
                first = used + 1
            }
            guard first + UInt64(count) <= end else { return nil }
            state.lastSerials[series] = first + UInt64(count) - 1
            return first
        }
        guard let drawn else { throw .unavailable("the numbers of this series are used up") }
        return drawn
    }

    /// Counts a question to a person.
    public func count(_ question: QuestionTally, at now: Timestamp) throws(LedgerError) -> Bool {
        state.withLock { state in
            let first = now.seconds - question.seconds
            let count = state.questions.count {
                $0.about == question.about && $0.time.seconds > first
            }
            guard count < question.maximum else { return false }
            state.questions.append((question.about, now))
            return true
        }
    }

    /// The grants for any of these scopes.
    public func grants(for scopes: [Grant.Scope]) throws(LedgerError) -> [SealedGrant] {
        state.withLock { $0.grants.filter { scopes.contains($0.grant.scope) } }
    }

    /// Deletes a grant.
    public func revoke(_ id: [UInt8]) {
        state.withLock { $0.grants.removeAll { $0.grant.id == id } }
    }

    /// Replaces every seal with other bytes, as a program with access to the file could.
    public func forgeSeals() {
        state.withLock { state in
            state.grants = state.grants.map { SealedGrant($0.grant, seal: [0]) }
        }
    }

    /// Replaces all grants, for example with those of an older version's file.
    public func replaceGrants(_ grants: [SealedGrant]) { state.withLock { $0.grants = grants } }

    /// Refuses all reservations from now on.
    public func freeze() {
        state.withLock {
            $0.isFrozen = true
            $0.freezeCount += 1
        }
    }

    /// Accepts reservations for requests that are judged from now on.
    public func thaw() { state.withLock { $0.isFrozen = false } }

    /// True between `freeze` and `thaw`.
    public func isFrozen() throws(LedgerError) -> Bool { state.withLock { $0.isFrozen } }

    /// The number of freezes, the only entries that this ledger counts.
    public func length() throws(LedgerError) -> RecordLength {
        state.withLock { RecordLength(entries: $0.freezeCount) }
    }

    /// Checks and records an intent in one step.
    public func reserve(_ intent: Intent, currentPolicyHash: [UInt8]) throws(LedgerError) {
        let failure: LedgerError? = state.withLock { state in
            if state.failsReserving { return .unavailable("double") }
            if state.isFrozen || state.freezeCount > intent.judgedAt?.entries ?? .max {
                return .frozen
            }
            guard intent.policyHash == currentPolicyHash else { return .policyChanged }
            let open = state.connections.map(\.id)
            guard intent.requiredConnections.allSatisfy(open.contains) else {
                return .connectionEnded
            }
            if let token = intent.replayToken {
                let isRepeated = state.tokens.values.contains(token.bytes)
                if isRepeated, token.isSingleUse || intent.tokenWasSeen == false {
                    return .replayed
                }
            }
            guard Set(intent.serials).count == intent.serials.count,
                !intent.serials.contains(where: { state.usedSerials[$0] != nil })
            else {
                return .replayed
            }
            guard Self.holds(intent, in: state) else { return .grantChanged }
            let totals = intent.claims.map { Self.total(of: $0, in: intent.claims) }
            for (claim, total) in zip(intent.claims, totals)
            where Self.plus(Self.used(claim, at: intent.time, in: state), total) > claim.maximum {
                return .limitExceeded(counter: claim.counter)
            }
            state.intents.append(intent)
            if let token = intent.replayToken { state.tokens[intent.id] = token.bytes }
            for serial in intent.serials { state.usedSerials[serial] = intent.id }
            var largest: [String: Int128] = [:]
            for (claim, total) in zip(intent.claims, totals) {
                largest[claim.counter] = max(total, largest[claim.counter] ?? 0)
            }
            state.uses += largest.map { ($0.key, $0.value, intent.time, intent.id) }
            return nil
        }
        if let failure { throw failure }
        state.withLock { $0.whenReserved }?()
    }

    /// Records the result of an intent; unused limits and tokens are released.
    public func settle(
        _ intentID: [UInt8], _ settlement: Settlement, at _: Timestamp
    ) throws(LedgerError) {
        let failure: LedgerError? = state.withLock { state in
            if state.failsSettling { return .unavailable("double") }
            guard state.settlements[intentID] == nil else {
                return .corrupt("a second result of one intent")
            }
            state.settlements[intentID] = settlement
            if case .done(_, let remembers, let notes, let connections, let broadcast, _) =
                settlement
            {
                for item in broadcast?.items ?? [] { state.items[item.id] = item }
                for item in broadcast?.items ?? []
                where !state.queued.insert(item.id).inserted { state.uncertain.insert(item.id) }
                state.grants.removeAll { older in
                    remembers.contains { $0.grant.replaces(older.grant) }
                }
                state.grants += remembers
                for change in connections { Self.apply(change, to: &state) }
                for note in notes {
                    state.notes[note.subject, default: [:]][note.name] = note
                }
            }
            if case .notUsed = settlement {
                state.uses.removeAll { $0.intent == intentID }
                state.tokens[intentID] = nil
                state.usedSerials = state.usedSerials.filter { $0.value != intentID }
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// The results of the items of broadcasts.
    public var broadcasts: [String: Broadcast.Result] { state.withLock { $0.broadcasts } }

    /// Stores the result of an item.
    public func record(
        _ result: Broadcast.Result, of itemID: String, at _: Timestamp
    ) throws(LedgerError) {
        state.withLock { state in
            state.broadcasts[itemID] = result
            switch result {
            case .accepted, .failed, .refused:
                state.queued.remove(itemID)
                state.uncertain.remove(itemID)
            case .declined, .unknown: state.uncertain.insert(itemID)
            case .notSent: state.queued.remove(itemID)
            }
        }
    }

    /// Whether the result of an item is unknown.
    public func mayHaveSent(_ itemID: String) throws(LedgerError) -> Bool {
        state.withLock { $0.uncertain.contains(itemID) }
    }

    /// The items that are queued or uncertain; this ledger stores neither their protocol nor their
    /// network.
    public func unsettled(of protocolID: ProtocolID) throws(LedgerError) -> [UnsentItem] {
        state.withLock { state in
            state.items.values.filter {
                state.queued.contains($0.id) || state.uncertain.contains($0.id)
            }.map {
                UnsentItem(
                    protocolID: protocolID, network: "", item: $0, state: "unknown",
                    signed: Timestamp(seconds: 0))
            }
        }
    }

    private static func apply(_ change: ConnectionChange, to state: inout State) {
        switch change {
        case .opens(let new):
            state.connections.removeAll {
                $0.client.subject == new.client.subject && $0.protocolID == new.protocolID
                    && $0.network == new.network && $0.key == new.key
            }
            state.connections.append(new)
        case .ends(let id): state.connections.removeAll { $0.id == id }
        case .forgets(let client, let protocolID):
            state.grants.removeAll {
                let scope = $0.grant.scope
                return $0.grant.answer == .yes && scope.client == client.id
                    && scope.proof == client.proof && scope.protocolID == protocolID
            }
        }
    }

    /// Records a refusal.
    public func record(_ refusal: Refusal) throws(LedgerError) {
        state.withLock {
            $0.refusals.append(refusal)
            $0.grants += refusal.remembers.map { SealedGrant($0, seal: []) }
        }
    }

    private static func used(_ claim: LimitClaim, at now: Timestamp, in state: State) -> Int128 {
        let last = claim.window.lastUncounted(before: now)
        return state.uses.reduce(0) { sum, use in
            let counts = use.counter == claim.counter && use.time.seconds > last
            return counts ? plus(sum, use.amount) : sum
        }
    }

    private static func holds(_ intent: Intent, in state: State) -> Bool {
        let active = state.grants.map(\.grant).filter {
            $0.isActive(at: intent.time, login: intent.login)
        }
        return intent.grants.allSatisfy(active.contains)
            && !active.contains { $0.answer == .no && intent.scopes.contains($0.scope) }
    }

    /// The sum of all claims on one counter and window.
    private static func total(of claim: LimitClaim, in claims: [LimitClaim]) -> Int128 {
        claims.filter { $0.counter == claim.counter && $0.window == claim.window }
            .reduce(0) { plus($0, $1.amount) }
    }

    /// A sum that is limited to the largest number.
    private static func plus(_ one: Int128, _ other: Int128) -> Int128 {
        let (sum, hasOverflown) = one.addingReportingOverflow(other)
        return hasOverflown ? .max : sum
    }
}
