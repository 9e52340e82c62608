// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore

/// An error in upgrading the files of a home to the formats of this version.
package enum UpgradeError: Error, Hashable, Sendable {
    /// An agent, which is of an older version, uses the files.
    case agentRuns(process: Int32)
    /// The vault could not be changed.
    case vault(VaultError)
    /// The ledger, or the copy of a team's record, could not be changed.
    case ledger(LedgerError)
    /// The folder could not be read.
    case home(HomeError)
}

extension Home {
    /// The command that brings the files of a home to the formats of this version.
    package static let upgradeCommand = "countersign repair format"

    /// The path of the file that the agent of this home locks.
    package var agentLockPath: String { Self.agentLockPath(in: path) }

    /// The path of the file that the agent of the home at a path locks.
    package static func agentLockPath(in home: String) -> String { home + "/agent.lock" }

    /// Upgrades the vault, the ledger and the copies of teams' records to the formats of this
    /// version; true if any had an older one.
    ///
    /// Throws while an agent holds the home. An agent that uses an older format is of an older
    /// version. It would continue to sign by rules that the new format does not support.
    @discardableResult
    package func bringUpToDate() throws(UpgradeError) -> Bool {
        let teams = try Self.inHome { () throws(HomeError) in
            try self.teams().map { team($0).ledgerPath }
        }
        let isVaultOlder = Self.isOlder(vaultPath, .vault)
        let ledgers = ([ledgerPath] + teams).filter { Self.isOlder($0, .ledger) }
        guard isVaultOlder || !ledgers.isEmpty else { return false }
        if let process = try Self.inHome({ () throws(HomeError) in try agentProcess() }) {
            throw .agentRuns(process: process)
        }
        try Self.inVault { () throws(VaultError) in
            guard isVaultOlder else { return }
            _ = try Database<VaultError>(path: vaultPath, schema: .vault, .upgrading)
        }
        try Self.inLedger { () throws(LedgerError) in
            for path in ledgers {
                _ = try Database<LedgerError>(path: path, schema: .ledger, .upgrading)
            }
        }
        return true
    }

    /// Whether a database has an older format; false if it cannot be read, which is reported when
    /// it is opened.
    private static func isOlder(_ path: String, _ schema: Schema) -> Bool {
        // Uses an SQLite connection, as closing another descriptor of the file would release this
        // process's locks on it.
        guard let connection = try? Connection(path: path) else { return false }
        return (try? schema.isOlder(connection)) ?? false
    }

    /// The process of the agent that holds this home; nil if absent.
    ///
    /// The agent itself must not call it: closing a file releases all locks that the process has on
    /// it.
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

    /// The process that holds a lock on a whole open file; nil if absent, 0 or less if it
    /// runs in another container.
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

    private static func inHome<R>(_ body: () throws(HomeError) -> R) throws(UpgradeError) -> R {
        do throws(HomeError) { return try body() } catch { throw .home(error) }
    }

    private static func inVault<R>(_ body: () throws(VaultError) -> R) throws(UpgradeError) -> R {
        do throws(VaultError) { return try body() } catch { throw .vault(error) }
    }

    private static func inLedger<R>(
        _ body: () throws(LedgerError) -> R
    ) throws(UpgradeError) -> R {
        do throws(LedgerError) { return try body() } catch { throw .ledger(error) }
    }
}
