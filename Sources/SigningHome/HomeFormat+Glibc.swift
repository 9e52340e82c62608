// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore
package import SigningFiles
internal import SigningStorage
internal import SigningVault

/// An error in upgrading the files of a home to the formats of this version.
package enum UpgradeError: Error, Hashable, Sendable {
    /// An agent of an older version is running and uses the files.
    case agentRuns(process: Int32)
}

extension Home {
    /// The path of the file that the agent of this home locks.
    package var agentLockPath: String { Self.agentLockPath(in: path) }

    /// The path of the file that the agent of the home at a path locks.
    package static func agentLockPath(in home: String) -> String { home + "/agent.lock" }

    /// Upgrades the vault, the ledger and the copies of teams' records to the formats of this
    /// version; true if any had an older one.
    ///
    /// Each file is copied before. Throws while an agent runs in this home:
    /// if the files have an older format, that agent is of an older version of this program, and
    /// could not use the new format correctly.
    @discardableResult
    package func bringUpToDate() throws -> Bool {
        let teams = try self.teams().map { team($0).ledgerPath }
        let isVaultOlder = Self.isOlder(vaultPath, .vault)
        let ledgers = ([ledgerPath] + teams).filter { Self.isOlder($0, .ledger) }
        guard isVaultOlder || !ledgers.isEmpty else { return false }
        if let process = try agentProcess() { throw UpgradeError.agentRuns(process: process) }
        if isVaultOlder {
            _ = try Database<VaultError>(path: vaultPath, schema: .vault, .upgrading)
        }
        for path in ledgers {
            _ = try Database<LedgerError>(path: path, schema: .ledger, .upgrading)
        }
        return true
    }

    /// The paths of the copies in older formats that upgrades have kept, also of teams' records.
    package func copiesInOlderFormats() -> [String] {
        let teams = ((try? teams()) ?? []).map(team)
        return ([self] + teams).flatMap(\.formatCopies).filter(\.exists).map(\.path)
    }

    /// Whether a database has an older format.
    ///
    /// False if the file cannot be read; the error is reported when the file is opened for use.
    private static func isOlder(_ path: String, _ schema: Schema) -> Bool {
        // The file must be opened by SQLite: closing any other descriptor of the file would release
        // all locks that this process has on it.
        guard let connection = try? SQLiteConnection(path: path) else { return false }
        return (try? schema.isOlder(connection)) ?? false
    }

    /// The process id of the agent that runs in this home; nil if no agent runs.
    ///
    /// The agent itself must not call this method: it closes the lock file, which would release the
    /// agent's own lock.
    private func agentProcess() throws(HomeError) -> Int32? {
        let file = unsafe Glibc.open(
            agentLockPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            guard errno == ENOENT else { throw .failed(path: agentLockPath, code: errno) }
            return nil
        }
        defer { close(file) }
        return try Self.processLocking(file, agentLockPath)
    }

    /// The id of the process that has locked a file; nil if no process has, 0 or less if the
    /// process runs in another container.
    package static func processLocking(
        _ file: Int32, _ path: String
    ) throws(HomeError) -> Int32? {
        var held = flock()
        held.l_type = Int16(F_RDLCK)
        guard unsafe fcntl(file, F_GETLK, &held) == 0 else {
            throw .failed(path: path, code: errno)
        }
        return held.l_type == Int16(F_UNLCK) ? nil : held.l_pid
    }
}
