// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

extension Schema {
    /// Makes the tables that follow from entries again, in the form of this version.
    ///
    /// Checks the chain, but neither signatures nor rules, as no key is at hand: what vouches for
    /// the entries is the same as before. Rows of entries whose archive files are missing are kept.
    static func makeDerivedTables(_ connection: SQLiteConnection) throws(SQLiteError) {
        do throws(LedgerError) {
            try connection.makeDerivedTables()
        } catch {
            switch error {
            case .corrupt(let text), .corruptLog(let text):
                throw .notRemade(file: ledger.file, reason: text, isCorruption: true)
            case .unavailable(let text):
                throw .notRemade(file: ledger.file, reason: text, isCorruption: false)
            default:
                throw .notRemade(file: ledger.file, reason: "\(error)", isCorruption: true)
            }
        }
    }
}

extension SQLiteConnection {
    fileprivate func makeDerivedTables() throws(LedgerError) {
        let access = Access<LedgerError>(self)
        var verifier = AuditVerifier(logPublicKey: nil)
        let segments = try access.segments()
        var problem = verifier.begin(with: segments, besides: path)
        if let problem { throw .corrupt(problem.text) }
        let tables = try ReplayedTables(beside: access, verifier.ends)
        problem = try verifier.replay(segments, into: tables, in: access, at: path)
        if let problem { throw .corrupt(problem.text) }
        _ = try tables.giveUpLostBytes()
        try tables.putInPlace()
        try tables.drop()
    }
}
