// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningFiles

extension Home {
    /// True if a file or folder exists at the path of the ledger.
    func hasLedger() throws(LedgerError) -> Bool {
        do throws(HomeError) {
            return try Self.status(of: ledgerPath) != nil
        } catch {
            throw LedgerError(error)
        }
    }

    /// Throws if the ledger's file is missing: every home has one from its creation on.
    package func checkHasLedger() throws(LedgerError) {
        guard try hasLedger() else { throw .corrupt("there is no such file") }
    }

    /// The maximum number of old ledgers that a home keeps besides the one in use.
    static let ledgersAsideMax = 10_000

    /// Renames the ledger's file and SQLite's files beside it, to make room for another ledger.
    ///
    /// With `withArchive`, the segment files of its archive are renamed too. Returns the new name
    /// of the ledger's file; nil if there is no file.
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
                for file in isMoved && withArchive ? try Self.archiveFiles(in: self) : [] {
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
