// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
package import SigningFiles
package import SigningVault

/// The repair of tables that differ from the entries of an intact chain.
///
/// A connection whose row is missing ends, as no entry states its address.
extension HomeRepair {
    /// Whether a home's record is intact once its tables are made again from its entries.
    ///
    /// Changes nothing. False for a record that is shared: its log has the tables.
    package static func canRepairTables(of home: Home, _ vault: Vault) -> Bool {
        do {
            let trust = try vault.recordTrust()
            return try ledger(of: home).alone { connection throws(LedgerError) in
                defer { connection.rollBack() }
                return try connection.remakeTables(by: trust) == nil
            }
        } catch {
            return false
        }
    }

    /// Makes the tables of a home's record again from its entries, with an entry about it.
    ///
    /// The vault must be unlocked. Throws, and changes nothing, if the record is not intact
    /// afterwards.
    package static func repairTables(
        of home: Home, _ vault: Vault, at time: Timestamp
    ) throws {
        let trust = try vault.recordTrust()
        let key = try vault.openLogKey()
        try ledger(of: home).alone { connection throws(LedgerError) in
            defer { connection.rollBack() }
            if let problem = try connection.remakeTables(by: trust) {
                throw .corrupt(problem.text)
            }
            let access = Access<LedgerError>(connection)
            try access.appendRepair(of: RepairEntry.tables, at: time, signedBy: key)
            try access.run("COMMIT")
        }
    }

    private static func ledger(of home: Home) throws(LedgerError) -> Database<LedgerError> {
        try Database(path: home.ledgerPath, schema: .ledger, .existing)
    }
}

extension SQLiteConnection {
    /// Begins a transaction, makes the tables again and returns the problem that is left.
    fileprivate func remakeTables(by trust: RecordTrust) throws(LedgerError) -> AuditProblem? {
        let access = Access<LedgerError>(self)
        try access.run("PRAGMA foreign_keys = OFF")
        try access.run("BEGIN IMMEDIATE")
        guard try access.local(.mark) == nil else {
            throw .unavailable("the ledger is shared, and the log contains all of it")
        }
        try Index(of: access).replay(besides: path)
        return try AuditVerifier.problem(by: trust, in: access, at: path)
    }
}
