// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
package import SigningFiles
internal import SigningStorage
package import SigningVault

/// An error in making or reading a backup.
package enum BackupError: Error, Hashable, Sendable {
    /// The file is not a regular file, or not a backup of a known format.
    case notABackup
    /// The passphrase is wrong or the file was changed; the two cases cannot be told apart.
    case wrongPassphrase
    /// The file ends too early, or continues after its end.
    case damaged
    /// The vault could not be opened or copied.
    case vault(VaultError)
    /// The record could not be opened or copied.
    case ledger(LedgerError)
    /// The system refused a file operation.
    case home(HomeError)

    /// Runs operations on files.
    static func inHome<R>(_ body: () throws(HomeError) -> R) throws(BackupError) -> R {
        do throws(HomeError) { return try body() } catch { throw .home(error) }
    }
}

/// A whole home in one file, sealed under the vault's passphrase at the time of the backup.
///
/// The file begins with the name of the format, the salt and the cost parameters for the passphrase
/// (32-bit, big-endian). Sealed boxes follow, each after its length (32-bit). A box opens only with
/// the same beginning of the file, at its position, and as the last one if it was sealed as the
/// last. The contents of all boxes, joined, have for each file: the length of its name (8-bit), the
/// name, the length of its content (64-bit), the content.
package enum Backup {
    /// The files of a home that a backup contains, besides the segment files of archived entries.
    static let names = ["vault.db", "ledger.db", "policy.toml"]
    /// The maximum number of content bytes in one box.
    static let boxBytesMax = 256 * 1_024
    /// The maximum size of a file that is restored, in bytes.
    static let fileBytesMax: UInt64 = 1 << 40

    static let magic = Array("countersign backup v1\n".utf8)

    /// Writes the current state of a home to a new file; the passphrase is the vault's.
    package static func create(
        of home: Home, _ vault: Vault, to path: String, passphrase: borrowing SecretBytes,
        parameters: Argon2Parameters = .standard
    ) throws(BackupError) {
        do throws(VaultError) {
            try vault.unlockDespiteDamage(passphrase: passphrase)
        } catch {
            throw .vault(error)
        }
        let salt = PasswordHash.makeSalt()
        let beginning = magic + salt + parameters.bytes
        let key = try makeKey(passphrase, salt, parameters)
        let snapshot = try Snapshot(of: home, vault)
        let output = try BackupError.inHome { () throws(HomeError) in
            let output = try NewFileWriter(completing: path)
            try output.write(beginning)
            return output
        }
        var boxes = BoxWriter(key: key, beginning: beginning, output: output)
        for name in names { try boxes.put(snapshot.path(of: name), as: name) }
        // These files never change once they exist, so no copies of them are needed.
        for name in try snapshot.archiveNames(in: home) {
            try boxes.put(home.path + "/" + name, as: name)
        }
        try boxes.finish()
        try BackupError.inHome { () throws(HomeError) in try output.finish() }
    }

    /// Writes the files of a backup to a folder, which must not contain any of them.
    package static func extract(
        _ path: String, to home: Home, passphrase: borrowing SecretBytes
    ) throws(BackupError) {
        guard let input = try FileReader(path) else {
            throw .home(.missing(path: path))
        }
        let beginning = try input.readExactly(magic.count + PasswordHash.saltCount + 8)
        guard let beginning, beginning.starts(with: magic) else { throw .notABackup }
        let salt = Array(beginning[magic.count..<magic.count + PasswordHash.saltCount])
        let parameters = Argon2Parameters(bytes: Array(beginning.suffix(8)))
        guard parameters.isSupported else { throw .notABackup }
        let key = try makeKey(passphrase, salt, parameters)
        var boxes = BoxReader(key: key, beginning: beginning, input: input)
        var left = Set(names + Home.archiveNames)
        while let name = try boxes.nextName() {
            guard left.remove(name) != nil else { throw .damaged }
            let output = try BackupError.inHome { () throws(HomeError) in
                try NewFileWriter(home.path + "/" + name)
            }
            var count = try boxes.nextLength()
            guard count <= fileBytesMax else { throw .damaged }
            while count > 0 {
                let bytes = try boxes.take(Int(min(count, UInt64(boxBytesMax))))
                try BackupError.inHome { () throws(HomeError) in try output.write(bytes) }
                count -= UInt64(bytes.count)
            }
            try BackupError.inHome { () throws(HomeError) in try output.finish() }
        }
        guard !left.contains("vault.db"), !left.contains("ledger.db") else { throw .damaged }
    }

    private static func makeKey(
        _ passphrase: borrowing SecretBytes, _ salt: [UInt8], _ parameters: Argon2Parameters
    ) throws(BackupError) -> VaultKey {
        do throws(CryptoError) {
            return VaultKey(
                try PasswordHash.argon2id(
                    passphrase: passphrase, salt: salt.span, parameters: parameters))
        } catch {
            throw .vault(VaultError(opening: "backup", error))
        }
    }
}

extension Argon2Parameters {
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt32(clamping: memoryKiB))
        bytes.append(bigEndian: UInt32(clamping: passes))
        return bytes
    }

    fileprivate init(bytes: [UInt8]) {
        func number(_ part: ArraySlice<UInt8>) -> Int { part.reduce(0) { $0 << 8 | Int($1) } }
        self.init(memoryKiB: number(bytes.prefix(4)), passes: number(bytes.suffix(4)))
    }
}
