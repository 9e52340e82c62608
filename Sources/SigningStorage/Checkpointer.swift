// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// Why no checkpoint was made.
public enum CheckpointError: Error, Hashable, Sendable {
    /// The vault could not sign or keep it, or has lost the last one; while it is locked, it
    /// cannot tell.
    case vault(VaultError)
    /// The ledger could not be read, or does not continue the last checkpoint.
    case ledger(LedgerError)
}

/// Signs where the audit chain stands, every so often and at the end.
public struct Checkpointer: Sendable {
    /// How many entries may follow a checkpoint before the next is due.
    public static let entriesMax: Int64 = 64

    private let vault: Vault
    private let ledger: SQLiteLedger
    private let environment: any HubEnvironment

    /// Makes a checkpointer for a vault and its ledger.
    public init(vault: Vault, ledger: SQLiteLedger, environment: any HubEnvironment) {
        self.vault = vault
        self.ledger = ledger
        self.environment = environment
    }

    /// Refuses a ledger that does not hold the entry of the vault's last checkpoint.
    ///
    /// A ledger that was put back to an older state would have forgotten uses of limits: call
    /// this after unlocking, before a key is used. It looks at one entry, not at the chain.
    public func check() throws(CheckpointError) {
        _ = try ends()
    }

    /// Makes a checkpoint if one is due; call it after each request.
    public func afterRequest() throws(CheckpointError) {
        try checkpoint(minimum: Self.entriesMax)
    }

    /// Makes a checkpoint of whatever the last one does not cover; call it at exit.
    public func atExit() throws(CheckpointError) {
        try checkpoint(minimum: 1)
    }

    private func checkpoint(minimum: Int64) throws(CheckpointError) {
        let (last, end) = try ends()
        guard end.sequence - last.sequence >= minimum else { return }
        // Signing blindly would bless a chain that somebody rewrote since the last checkpoint.
        let head = try inLedger { () throws(LedgerError) in try ledger.checkedHead(after: last) }
        let checkpoint = try inVault { () throws(VaultError) in
            try vault.signCheckpoint(head, at: environment.now())
        }
        try inVault { () throws(VaultError) in try vault.keep(checkpoint) }
        try inLedger { () throws(LedgerError) in try ledger.keep(checkpoint) }
    }

    /// The vault's last checkpoint, and where the chain that holds its entry ends.
    private func ends() throws(CheckpointError) -> (AuditCheckpoint, AuditHead) {
        let last = try inVault { () throws(VaultError) in try vault.checkedLastCheckpoint() }
        let end = try inLedger { () throws(LedgerError) in try ledger.head(holding: last) }
        return (last, end)
    }

    private func inVault<R>(_ body: () throws(VaultError) -> R) throws(CheckpointError) -> R {
        do throws(VaultError) { return try body() } catch { throw .vault(error) }
    }

    private func inLedger<R>(_ body: () throws(LedgerError) -> R) throws(CheckpointError) -> R {
        do throws(LedgerError) { return try body() } catch { throw .ledger(error) }
    }
}
