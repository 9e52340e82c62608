// SPDX-License-Identifier: Apache-2.0

public import SigningCore
internal import SigningCrypto
internal import Synchronization

extension Vault {
    /// Carries out every operation of a permit, in order, or none.
    ///
    /// Accounts, domains and arguments of all operations are checked before any key is opened.
    public func perform(
        _ permit: consuming SigningPermit
    ) throws(KeyStoreError) -> [KeyResult] {
        let operations = permit.operations
        try check(permit.grants)
        // Every refusal that needs no key comes before any key is opened.
        let tasks = try operations.map { (operation) throws(KeyStoreError) in
            try KeyTask(operation.operation, by: held(operation.account), in: domains)
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
        // Looked up anew, as nothing vouched for the list while the vault was locked.
        return .known(.publicKey(try held(account).publicKey))
    }

    /// The names of all keys whose records are not what was sealed; needs an unlocked vault.
    public func damagedKeys() throws(VaultError) -> [String] {
        let vaultKey = try openVaultKey()
        var names: [String] = []
        for account in try accountList().accounts where !account.isWatchOnly {
            do throws(VaultError) {
                _ = try open(account, with: vaultKey)
            } catch {
                guard case .corruptedRecord = error else { throw error }
                names.append(account.name)
            }
        }
        return names
    }

    /// The account on record, which must be the one that was judged.
    private func held(_ account: Account) throws(KeyStoreError) -> Account {
        let list: AccountList
        do throws(VaultError) {
            list = try accountList()
        } catch {
            throw KeyStoreError(error)
        }
        guard let held = list.byID[account.id] else { throw .unknownKey(account.id) }
        guard held == account else { throw .damaged(name: account.name) }
        return held
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

extension Vault.State {
    /// Keeps an open key, unless the vault was locked meanwhile.
    fileprivate mutating func keep(_ slot: KeySlot, openedWith key: VaultKey) {
        guard vaultKey === key else { return }
        if slots.count >= Vault.openKeyCountMax { slots = [:] }
        slots[slot.account.id] = slot
    }
}
