// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import Synchronization

extension Vault {
    /// Carries out every operation of a permit, in order, or none.
    ///
    /// Accounts, domains and arguments of all operations are checked before any key is opened.
    package func perform(
        _ permit: consuming SigningPermit
    ) throws(KeyStoreError) -> [KeyResult] {
        let operations = permit.operations
        try check(permit.grants)
        let (held, domains) = try holdings(for: permit)
        // Every refusal that needs no key comes before any key is opened.
        let tasks = try operations.map { (operation) throws(KeyStoreError) in
            try KeyTask(
                operation.operation, by: held.account(like: operation.account), in: domains)
        }
        let uses = try zip(operations, tasks).map { (operation, task) throws(KeyStoreError) in
            try use(task, by: operation.account)
        }
        return try uses.map { (use) throws(KeyStoreError) in
            switch use {
            case .known(let result): result
            case .key(let slot, let task): try slot.perform(task)
            }
        }
    }

    /// What a task comes to once everything it needs is open.
    private enum Use {
        /// It needs no key.
        case known(KeyResult)
        /// It is the key's to carry out.
        case key(KeySlot, KeyTask)
    }

    private func use(_ task: KeyTask, by account: Account) throws(KeyStoreError) -> Use {
        guard account.isWatchOnly else { return .key(try slot(for: account), task) }
        guard case .publicKey = task else { throw .unsupportedOperation }
        guard isUnlocked else { throw .locked }
        return .known(.publicKey(account.publicKey))
    }

    /// The names of all keys whose records, or the words they were made from, are not what was
    /// sealed; needs an unlocked vault.
    package func damagedKeys() throws(VaultError) -> [String] {
        let vaultKey = try openVaultKey()
        var names: [String] = []
        for account in try content().0.accounts.accounts where !account.isWatchOnly {
            do throws(VaultError) {
                _ = try open(account, with: vaultKey)
                _ = try phrase(of: account, with: vaultKey)
            } catch {
                guard case .corruptedRecord = error else { throw error }
                names.append(account.name)
            }
        }
        return names
    }

    /// The accounts on record for a permit whose policy and grants hold, and what they may sign.
    ///
    /// All of it is held against its seal at this moment, so that nothing counts that stood in
    /// the file only while the request was judged.
    private func holdings(
        for permit: borrowing SigningPermit
    ) throws(KeyStoreError) -> (AccountList, DomainRegistry) {
        let content: VaultContent
        do throws(VaultError) {
            // What uses no key needs no passphrase.
            guard !permit.operations.isEmpty else {
                return (try accountList(), DomainRegistry([]))
            }
            content = try sealedContent()
        } catch {
            throw KeyStoreError(error)
        }
        // A vault that never held a policy, as its seal says, leaves that to its user.
        guard content.policy == nil || content.policy?.hash == permit.policyHash else {
            throw .foreignPolicy
        }
        for sealed in permit.grants where content.revoked.cover(sealed.grant) {
            throw .forgedGrant(sealed.grant.idText)
        }
        return (content.accounts, registry(under: content.settings))
    }

    private func registry(under settings: [String: String]) -> DomainRegistry {
        if let known = state.withLock({ $0.registry }), known.settings == settings {
            return known.registry
        }
        let registry = domains(settings)
        state.withLock { $0.registry = (settings, registry) }
        return registry
    }

    /// The open key of an account; the lock is not held while it is opened.
    private func slot(for account: Account) throws(KeyStoreError) -> KeySlot {
        do throws(VaultError) {
            let vaultKey = try openVaultKey()
            if let slot = state.withLock({ $0.slots[account.id] }), slot.account == account {
                return slot
            }
            let slot = try open(account, with: vaultKey)
            state.withLock { $0.keep(slot, openedWith: vaultKey) }
            return slot
        } catch {
            throw KeyStoreError(error)
        }
    }

    private func open(
        _ account: Account, with vaultKey: VaultKey
    ) throws(VaultError) -> KeySlot {
        let sealed = try sealedSecret(of: account)
        let secret = try vaultKey.open(sealed, label: RecordLabel(account))
        do throws(CryptoError) {
            let key = try UnsealedKey(account.algorithm, secret: secret)
            guard key.publicKey == account.publicKey else { throw .invalidSecretKey }
            return KeySlot(account, key)
        } catch {
            throw .corruptedRecord(account.name)
        }
    }
}

extension AccountList {
    /// The account on record, which must be the one that was judged.
    fileprivate func account(like judged: Account) throws(KeyStoreError) -> Account {
        guard let held = byID[judged.id] else { throw .unknownKey(judged.id) }
        guard held == judged else { throw .damaged(name: judged.name) }
        return held
    }
}

extension Vault.State {
    /// Keeps an open key, unless the vault was locked meanwhile.
    fileprivate mutating func keep(_ slot: KeySlot, openedWith key: VaultKey) {
        guard vaultKey === key else { return }
        if slots.count >= Vault.openKeyCountMax { slots = [:] }
        slots[slot.account.id] = slot
    }
}
