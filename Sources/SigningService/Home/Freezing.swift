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
        _ = try ServiceError.wrapping { () throws(LedgerError) in
            try home.freeze(reason, at: SystemEnvironment().now())
        }
    }

    /// Allows signing again, after the passphrase; returns false if signing was not frozen.
    ///
    /// It is refused if the policy demands that several people approve it: those are asked by the
    /// command line. The vault is locked afterwards.
    @discardableResult
    public func thaw(passphrase: borrowing SecretBytes) throws(ServiceError) -> Bool {
        defer { vault.lock() }
        try unlock(passphrase)
        let ledger = try openLedger()
        let freeze = try ServiceError.wrapping { () throws(LedgerError) in
            try ledger.recordFreezeMark()
            return try ledger.freezes().first?.entryHash ?? []
        }
        let consent = try governance(over: .thaw(freeze: freeze), in: ledger).alone
        let isThawed = try ServiceError.wrapping { () throws(LedgerError) in
            try ledger.thaw(at: SystemEnvironment().now(), consent)
        }
        try checkpointAtExit(ledger)
        return isThawed
    }

    /// Returns the reason that signing is frozen; nil if it is not.
    public func freezeReason() throws(ServiceError) -> String? {
        let ledger = try openLedger()
        return try ServiceError.wrapping { () throws(LedgerError) in try ledger.freezeReason() }
    }
}
