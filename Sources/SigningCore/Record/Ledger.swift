// SPDX-License-Identifier: Apache-2.0

/// Keeps the record, the only state that several hubs may share.
///
/// Methods that change it may suspend while they wait for the disk; methods that read do not wait
/// for a sync. Each role is a separate protocol.
public protocol Ledger: LedgerHistory, LedgerReservations, LedgerSerials, LedgerOutbox {}

/// The past requests as far as they affect the present one.
public protocol LedgerHistory: LimitUsage {
    /// Returns whether an intent with this token is on record.
    func wasSeen(_ token: ReplayToken) throws(LedgerError) -> Bool

    /// Returns the latest time on record; nil if the record is empty.
    ///
    /// Limits never use an earlier time, so that expired things remain expired.
    func latestTime() throws(LedgerError) -> Timestamp?

    /// Returns the present length of the record.
    func length() throws(LedgerError) -> RecordLength

    /// Returns whether all signing is frozen.
    func isFrozen() throws(LedgerError) -> Bool

    /// Returns the grants in any of these scopes that are not revoked.
    func grants(for scopes: [Grant.Scope]) throws(LedgerError) -> [SealedGrant]

    /// Returns the last note about a subject under a name, from a request that was done.
    func noted(_ name: String, about: Note.Subject) throws(LedgerError) -> Note?

    /// Returns the connections of a client, oldest first.
    func connections(
        of client: Client, in protocolID: ProtocolID
    ) throws(LedgerError) -> [ClientConnection]
}

/// Records intents before they are carried out, and their results.
public protocol LedgerReservations: Sendable {
    /// Reserves a named request, so that no other process with this ledger answers it meanwhile.
    ///
    /// Both arguments are hashes: of the client's name for the request, and of the whole request.
    func takePlace(
        named name: [UInt8], for digest: [UInt8]
    ) throws(LedgerError) -> WaitingPlace

    /// Counts a question to a person durably; returns false without counting if there were too
    /// many.
    func count(_ question: QuestionTally, at: Timestamp) async throws(LedgerError) -> Bool

    /// Writes the intent durably, in one transaction with its limits and replay token.
    ///
    /// Several intents may share a transaction; a refused one does not affect the others.
    ///
    /// The transaction checks policy hash, limits, replay, serials, grants, connections and the
    /// recorded answers of several people. It also checks that no freeze and no policy change came
    /// after the request was judged. A token on record is a replay if it is single-use, or if it
    /// was not on record when the request was judged.
    func reserve(_ intent: Intent, currentPolicyHash: [UInt8]) async throws(LedgerError)

    /// The time for which an intent permits the use of a key, from its reservation; nil for no
    /// limit.
    ///
    /// If several machines share the record, another may freeze signing while this one pauses
    /// between the reservation and the use of the key.
    var reservationLasts: Duration? { get }

    /// This machine's name among those that share the record; nil if the record has one machine.
    var hubName: String? { get }

    /// Writes the result of an intent.
    ///
    /// The result is durable on return if it adds grants, items or connections, or frees limits.
    /// Later reads of this ledger see the result at once.
    func settle(
        _ intentID: [UInt8], _ settlement: Settlement, at: Timestamp
    ) async throws(LedgerError)

    /// Writes that a request was not carried out.
    func record(_ refusal: Refusal) async throws(LedgerError)
}

/// Hands out the numbers that networks count up, such as nonces, each once.
public protocol LedgerSerials: Sendable {
    /// Draws fresh numbers durably and returns the first of `count` consecutive ones.
    ///
    /// They are above `floor` and above all numbers drawn in the series, unused, and below
    /// `ceiling`. Earlier draws at or above the ceiling do not count: they cannot be used.
    func drawSerials(
        _ count: Int, in series: String, above floor: UInt64, below ceiling: UInt64
    ) async throws(LedgerError) -> UInt64
}

/// Records the items that were handed to a network, and their results.
public protocol LedgerOutbox: Sendable {
    /// Writes the result of one item of a broadcast; the item is kept until the result is certain.
    ///
    /// A connection that the same request opened ends unless the item was accepted.
    func record(
        _ result: Broadcast.Result, of itemID: String, at: Timestamp
    ) async throws(LedgerError)

    /// Returns whether an item with this id may have been sent before without a known result.
    ///
    /// Another process may be sending it now. Recording the item again, with these bytes or others,
    /// does not change the answer.
    func mayHaveSent(_ itemID: String) throws(LedgerError) -> Bool

    /// Returns the items of a protocol that may have been sent without a known outcome, newest
    /// first.
    func unsettled(of protocolID: ProtocolID) throws(LedgerError) -> [UnsentItem]
}

/// The length of the record, which only grows.
public struct RecordLength: Hashable, Sendable {
    /// The number of entries.
    public let entries: Int64

    /// Makes a length.
    public init(entries: Int64) { self.entries = entries }
}
