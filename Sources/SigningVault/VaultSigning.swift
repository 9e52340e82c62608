// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import Synchronization

extension Vault {
    /// Performs all operations of a permit, in order; returns a result for each.
    ///
    /// Accounts, domains and arguments of all operations are checked before any key is used.
    package func perform(
        _ permit: consuming SigningPermit
    ) throws(KeyStoreError) -> [KeyResult] {
        try perform(permit, in: nil)
    }

    /// Performs all operations of a permit, in order; returns a result for each.
    ///
    /// With `unlocking`, throws if the vault has been locked since that number was read.
    package func perform(
        _ permit: consuming SigningPermit, in unlocking: Int?
    ) throws(KeyStoreError) -> [KeyResult] {
        let operations = permit.operations
        try check(permit.grants)
        let holdings = try holdings(for: permit)
        // Every check that needs no key comes before any key is opened.
        let plans = try operations.map { (operation) throws(KeyStoreError) in
            try holdings.plan(operation)
        }
        let uses = try plans.map { (plan) throws(KeyStoreError) in try use(plan) }
        guard unlocking == nil || unlocking == self.unlocking else { throw .locked }
        // New passkeys are stored after all other operations, so that a failure of these leaves no
        // passkey behind.
        let results = try uses.map { (use) throws(KeyStoreError) -> KeyResult? in
            switch use {
            case .known(let result): result
            case .key(let slot, let task): try slot.perform(task)
            case .making: nil
            }
        }
        var whole: [KeyResult] = []
        for (use, result) in zip(uses, results) {
            if let result {
                whole.append(result)
            } else if case .making(let account, let host, let replacing) = use {
                let new = try NewPasskey(of: account, for: host, replacing: replacing)
                try keep(new)
                whole.append(.passkey(new.publicKey))
            }
        }
        return whole
    }

    /// The way in which an operation is performed, with the open key that it needs.
    private enum Use {
        /// The result is known without a key.
        case known(KeyResult)
        /// The key performs the task.
        case key(KeySlot, KeyTask)
        /// Creates a passkey.
        case making(Account, host: String, replacing: [UInt8]?)
    }

    private func use(_ plan: Plan) throws(KeyStoreError) -> Use {
        switch plan {
        case .passkey(let passkey, let task):
            do throws(VaultError) {
                return .key(try passkey.open(with: try openVaultKey()), task)
            } catch {
                throw KeyStoreError(error)
            }
        case .newPasskey(let account, let host, let replacing):
            guard isUnlocked else { throw .locked }
            return .making(account, host: host, replacing: replacing)
        case .task(let task, let account):
            guard account.isWatchOnly else { return .key(try slot(for: account), task) }
            guard case .publicKey = task else { throw .unsupportedOperation }
            guard isUnlocked else { throw .locked }
            return .known(.publicKey(account.publicKey))
        }
    }

    /// The names of all keys whose secret or words cannot be decrypted; needs an unlocked vault.
    package func damagedKeys() throws(VaultError) -> [String] {
        let vaultKey = try openVaultKey()
        var names: [String] = []
        for account in try content().0.accounts.accounts where !account.isWatchOnly {
            do throws(VaultError) {
                _ = try open(account, with: vaultKey)
                _ = try phrase(of: account, with: vaultKey)
            } catch .corruptedRecord {
                names.append(account.name)
            } catch .unknownAlgorithm {
                // The secret was decrypted; only a program with the algorithm can check more.
                continue
            }
        }
        return names
    }

    /// Checks a permit's policy and grants, and returns the accounts, passkeys and domains for it.
    ///
    /// Authenticates the whole content of the vault now, even if it was authenticated when the
    /// request was judged.
    private func holdings(
        for permit: borrowing SigningPermit
    ) throws(KeyStoreError) -> Holdings {
        let content: VaultContent
        do throws(VaultError) {
            // A permit without operations uses no key, so the vault may be locked.
            guard !permit.operations.isEmpty else {
                return Holdings(
                    accounts: try accountList(), passkeys: [], domains: DomainRegistry([]))
            }
            content = try sealedContent()
        } catch {
            throw KeyStoreError(error)
        }
        // If no policy was ever attested in this vault, permits of any policy are accepted.
        guard content.policy == nil || content.policy?.hash == permit.policyHash else {
            throw .foreignPolicy
        }
        for sealed in permit.grants where content.revoked.cover(sealed.grant) {
            throw .forgedGrant(sealed.grant.idText)
        }
        return Holdings(
            accounts: content.accounts, passkeys: content.passkeys,
            domains: registry(under: content.settings))
    }

    private func registry(under settings: [String: String]) -> DomainRegistry {
        if let known = state.withLock({ $0.registry }), known.settings == settings {
            return known.registry
        }
        let registry = domains(settings)
        state.withLock { $0.registry = (settings, registry) }
        return registry
    }

    /// The open key of an account, from the cache or decrypted now.
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
        let algorithm = try algorithm(account.algorithm, of: account.name)
        do throws(CryptoError) {
            let key = try algorithm.open(secret)
            guard key.publicKey == account.publicKey else { throw .invalidSecretKey }
            return KeySlot(account, key)
        } catch {
            throw .corruptedRecord(account.name)
        }
    }
}

/// An operation that has passed every check that needs no key.
private enum Plan {
    case task(KeyTask, Account)
    /// The key of a passkey performs the task.
    case passkey(SealedPasskey, KeyTask)
    case newPasskey(Account, host: String, replacing: [UInt8]?)
}

/// The stored data that an operation is checked against.
private struct Holdings {
    let accounts: AccountList
    let passkeys: [SealedPasskey]
    let domains: DomainRegistry

    func plan(_ operation: RequestedOperation) throws(KeyStoreError) -> Plan {
        let account = try accounts.account(like: operation.account)
        switch operation.operation {
        case .makePasskey(let host, let replacing):
            guard !account.isWatchOnly else { throw .unsupportedOperation }
            guard passkeys.count < Vault.passkeysMax else {
                throw .unavailable("there are \(Vault.passkeysMax) passkeys already")
            }
            return .newPasskey(account, host: host, replacing: replacing)
        case .signByPasskey(let credential, let input):
            let own = passkeys.first { record in
                record.passkey.credential == credential
                    && record.passkey.address == account.address
                    && record.passkey.protocolID == account.protocolID
            }
            guard let own, !account.isWatchOnly else { throw .unsupportedOperation }
            return .passkey(own, try KeyTask(.sign(input), by: own.account, in: domains))
        default:
            return .task(
                try KeyTask(operation.operation, by: account, in: domains), account)
        }
    }
}

extension AccountList {
    /// The stored account; throws unless it equals the account in the judged request.
    fileprivate func account(like judged: Account) throws(KeyStoreError) -> Account {
        guard let held = byID[judged.id] else { throw .unknownKey(judged.id) }
        guard held == judged else { throw .damaged(name: judged.name) }
        return held
    }
}

extension Vault.State {
    /// Caches an open key, unless the vault has been locked since it was opened.
    fileprivate mutating func keep(_ slot: KeySlot, openedWith key: VaultKey) {
        guard vaultKey === key else { return }
        if slots.count >= Vault.openKeyCountMax { slots = [:] }
        slots[slot.account.id] = slot
    }
}
