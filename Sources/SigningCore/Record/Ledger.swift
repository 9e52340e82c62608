// SPDX-License-Identifier: Apache-2.0

/// Keeps the record; the only state that several hubs may share.
///
/// What changes it may wait for a disk and suspends; what only reads waits for no sync. Each of its
/// roles is a protocol of its own, for those that need no more.
public protocol Ledger: LedgerHistory, LedgerReservations, LedgerSerials, LedgerOutbox {}

/// What was done before, as far as it bears on what is asked now.
public protocol LedgerHistory: LimitUsage {
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

    /// The connections of a client, oldest first.
    func connections(
        of client: Client, in protocolID: ProtocolID
    ) throws(LedgerError) -> [ClientConnection]
}

/// Takes down what is about to be done, before it is, and what became of it.
public protocol LedgerReservations: Sendable {
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
    /// connections, the recorded answers of several people, and that no freeze and no policy came
    /// since it was judged.
    /// A token that is on record now is a replay if it is single-use, or if it was not when judged.
    func reserve(_ intent: Intent, currentPolicyHash: [UInt8]) async throws(LedgerError)

    /// How long a key may be used on the word of an intent, from when it was to be reserved; nil
    /// where that ends by itself.
    ///
    /// Where several machines share the record, one may be frozen by another while it stands
    /// still between the record and the key.
    var reservationLasts: Duration? { get }

    /// What this machine is called among those that share the record; nil where it is its alone.
    var hubName: String? { get }

    /// Writes what became of an intent; durably before it returns where anything is remembered,
    /// sent, connected or given back.
    ///
    /// Whoever asks this ledger afterwards is told as if it were written.
    func settle(
        _ intentID: [UInt8], _ settlement: Settlement, at: Timestamp
    ) async throws(LedgerError)

    /// Writes that a request was not carried out.
    func record(_ refusal: Refusal) async throws(LedgerError)
}

/// The book of numbers that networks count up to, such as nonces: each is given once.
public protocol LedgerSerials: Sendable {
    /// Draws fresh numbers, durably: the first of `count` in a row, above `floor` and above all
    /// that were ever drawn in the series, none of them used, all below `ceiling`.
    ///
    /// What was drawn at or above the ceiling before counts as never drawn: it cannot be used.
    func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) async throws(LedgerError) -> UInt64
}

/// What was handed to a network and what became of it there.
public protocol LedgerOutbox: Sendable {
    /// Writes what became of one item of a broadcast; it is kept until that is certain.
    ///
    /// A connection that the same request opened ends unless the item was accepted.
    func record(
        _ result: Broadcast.Result, of itemID: String, at: Timestamp
    ) async throws(LedgerError)

    /// Whether an item with this id was handed to a network before, or may be just now by
    /// another process, and nobody knows whether it arrived.
    ///
    /// Putting it on record once more, with these bytes or others, does not change that.
    func mayHaveSent(_ itemID: String) throws(LedgerError) -> Bool

    /// The items of a protocol that may have been sent and whose outcome is not known, newest
    /// first.
    func unsettled(of protocolID: ProtocolID) throws(LedgerError) -> [UnsentItem]
}
