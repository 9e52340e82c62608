// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto

/// What a hub said of the shared log, held against what is here.
package struct HeardHub: Hashable, Sendable {
    /// Its number and name.
    package let hub: Int32
    package let name: String
    /// A place that it has seen in the log.
    package let place: LogPlace
    /// When it was heard here.
    package let time: Timestamp
    /// The hash that stands there in the log as it is known here; nil where it does not reach.
    package let ownHash: [UInt8]?

    /// Whether it is so here as well.
    package var isBorneOut: Bool { ownHash == place.hash }
    /// Whether two hubs were shown two histories.
    package var isDisproved: Bool { ownHash != nil && !isBorneOut }

    /// What is wrong where it is not borne out.
    package var problem: String {
        isDisproved
            ? "two histories: batch \(place.sequence) of the log is another one at hub \(name)"
            : "hub \(name) has seen the log up to \(place.sequence), and here it ends before"
    }
}

/// Why what is said to be a hub's statement counts for nothing.
package enum HubStatementError: Error, Hashable, Sendable {
    /// It is none, or longer than they are.
    case noStatement
    /// It is of another record.
    case otherRecord
    /// No hub with this number and name is known here.
    case unknownHub(String)
    /// The hub writes nothing any more.
    case retired(String)
    /// The hub answers questions to several people, and signs no requests.
    case answersOnly(String)
    /// The hub did not sign it.
    case notSigned(String)
    /// It is what this hub says itself.
    case own
    /// It is from before all that is kept here for comparing.
    case tooOld(String)
}

extension SQLiteLedger {
    /// Up to where this hub knows the log, as a line that others can hold against theirs.
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

    /// Holds another hub's line against the log as it is known here, and keeps what it said, so
    /// that nothing is signed where that is not so here.
    ///
    /// Take in what is new first: who has seen more than this hub is not borne out until then.
    package func compare(
        with line: String, at time: Timestamp
    ) throws(LedgerError) -> Result<HeardHub, HubStatementError> {
        guard let (statement, signature) = HubStatement.read(line) else {
            return .failure(.noStatement)
        }
        return try database.writeLocally { access, _ throws(LedgerError) in
            guard let identity = try access.logIdentity() else { throw Self.notShared }
            if let problem = try access.problem(of: statement, signature, identity) {
                return .failure(problem)
            }
            return try access.hear(statement, at: time, identity)
        }
    }

    /// What hubs that are not retired said last, or what is not so here.
    package func heardHubs() throws(LedgerError) -> [HeardHub] {
        try read { access throws(LedgerError) in try access.heardHubs() }
    }

    static let notShared = LedgerError.unavailable("the ledger is not shared")
}

extension Access<LedgerError> {
    /// Refuses to go on where another hub has seen what is not in the log here.
    func checkBorneOut() throws(LedgerError) {
        let other = try heardHubs(where: "p.hash IS NOT s.hash").max {
            !$0.isDisproved && $1.isDisproved
        }
        if let other { throw .unavailable(other.problem) }
    }

    func heardHubs(where condition: String = "1") throws(LedgerError) -> [HeardHub] {
        try all(
            """
            SELECT s.hub, h.name, s.sequence, s.hash, s.time, p.hash
            FROM hub_statements s JOIN hubs h ON h.number = s.hub AND h.retired IS NULL
            LEFT JOIN log_places p ON p.sequence = s.sequence WHERE \(condition) ORDER BY s.hub
            """
        ) { row throws(LedgerError) in
            HeardHub(
                hub: Int32(truncatingIfNeeded: try row.integer(0)), name: try row.text(1),
                place: LogPlace(sequence: try row.integer(2), hash: try row.bytes(3)),
                time: Timestamp(seconds: try row.integer(4)), ownHash: try row.optionalBytes(5))
        }
    }

    /// A place that is known here, if it is kept.
    func keptPlace(_ sequence: Int64) throws(LedgerError) -> LogPlace? {
        try first("SELECT hash FROM log_places WHERE sequence = ?", .integer(sequence)) {
            row throws(LedgerError) in LogPlace(sequence: sequence, hash: try row.bytes(0))
        }
    }

    /// Keeps a place for comparing: of those long ago only some.
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

    /// How many of the newest places are all kept; before them only multiples of the step are.
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
        // It signs nothing itself, so that no limit is counted twice by it.
        guard !hub.answersOnly else { return .answersOnly(hub.name) }
        return hub.retired == nil ? nil : .retired(hub.name)
    }

    /// Keeps the place that tells most: one that is not so here, or else the newest.
    fileprivate func hear(
        _ statement: HubStatement, at time: Timestamp, _ identity: LogIdentity
    ) throws(LedgerError) -> Result<HeardHub, HubStatementError> {
        let end = try logPlace().sequence
        let heard = try statement.places.map { (place) throws(LedgerError) in
            HeardHub(
                hub: statement.hub, name: statement.name, place: place, time: time,
                ownHash: try keptPlace(place.sequence)?.hash)
        }
        let telling =
            heard.first(where: \.isDisproved) ?? heard.first { $0.place.sequence > end }
            ?? heard.first(where: \.isBorneOut)
        guard let telling else { return .failure(.tooOld(statement.name)) }
        if telling.isBorneOut, statement.hub == identity.hub { return .failure(.own) }
        let known = try heardHubs(where: "s.hub = \(statement.hub)").first
        let isNewer = telling.place.sequence >= known?.place.sequence ?? 0
        if telling.isDisproved || isNewer && known?.isDisproved != true { try keep(telling) }
        return .success(telling)
    }

    fileprivate func keep(_ said: HeardHub) throws(LedgerError) {
        try run(
            "INSERT OR REPLACE INTO hub_statements (hub, sequence, hash, time) VALUES (?, ?, ?, ?)",
            .integer(Int64(said.hub)), .integer(said.place.sequence), .bytes(said.place.hash),
            .integer(said.time.seconds))
    }
}
