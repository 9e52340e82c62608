// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// A hub's statement on the shared log, compared with this hub's copy.
package struct ComparedHub: Hashable, Sendable {
    /// The number and name of the other hub.
    package let hub: Int32
    package let name: String
    /// A position that it has seen in the log.
    package let place: LogPlace
    /// The time at which its statement was received.
    package let time: Timestamp
    /// This hub's hash of that position; nil if this copy does not reach it.
    package let ownHash: [UInt8]?

    /// True if both hubs have the same hash.
    package var isConfirmed: Bool { ownHash == place.hash }
    /// True if the two hubs have different histories.
    package var isContradicted: Bool { ownHash != nil && !isConfirmed }

    /// The problem if the hashes are not equal.
    package var problem: String {
        isContradicted
            ? "two histories: batch \(place.sequence) of the log is different on hub \(name)"
            : "hub \(name) has seen the log up to \(place.sequence), but here the log ends before "
                + "that"
    }
}

/// An error in a hub's statement.
package enum HubStatementError: Error, Hashable, Sendable {
    /// The text is not a statement, or is too long.
    case noStatement
    /// The statement is about another record.
    case otherRecord
    /// The record contains no hub with this number and name.
    case unknownHub(String)
    /// The hub was retired.
    case retired(String)
    /// The hub only answers questions to several approvers, and signs no requests.
    case answersOnly(String)
    /// The hub's signature is invalid.
    case notSigned(String)
    /// The statement is this hub's.
    case own
    /// The statement is older than all positions that this hub keeps.
    case tooOld(String)
}

extension SQLiteLedger {
    /// This hub's statement on the log, as a line that other hubs can compare with their copies.
    package func hubStatement() throws(LedgerError) -> String {
        try read { access throws(LedgerError) in
            guard let identity = try access.logIdentity(), let hub = try access.hub(identity.hub)
            else { throw Self.notShared }
            let end = try access.logPlace()
            let places = try HubStatement.earlier(than: end.sequence).map {
                (sequence) throws(LedgerError) in try access.keptPlace(sequence)
            }
            return try identity.sign(
                HubStatement(of: identity.ledger, by: hub, [end] + places.compactMap { $0 }))
        }
    }

    /// Compares another hub's statement with this copy of the log, and stores it.
    ///
    /// Signing stops while the two differ. Copy the newest entries first: a hub that has seen more
    /// than this one counts as different until then.
    package func compare(
        with line: String, at time: Timestamp
    ) throws(LedgerError) -> Result<ComparedHub, HubStatementError> {
        guard let (statement, signature) = HubStatement.read(line) else {
            return .failure(.noStatement)
        }
        return try database.writeLocally { access, _ throws(LedgerError) in
            guard let identity = try access.logIdentity() else { throw Self.notShared }
            if let problem = try access.problem(of: statement, signature, identity) {
                return .failure(problem)
            }
            return try access.compare(statement, at: time, identity)
        }
    }

    /// The last statement of each hub that is not retired, or the one that differs.
    package func comparedHubs() throws(LedgerError) -> [ComparedHub] {
        try read { access throws(LedgerError) in try access.comparedHubs() }
    }

    static let notShared = LedgerError.unavailable("the ledger is not shared")
}

extension Access<LedgerError> {
    /// Throws if another hub has seen a position that this copy of the log does not have.
    func checkConfirmed() throws(LedgerError) {
        let other = try comparedHubs(where: "p.hash IS NOT s.hash").max {
            !$0.isContradicted && $1.isContradicted
        }
        if let other { throw .unavailable(other.problem) }
    }

    func comparedHubs(where condition: String = "1") throws(LedgerError) -> [ComparedHub] {
        try all(
            """
            SELECT s.hub, h.name, s.sequence, s.hash, s.time, p.hash
            FROM hub_statements s JOIN hubs h ON h.number = s.hub AND h.retired IS NULL
            LEFT JOIN log_places p ON p.sequence = s.sequence WHERE \(condition) ORDER BY s.hub
            """
        ) { row throws(LedgerError) in
            ComparedHub(
                hub: Int32(truncatingIfNeeded: try row.integer(0)), name: try row.text(1),
                place: LogPlace(sequence: try row.integer(2), hash: try row.bytes(3)),
                time: Timestamp(seconds: try row.integer(4)), ownHash: try row.optionalBytes(5))
        }
    }

    /// The stored position with this number; nil if it is not stored.
    func keptPlace(_ sequence: Int64) throws(LedgerError) -> LogPlace? {
        try first("SELECT hash FROM log_places WHERE sequence = ?", .integer(sequence)) {
            row throws(LedgerError) in LogPlace(sequence: sequence, hash: try row.bytes(0))
        }
    }

    /// Stores a position for comparisons; deletes most of the very old ones.
    func keep(_ place: LogPlace) throws(LedgerError) {
        try run(
            "INSERT OR REPLACE INTO log_places (sequence, hash) VALUES (?, ?)",
            .integer(place.sequence), .bytes(place.hash))
        guard place.sequence % Self.keptStep == 0 else { return }
        try run(
            """
            DELETE FROM log_places WHERE sequence < ?1 AND sequence % ?2 <> 0
            AND sequence NOT IN (SELECT sequence FROM hub_statements)
            """, .integer(place.sequence - Self.keptCount), .integer(Self.keptStep))
    }

    /// The number of newest positions that are all stored; of older ones only multiples of the step
    /// are.
    private static var keptCount: Int64 { 1 << 16 }
    private static var keptStep: Int64 { 1 << 12 }

    fileprivate func problem(
        of statement: HubStatement, _ signature: [UInt8], _ identity: LogIdentity
    ) throws(LedgerError) -> HubStatementError? {
        guard statement.team == HubStatement.team(of: identity.ledger) else { return .otherRecord }
        guard let hub = try hub(statement.hub), hub.name == statement.name else {
            return .unknownHub(statement.name)
        }
        let isSigned = Signatures.isValidEd25519(
            signature: signature.span, message: statement.message(of: identity.ledger).span,
            publicKey: hub.publicKey.span)
        guard isSigned else { return .notSigned(hub.name) }
        // Such a hub signs no requests, so it cannot use a limit twice.
        guard !hub.answersOnly else { return .answersOnly(hub.name) }
        return hub.retired == nil ? nil : .retired(hub.name)
    }

    /// Stores the most significant position: one that differs, otherwise the newest.
    fileprivate func compare(
        _ statement: HubStatement, at time: Timestamp, _ identity: LogIdentity
    ) throws(LedgerError) -> Result<ComparedHub, HubStatementError> {
        let end = try logPlace().sequence
        let heard = try statement.places.map { (place) throws(LedgerError) in
            ComparedHub(
                hub: statement.hub, name: statement.name, place: place, time: time,
                ownHash: try keptPlace(place.sequence)?.hash)
        }
        let found =
            heard.first(where: \.isContradicted) ?? heard.first { $0.place.sequence > end }
            ?? heard.first(where: \.isConfirmed)
        guard let found else { return .failure(.tooOld(statement.name)) }
        if found.isConfirmed, statement.hub == identity.hub { return .failure(.own) }
        let known = try comparedHubs(where: "s.hub = \(statement.hub)").first
        let isNewer = found.place.sequence >= known?.place.sequence ?? 0
        if found.isContradicted || isNewer && known?.isContradicted != true { try keep(found) }
        return .success(found)
    }

    fileprivate func keep(_ said: ComparedHub) throws(LedgerError) {
        try run(
            "INSERT OR REPLACE INTO hub_statements (hub, sequence, hash, time) VALUES (?, ?, ?, ?)",
            .integer(Int64(said.hub)), .integer(said.place.sequence), .bytes(said.place.hash),
            .integer(said.time.seconds))
    }
}
