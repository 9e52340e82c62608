// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
public import SigningCrypto
internal import SigningFiles
internal import SigningStorage
internal import SigningVault

extension OpenHome {
    /// The reason of a freeze whose owner gives none.
    package static let defaultFreezeReason = "by the owner"

    /// Stops all signing in this home at once, for every process, until `thaw`.
    ///
    /// It needs no passphrase, because stopping has to be easy. If the record cannot be written,
    /// the freeze is noted in a file beside it and takes effect as well.
    public func freeze(because reason: String) throws(ServiceError) {
        _ = try OwnerActs.freeze.perform(reason, in: self)
    }

    /// Allows signing again, after the passphrase; returns false if signing was not frozen.
    ///
    /// It is refused if the policy demands that several people approve it: those are asked by the
    /// command line. The vault is locked afterwards.
    @discardableResult
    public func thaw(passphrase: borrowing SecretBytes) async throws(ServiceError) -> Bool {
        defer { vault.lock() }
        do {
            let ledger = try openLedger()
            let isThawed = try await OwnerActs.thaw.perform(
                (), in: self, ledger, with: passphrase
            ) { questions, _ in questions.alone }
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
