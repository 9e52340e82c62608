// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
public import SigningCrypto
internal import SigningFiles
internal import SigningStorage
internal import SigningVault

extension OpenHome {
    /// Stops all signing in this home at once, for every process, until `thaw`.
    ///
    /// It needs no passphrase, because stopping has to be easy. If the record cannot be written,
    /// the freeze is noted in a file beside it and takes effect as well.
    public func freeze(because reason: String) throws(ServiceError) {
        do {
            _ = try home.freeze(reason, at: SystemEnvironment().now())
        } catch {
            throw ServiceError(error)
        }
    }

    /// Allows signing again, after the passphrase; returns false if signing was not frozen.
    ///
    /// It is refused if the policy demands that several people approve it: those are asked by the
    /// command line. The vault is locked afterwards.
    @discardableResult
    public func thaw(passphrase: borrowing SecretBytes) throws(ServiceError) -> Bool {
        defer { vault.lock() }
        do {
            try unlock(passphrase)
            let ledger = try openLedger()
            try ledger.recordFreezeMark()
            let freeze = try ledger.freezes().first?.entryHash ?? []
            let consent = try governance(over: .thaw(freeze: freeze), in: ledger).alone
            let isThawed = try ledger.thaw(at: SystemEnvironment().now(), consent)
            try checkpointAtExit(ledger)
            return isThawed
        } catch {
            throw ServiceError(error)
        }
    }

    /// Returns the reason that signing is frozen; nil if it is not.
    public func freezeReason() throws(ServiceError) -> String? {
        do { return try openLedger().freezeReason() } catch { throw ServiceError(error) }
    }
}
