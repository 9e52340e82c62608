// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
internal import SigningFiles
internal import SigningPolicy
internal import SigningStorage
internal import SigningVault

extension OpenHome {
    /// Records new tags of a key and sets them; needs an unlocked vault.
    ///
    /// `consent` is nil if the rules in force treat the key alike.
    func tag(
        _ account: Account, with tags: [String], _ consent: ActConsent?, in ledger: SQLiteLedger
    ) throws -> Account {
        let checkpointer = checkpointer(of: ledger)
        try checkpointer.checkBeforeChange()
        if let damaged = try vault.damagedParts().first {
            throw VaultError.corruptedRecord(damaged)
        }
        guard try vault.accounts().contains(account) else {
            throw ServiceError("the key changed meanwhile", hint: "run the command again")
        }
        try ledger.recordChange(
            of: account, to: account.name, tags: tags, at: SystemEnvironment().now(), consent)
        let tagged = try vault.tag(account.name, with: tags)
        try checkpointer.noteVault()
        return tagged
    }

    /// Records a new name of a key and sets it, after the passphrase.
    package func rename(
        _ account: Account, to name: String, passphrase: borrowing SecretBytes
    ) throws -> Account {
        try checkRules(allowRenaming: account, to: name)
        let ledger = try openLedger()
        return try change(with: passphrase) { vault in
            try vault.checkMayBeCalled(name)
            try ledger.recordChange(
                of: account, to: name, tags: account.tags, at: SystemEnvironment().now())
            return try vault.rename(account.name, to: name)
        }
    }

    /// The rules in force that treat a key otherwise with new tags, if the policy cannot be changed
    /// without approvers; otherwise the owner could widen the policy alone.
    func rulesGoverned(
        _ account: Account, with tags: [String], in ledger: SQLiteLedger
    ) throws -> [String] {
        guard tags != account.tags else { return [] }
        let policy = try? attestedPolicy()
        let governing = policy.map { GoverningPolicy(hash: $0.hash, $0.governance) }
        try ledger.catchUp()
        guard !(try ledger.demands(.policy, vaultPolicy: governing)).demands.isEmpty else {
            return []
        }
        guard let policy else {
            throw ServiceError(
                "the policy in force cannot be read, so the rules that look at these tags are not "
                    + "known", hint: "countersign doctor")
        }
        return policy.rules(distinguishing: account.tags, from: tags)
    }

    /// Refuses a new name for a key if a rule in force would judge the key differently, or if a
    /// limit would lose the uses that an earlier version counted by its name.
    package func checkRules(
        allowRenaming account: Account, to new: String
    ) throws(ServiceError) {
        // Without a readable policy requests are neither judged nor signed.
        guard let policy = try? attestedPolicy() else { return }
        let rules = policy.rules(distinguishing: account.name, from: new)
        guard rules.isEmpty else {
            throw ServiceError(
                "rules in force treat the two names differently: \(rules.joined(separator: ", "))",
                hint: "name both in policy.toml, run countersign policy attest, then rename the "
                    + "key")
        }
        let counting: [String]
        do { counting = try limits(of: policy, usedByName: account) } catch {
            throw ServiceError(error)
        }
        guard counting.isEmpty else {
            throw ServiceError(
                "an earlier version counted uses of these limits by the name of the key: "
                    + counting.joined(separator: ", "),
                hint: "wait until they no longer count (countersign policy limits), or first "
                    + "remove the limits from policy.toml and attest it")
        }
    }

    /// The rules and budgets with a limit that still counts uses by the key's name.
    private func limits(of policy: TOMLPolicy, usedByName account: Account) throws -> [String] {
        let limits = policy.limits.filter(\.limit.countsKeys)
        guard !limits.isEmpty else { return [] }
        let ledger = try openLedger()
        let now = SystemEnvironment().now()
        let name = CompiledLimit.escaped(account.name)
        var owners: [String] = []
        for (owner, limit) in limits where !owners.contains(owner) {
            let isFirst = limit.limit.scope.first?.name == EngineFact.key.rawValue
            let counters = try ledger.counters(
                beginningWith: limit.base + (isFirst ? "[key=\(name)" : "["))
            // A longer list is cut, so the name may be in the rest.
            var isUsed = counters.count >= SQLiteLedger.countersMax
            for counter in counters where !isUsed && CompiledLimit.key(of: counter) == name {
                let claim = limit.claim(counter, as: counter, at: now)
                isUsed = try ledger.usedByName(claim, at: now) > 0
            }
            if isUsed { owners.append(owner) }
        }
        return owners
    }
}
