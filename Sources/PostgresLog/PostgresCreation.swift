// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

extension PostgresLog {
    /// Creates the tables of a new, empty log, and returns its identity, 16 bytes.
    ///
    /// Throws if the schema contains a log already.
    package static func create(at address: PostgresAddress) throws(LedgerError) -> [UInt8] {
        let ledger = SystemEnvironment().randomBytes(PostgresHead.ledgerBytes)
        do throws(PostgresError) {
            let connection = try PostgresConnecting.open(address)
            try make(ledger, address, on: connection)
        } catch .refused(let state, _) where ["42P07", "23505", "42P06"].contains(state) {
            throw .unavailable(
                "this schema of the database already contains a shared log: join it, choose "
                    + "another schema, or drop this one if a move was interrupted")
        } catch {
            throw error.ledgerError
        }
        return ledger
    }

    private static func make(
        _ ledger: [UInt8], _ address: PostgresAddress, on connection: PostgresConnection
    ) throws(PostgresError) {
        let deadline = Deadline(secondsFromNow: callSecondsMax)
        let schema = PostgresSchema(address)
        try connection.prepare(PostgresTerms.prepared, until: deadline)
        let found = try connection.run(
            [PostgresTerms.begin, PostgresTerms.setting, schema.presenceQuery], until: deadline)
        let serverTime = try PostgresTerms.checkSetting(found[1]).time
        let now = ClockReading.timeOfDay()
        try PostgresTerms.checkClock(
            serverTime, earliest: now - Int64(callSecondsMax) * 1_000, latest: now)
        let rows = try connection.run([PostgresTerms.durability], until: deadline)
        try PostgresTerms.checkDurability(
            rows[0], replicas: address.replicas, mayLoseLast: address.mayLoseLast)
        // A user with rights on a schema may lack the right to create one.
        let isThere =
            try found[2].first.map { row throws(PostgresError) in
                try row.long(0) > 0
            } ?? false
        let notices = connection.noticeCount
        let statements = (isThere ? [] : [schema.creation]) + schema.tables(ledger: ledger)
        _ = try connection.run(statements + [PostgresTerms.commit], until: deadline)
        guard connection.noticeCount == notices else {
            throw .unreachable(
                "the database gave a warning when it made the shared log: read the log of the "
                    + "server")
        }
    }
}
