// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

/// Reads a file from its beginning to its end.
final class FileReader {
    private let descriptor: Int32
    private let path: String
    /// How long it is, in bytes.
    let count: UInt64

    /// Nil where there is no such file.
    init?(_ path: String) throws(BackupError) {
        self.path = path
        // A pipe without a writer must not keep us waiting.
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

    /// The next bytes, at most so many; nil at the end.
    func read(countMax: Int) throws(BackupError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: countMax)
        while true {
            let found = unsafe Glibc.read(descriptor, &bytes, countMax)
            if found < 0, errno == EINTR { continue }
            guard found >= 0 else { throw .home(.failed(path: path, code: errno)) }
            return found == 0 ? nil : Array(bytes.prefix(found))
        }
    }

    /// The next bytes, exactly so many; nil where there are fewer.
    func readExactly(_ count: Int) throws(BackupError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = try read(countMax: count - bytes.count) else { return nil }
            bytes += more
        }
        return bytes
    }

    /// Whether nothing follows.
    func isAtEnd() throws(BackupError) -> Bool {
        let place = lseek(descriptor, 0, SEEK_CUR)
        guard place >= 0 else { throw .home(.failed(path: path, code: errno)) }
        return UInt64(clamping: place) >= count
    }
}

/// Writes a file that was not there, for its owner alone; what is not finished goes away.
final class NewFileWriter {
    private let descriptor: Int32
    private let path: String
    private var isFinished = false

    init(_ path: String) throws(BackupError) {
        let opened = unsafe open(
            path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        // Before anything is kept: what was there already must not go away with this.
        guard opened >= 0 else { throw .home(.failed(path: path, code: errno)) }
        self.path = path
        descriptor = opened
    }

    /// Writes into an open file, which is nobody else's.
    init(_ path: String, _ descriptor: Int32) {
        self.path = path
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

    /// Makes it durable; from here on it stays.
    func finish() throws(BackupError) {
        guard fsync(descriptor) == 0 else { throw .home(.failed(path: path, code: errno)) }
        isFinished = true
    }
}

/// Copies of a home's files as they are at one moment, in a folder that goes away with it.
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
            // Nobody keeps a checkpoint between the two copies.
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

    /// Where the copy of a file is.
    func path(of name: String) -> String { folder.path + "/" + name }

    /// The names of the files that the copy of the ledger belongs together with.
    func segmentNames() throws(BackupError) -> [String] {
        do throws(LedgerError) {
            let copy = try Database<LedgerError>(
                path: folder.ledgerPath, schema: .ledger, .existing)
            return try copy.query { access throws(LedgerError) in
                try access.segments().map(\.fileName)
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
            try Connection(path: path).execute("VACUUM INTO '\(quoted)'")
        } catch {
            throw Failure(error)
        }
    }
}
