// SPDX-License-Identifier: Apache-2.0

/// Why nothing could be put on record.
public enum LedgerError: Error, Hashable, Sendable {
    /// A limit has no room for the claim with this counter.
    case limitExceeded(counter: String)
    /// The replay token was used before.
    case replayed
    /// The owner stopped all signing.
    case frozen
    /// The policy that judged is no longer the one in force.
    case policyChanged
    /// What a person said before has ended, or a remembered no has come up meanwhile.
    case grantChanged
    /// A session that the request stands on has ended meanwhile.
    case sessionEnded
    /// The store could not be read or written; the text names no payload.
    case unavailable(String)
    /// The store does not hold what it should.
    case corrupt(String)
}

/// What is about to happen, as the audit chain keeps it: no payload, no secret.
public struct Intent: Hashable, Sendable {
    /// Eight bytes that grow with each intent of a hub, then eight random ones; no secret.
    public let id: [UInt8]
    /// When it was judged.
    public let time: Timestamp
    /// The wire.
    public let adapter: AdapterID
    /// The protocol.
    public let protocolID: ProtocolID
    /// The method.
    public let method: String
    /// Who asked.
    public let client: Client?
    /// The door.
    public let channel: String
    /// The caller's session, if the transport knows one.
    public let session: String?
    /// The keys to be used, in order of the operations.
    public let keys: [KeyID]
    /// SHA-256 of the frame.
    public let requestDigest: [UInt8]
    /// The policy that judged.
    public let policyHash: [UInt8]
    /// `policy`, `person` where one approved, or `grant` where one had before.
    public let decidedBy: String
    /// The grants it stands on.
    public let grants: [Grant]
    /// What remembered answers about it would be about.
    public let scopes: [Grant.Scope]
    /// What each operation is about, without the client's payload.
    public let facts: [[Fact]]
    /// How much of the request was understood.
    public let decoding: Decoding
    /// The size of the frame in bytes.
    public let frameBytes: Int
    /// The ids of the deciding rules.
    public let rules: [String]
    /// What will happen.
    public let effects: [Effect]
    /// What was flagged.
    public let dangers: [Danger]
    /// The limits to be used up.
    public let claims: [LimitClaim]
    /// The mark by which a repetition is known.
    public let replayToken: ReplayToken?
    /// Numbers that no other intent may use again.
    public let serials: [SerialUse]
    /// Whether the token was on record when the request was judged; nil if that is not known.
    public let tokenWasSeen: Bool?
    /// Ids of sessions that must not have ended.
    public var requiredSessions: [[UInt8]] = []
    /// How long the record was when it was looked at to judge; nil if that is not known.
    ///
    /// A freeze that comes later stops it, even where it was lifted again.
    public var judgedAt: RecordLength?
}

/// How much is on record: it only grows.
public struct RecordLength: Hashable, Sendable {
    /// The number of entries.
    public let entries: Int64

    /// So many entries.
    public init(entries: Int64) { self.entries = entries }
}

/// A request that was not carried out, for the record.
public struct Refusal: Hashable, Sendable {
    /// When.
    public let time: Timestamp
    /// The wire.
    public let adapter: AdapterID
    /// The protocol.
    public let protocolID: ProtocolID
    /// The method.
    public let method: String
    /// Who asked.
    public let client: Client?
    /// The door.
    public let channel: String
    /// SHA-256 of the frame.
    public let requestDigest: [UInt8]
    /// The policy in force.
    public let policyHash: [UInt8]
    /// `denied` or `failed`.
    public let kind: String
    /// The keys that would have been used, in order of the operations.
    public let keys: [KeyID]
    /// What would have happened.
    public let effects: [Effect]
    /// What was flagged.
    public let dangers: [Danger]
    /// What each operation is about, without the client's payload.
    public let facts: [[Fact]]
    /// How much of the request was understood.
    public let decoding: Decoding
    /// The size of the frame in bytes.
    public let frameBytes: Int
    /// The no that is to be remembered.
    public let remembers: [Grant]
    /// Why.
    public let reason: Reason
}

/// What became of a reserved intent.
public enum Settlement: Hashable, Sendable {
    /// Results exist; SHA-256 of each, in order, the yes that is to be remembered, notes, what
    /// changes about sessions, and what goes to a network.
    case done(
        resultDigests: [[UInt8]], remembers: [SealedGrant] = [], notes: [Note] = [],
        sessions: [SessionChange] = [], broadcast: Broadcast? = nil)
    /// No key was used, provably: its limits and its replay token are given back.
    case notUsed(Reason)
    /// A key may have been used: its limits stay spent.
    case failed(Reason)
}

/// Keeps the record; the only state that several hubs may share.
///
/// What changes it may wait for a disk and suspends; what only reads waits for no sync.
public protocol Ledger: LimitUsage {
    /// Whether an intent with this token is on record.
    func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool

    /// The latest time on record; nil where nothing is.
    ///
    /// A clock that goes back does not go behind it: what has expired stays expired.
    func latestTime() throws(LedgerError) -> Timestamp?

    /// How much is on record now.
    func length() throws(LedgerError) -> RecordLength

    /// The grants about any of these, without those that were revoked.
    func grants(for scopes: [Grant.Scope]) throws(LedgerError) -> [SealedGrant]

    /// The last note about a subject under a name, left by a request that was done.
    func noted(_ name: String, about: Note.Subject) throws(LedgerError) -> Note?

    /// The sessions of a client, oldest first.
    func sessions(
        of client: Client, in protocolID: ProtocolID
    ) throws(LedgerError) -> [ClientSession]

    /// Draws fresh numbers, durably: the first of `count` in a row, above `floor` and above all
    /// that were ever drawn in the series, none of them used, all below `ceiling`.
    ///
    /// What was drawn at or above the ceiling before counts as never drawn: it cannot be used.
    func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) async throws(LedgerError) -> UInt64

    /// Takes the place of a request while it waits, against all processes that share the ledger.
    ///
    /// Both are hashes: of what the client calls it, and of the whole request.
    func takePlace(
        named name: [UInt8], for digest: [UInt8]
    ) throws(LedgerError) -> WaitingPlace

    /// Counts a question to a person, durably; false, and not counted, where there were too many.
    func count(_ question: QuestionTally, at: Timestamp) async throws(LedgerError) -> Bool

    /// Writes the intent durably, in one transaction with its limits and replay token; many may
    /// share it, and one that is refused changes nothing for the others.
    ///
    /// Checks again, inside the transaction: policy hash, limits, replay, serials, grants,
    /// sessions, and that nobody froze since it was judged.
    /// A token that is on record now is a replay if it is single-use, or if it was not when judged.
    func reserve(_ intent: Intent, currentPolicyHash: [UInt8]) async throws(LedgerError)

    /// Writes what became of an intent; durably before it returns where anything is remembered,
    /// sent, connected or given back.
    ///
    /// Whoever asks this ledger afterwards is told as if it were written.
    func settle(
        _ intentID: [UInt8], _ settlement: Settlement, at: Timestamp
    ) async throws(LedgerError)

    /// Writes what became of one item of a broadcast; it is kept until that is certain.
    ///
    /// A session that the same request opened ends unless the item was accepted.
    func record(
        _ result: Broadcast.Result, of itemID: String, at: Timestamp
    ) async throws(LedgerError)

    /// Whether an item with this id was handed to a network before, or may be just now by
    /// another process, and nobody knows whether it arrived.
    ///
    /// Putting it on record once more, with these bytes or others, does not change that.
    func mayHaveSent(_ itemID: String) throws(LedgerError) -> Bool

    /// Writes that a request was not carried out.
    func record(_ refusal: Refusal) async throws(LedgerError)
}
