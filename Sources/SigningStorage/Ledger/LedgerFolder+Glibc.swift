// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningFiles
internal import SigningVault

extension Home {
    /// Removes a temporary home; ignores errors.
    package func discard() { try? Self.removeFolder(path) }

    /// Removes a home with the files in it.
    package func remove() throws(HomeError) { try Self.removeFolder(path) }

    /// Removes a folder with the files in it, if it exists.
    package static func removeFolder(_ path: String) throws(HomeError) {
        let folder = Home(path: path)
        let bases = [folder.vaultPath, folder.ledgerPath, folder.policyPath]
        let files =
            bases.flatMap { [$0, $0 + "-wal", $0 + "-shm", $0 + "-journal"] }
            + folder.formatCopies.flatMap { [$0.path, $0.partPath] }
        for file in try files + archiveFiles(in: folder)
            + [
                segmentPartPath(of: folder.ledgerPath), statePartPath(of: folder.ledgerPath),
                folder.waitingPath, folder.freezeMarkPath,
            ]
        {
            guard unsafe unlink(file) == 0 || errno == ENOENT || errno == ENOTDIR else {
                throw .failed(path: file, code: errno)
            }
        }
        guard unsafe rmdir(path) == 0 || errno == ENOENT else {
            throw .failed(path: path, code: errno)
        }
    }

    /// The copies in older formats that upgrades can have left in this folder.
    package var formatCopies: [FormatCopy] {
        FormatCopy.possible(of: vaultPath, .vault) + FormatCopy.possible(of: ledgerPath, .ledger)
    }
}
