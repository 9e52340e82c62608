// SPDX-License-Identifier: Apache-2.0

public import SigningCore
internal import SigningStorage
internal import SigningVault

/// The parts of a signer that a program supplies itself; each part that is nil is the home's.
public struct OwnParts: Sendable {
    /// The keys, such as those of a hardware module.
    ///
    /// The vault of the home still guards the policy and the record: it has to be unlocked, and the
    /// keys are used only under the policy that is sealed in it.
    public var keyStore: (any KeyStore)?
    /// The policy, put in force by `OpenHome.attest(_:describedBy:passphrase:)`.
    public var policy: (any Policy)?
    /// The record, in place of the durable one of the home.
    ///
    /// A freeze of the home counts as well. Questions to several people are unavailable, because
    /// their answers are in the home's record.
    public var ledger: (any Ledger)?

    /// Creates the parts.
    public init(
        keyStore: (any KeyStore)? = nil, policy: (any Policy)? = nil, ledger: (any Ledger)? = nil
    ) {
        self.keyStore = keyStore
        self.policy = policy
        self.ledger = ledger
    }
}

/// The keys of a signer with own parts; the home stays in charge of policy and freeze.
struct GuardedKeys: KeyStore {
    let vaultKeys: UnlockOnUse
    let own: (any KeyStore)?
    let vault: Vault
    let ledger: SQLiteLedger

    private var store: any KeyStore { own ?? vaultKeys }

    func accounts() throws(KeyStoreError) -> [Account] { try store.accounts() }

    func passkeys() throws(KeyStoreError) -> [Passkey] { try store.passkeys() }

    func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] { try store.seal(grants) }

    /// Unlocks the vault, which checks policy and record, and then the own store.
    func unlock(for use: KeyUse) async throws(KeyStoreError) -> Bool {
        let hasWaited = try await vaultKeys.unlock(for: use)
        guard let own else { return hasWaited }
        let hasWaitedAgain = try await own.unlock(for: use)
        return hasWaited || hasWaitedAgain
    }

    /// Carries out a permit unless the home is frozen.
    func perform(_ permit: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult] {
        let reason: String?
        do throws(LedgerError) { reason = try ledger.freezeReason() } catch {
            throw .unavailable("the record of the home cannot be read")
        }
        guard reason == nil else { throw .unavailable("all signing in this home is frozen") }
        guard let own else { return try vaultKeys.perform(permit) }
        guard permit.operations.isEmpty || vaultKeys.isChecked else { throw .locked }
        let sealed = try? vault.terms().policy?.hash
        guard sealed == permit.policyHash else { throw .foreignPolicy }
        return try own.perform(permit)
    }
}
