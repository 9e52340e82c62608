// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import SigningStorage
internal import SigningVault

/// Copies of a home's files at one moment, in a folder that is deleted with this object.
final class Snapshot {
    private let folder: Home

    init(of home: Home, _ vault: Vault) throws(BackupError) {
        folder = Home(path: home.path + "/.backup")
        try BackupError.inHome { [folder] () throws(HomeError) in
            try Home.removeFolder(folder.path)
            try Home.makeDirectory(folder.path)
        }
        if let policy = try FileReader(home.policyPath) {
            let copy = try BackupError.inHome { [folder] () throws(HomeError) in
                try NewFileWriter(folder.policyPath)
            }
            while let bytes = try policy.read(countMax: Backup.boxBytesMax) {
                try BackupError.inHome { () throws(HomeError) in try copy.write(bytes) }
            }
            try BackupError.inHome { () throws(HomeError) in try copy.finish() }
        }
        var ledgerFailure: LedgerError?
        do throws(VaultError) {
            // This transaction prevents that another process stores a checkpoint after the vault
            // was copied and before the ledger is.
            try vault.database.write { [folder] access throws(VaultError) in
                do throws(LedgerError) {
                    try home.checkHasLedger()
                    try Self.copy(home.ledgerPath, folder.ledgerPath, as: LedgerError.self)
                } catch {
                    ledgerFailure = error
                    throw .storage("the record cannot be copied")
                }
                try Self.copy(home.vaultPath, folder.vaultPath, as: VaultError.self)
            }
        } catch {
            throw ledgerFailure.map { .ledger($0) } ?? .vault(error)
        }
    }

    deinit { try? Home.removeFolder(folder.path) }

    /// The path of the copy of a file.
    func path(of name: String) -> String { folder.path + "/" + name }

    /// The names of the archive's files that belong to the copy of the ledger.
    func archiveNames(in home: Home) throws(BackupError) -> [String] {
        do throws(LedgerError) {
            return try home.archiveNames(ofCopy: folder.ledgerPath)
        } catch {
            throw .ledger(error)
        }
    }

    private static func copy<Failure: StorageError>(
        _ path: String, _ target: String, as _: Failure.Type
    ) throws(Failure) {
        let quoted = target.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''")
        do throws(SQLiteError) {
            try SQLiteConnection(path: path).execute("VACUUM INTO '\(quoted)'")
        } catch {
            throw Failure(error)
        }
    }
}
