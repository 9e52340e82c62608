// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore
internal import SigningFiles
internal import SigningVault

/// Reads a file from its beginning to its end.
final class FileReader {
    private let descriptor: Int32
    private let path: String
    /// The length of the file in bytes.
    let count: UInt64

    /// Opens a file; nil if it does not exist.
    init?(_ path: String) throws(BackupError) {
        self.path = path
        // Without O_NONBLOCK, opening a pipe would wait for its writer.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw .home(.failed(path: path, code: errno))
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .home(.failed(path: path, code: errno))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notABackup }
        count = UInt64(clamping: status.st_size)
    }

    deinit { close(descriptor) }

    /// The next bytes, at most `countMax`; nil at the end.
    func read(countMax: Int) throws(BackupError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: countMax)
        while true {
            let found = unsafe Glibc.read(descriptor, &bytes, countMax)
            if found < 0, errno == EINTR { continue }
            guard found >= 0 else { throw .home(.failed(path: path, code: errno)) }
            return found == 0 ? nil : Array(bytes.prefix(found))
        }
    }

    /// The next `count` bytes; nil if there are fewer.
    func readExactly(_ count: Int) throws(BackupError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = try read(countMax: count - bytes.count) else { return nil }
            bytes += more
        }
        return bytes
    }

    /// Whether the file has been read to its end.
    func isAtEnd() throws(BackupError) -> Bool {
        let place = lseek(descriptor, 0, SEEK_CUR)
        guard place >= 0 else { throw .home(.failed(path: path, code: errno)) }
        return UInt64(clamping: place) >= count
    }
}

/// Writes a new file that only its owner can read; deletes it unless it is finished.
final class NewFileWriter {
    private let descriptor: Int32
    private let path: String
    /// The name that the file gets once it is durable; nil if it has its name from the beginning.
    private let finalPath: String?
    private var isFinished = false

    init(_ path: String) throws(BackupError) {
        let opened = unsafe open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        // `deinit` deletes the file at the stored path. The path is stored after this check, so
        // that a file that existed before stays.
        guard opened >= 0 else { throw .home(.failed(path: path, code: errno)) }
        self.path = path
        finalPath = nil
        descriptor = opened
    }

    /// Creates a file that has another name until it is complete, so that a file with this name is
    /// never a part of one.
    init(completing path: String) throws(BackupError) {
        guard try !Self.exists(path) else { throw .home(.failed(path: path, code: EEXIST)) }
        let part = path + ".countersign-part"
        // A killed process may have left it.
        unsafe unlink(part)
        let opened = unsafe open(
            part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw .home(.failed(path: path, code: errno)) }
        self.path = part
        finalPath = path
        descriptor = opened
    }

    /// Takes over an open new file.
    init(_ path: String, _ descriptor: Int32) {
        self.path = path
        finalPath = nil
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        if !isFinished { unsafe unlink(path) }
    }

    func write(_ bytes: [UInt8]) throws(BackupError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .home(.failed(path: path, code: errno)) }
            rest.removeFirst(written)
        }
    }

    /// Makes the file durable and keeps it.
    func finish() throws(BackupError) {
        guard fsync(descriptor) == 0 else { throw .home(.failed(path: path, code: errno)) }
        if let finalPath { try name(finalPath) }
        isFinished = true
    }

    /// Gives the file its name, durably, and replaces no other file.
    private func name(_ finalPath: String) throws(BackupError) {
        do throws(HomeError) {
            if unsafe link(path, finalPath) == 0 {
                unsafe unlink(path)
            } else {
                // File systems of removable media may have no links.
                let code = errno
                guard code != EEXIST, try Home.status(of: finalPath) == nil else {
                    throw .failed(path: finalPath, code: EEXIST)
                }
                try Home.move(path, to: finalPath)
            }
            try Home.sync(finalPath.lastIndex(of: "/").map { String(finalPath[...$0]) } ?? ".")
        } catch {
            throw .home(error)
        }
    }

    private static func exists(_ path: String) throws(BackupError) -> Bool {
        do throws(HomeError) {
            return try Home.status(of: path) != nil
        } catch {
            throw .home(error)
        }
    }
}

/// Copies of a home's files at one moment, in a folder that is deleted with this object.
final class Snapshot {
    private let folder: Home

    init(of home: Home, _ vault: Vault) throws(BackupError) {
        folder = Home(path: home.path + "/.backup")
        do throws(HomeError) {
            try Home.removeFolder(folder.path)
            try Home.makeDirectory(folder.path)
        } catch {
            throw .home(error)
        }
        if let policy = try FileReader(home.policyPath) {
            let copy = try NewFileWriter(folder.policyPath)
            while let bytes = try policy.read(countMax: Backup.boxBytesMax) {
                try copy.write(bytes)
            }
            try copy.finish()
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
            let copy = try Database<LedgerError>(
                path: folder.ledgerPath, schema: .ledger, .existing)
            return try copy.query { access throws(LedgerError) in
                let segments = try access.segments()
                let states = segments.filter { $0.hasState(besides: home.ledgerPath) }
                return segments.map(\.fileName) + states.suffix(1).map { Home.stateName($0.number) }
            }
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
