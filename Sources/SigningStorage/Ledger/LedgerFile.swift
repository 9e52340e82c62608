// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

extension Home {
    /// Whether a ledger file of any kind exists.
    func hasLedger() throws(LedgerError) -> Bool {
        do throws(HomeError) {
            return try Self.status(of: ledgerPath) != nil
        } catch {
            throw LedgerError(error)
        }
    }

    /// Throws if the home has no ledger, as it once had one.
    func checkHasLedger() throws(LedgerError) {
        guard try hasLedger() else { throw .corrupt("there is no such file") }
    }

    /// The most old ledgers that are kept beside the one in use.
    static let ledgersAsideMax = 10_000

    /// Renames the file of the record, with the files that SQLite keeps beside it; returns the new
    /// name, or nil if there is no file.
    ///
    /// Its segment files are renamed too, unless another ledger uses them.
    func setLedgerAside(withArchive: Bool = true) throws(LedgerError) -> String? {
        do throws(HomeError) {
            for number in 1...Self.ledgersAsideMax {
                let target = "\(ledgerPath).\(number)"
                let taken = try Self.withCompanions(target).map { (path) throws(HomeError) in
                    try Self.status(of: path) != nil
                }
                guard !taken.contains(true) else { continue }
                var isMoved = false
                for (from, to) in zip(
                    Self.withCompanions(ledgerPath), Self.withCompanions(target))
                where try Self.status(of: from) != nil {
                    try Self.move(from, to: to)
                    isMoved = true
                }
                for file in isMoved && withArchive ? try Self.segmentFiles(in: self) : [] {
                    try Self.move(file, to: target + file.dropFirst(ledgerPath.utf8.count))
                }
                try Self.sync(path)
                return isMoved ? "\(Schema.ledger.file).\(number)" : nil
            }
        } catch {
            throw LedgerError(error)
        }
        throw .unavailable("the folder has too many old ledger files: move some away")
    }
}
