// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
internal import SigningFiles
internal import SigningPolicy
internal import SigningStorage
internal import SigningVault

extension OpenHome {
    /// Records a change of a key's tags and makes it, after the passphrase.
    package func tag(
        _ account: Account, with tags: [String], passphrase: borrowing SecretBytes
    ) throws -> Account {
        let normal = try Vault.normalTags(tags)
        try checkRules(allowTagging: account, with: normal)
        return try changeOnRecord(account, to: account.name, tags: normal, passphrase) { vault in
            try vault.tag(account.name, with: tags)
        }
    }

    /// Records a new name of a key and sets it, after the passphrase.
    package func rename(
        _ account: Account, to name: String, passphrase: borrowing SecretBytes
    ) throws -> Account {
        try checkRules(allowRenaming: account, to: name)
        return try changeOnRecord(account, to: name, tags: account.tags, passphrase) { vault in
            try vault.rename(account.name, to: name)
        }
    }

    private func changeOnRecord(
        _ account: Account, to name: String, tags: [String], _ passphrase: borrowing SecretBytes,
        _ body: (Vault) throws -> Account
    ) throws -> Account {
        let ledger = try openLedger()
        return try change(with: passphrase) { vault in
            if name != account.name { try vault.checkMayBeCalled(name) }
            try ledger.recordChange(
                of: account, to: name, tags: tags, at: SystemEnvironment().now())
            return try body(vault)
        }
    }

    /// Refuses new tags of a key if they change what a rule in force says about it, and the policy
    /// cannot be changed without approvers.
    ///
    /// Otherwise the owner could widen the policy alone.
    private func checkRules(allowTagging account: Account, with tags: [String]) throws {
        guard tags != account.tags else { return }
        let policy = try? attestedPolicy()
        let governing = policy.map { GoverningPolicy(hash: $0.hash, $0.governance) }
        let ledger = try openLedger()
        try ledger.catchUp()
        guard !(try ledger.demands(.policy, vaultPolicy: governing)).demands.isEmpty else { return }
        guard let policy else {
            throw ServiceError(
                "the policy in force cannot be read, so the rules that look at these tags are not "
                    + "known", hint: "countersign doctor")
        }
        let rules = policy.rules(distinguishing: account.tags, from: tags)
        guard rules.isEmpty else {
            throw ServiceError(
                "with these tags other rules would apply to the key, which approvers have to agree "
                    + "to: \(rules.joined(separator: ", "))",
                hint: "name the key in policy.toml in place of its tags, and run countersign "
                    + "policy attest")
        }
    }

    /// Refuses a new name for a key if a rule in force depends on the name.
    ///
    /// This includes a rule that would judge the key differently, and a limit that counts by its
    /// name and would start anew.
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
        let counting = policy.rules(countingByKeyOf: account.protocolID)
        guard counting.isEmpty else {
            throw ServiceError(
                "with a new name the key would get a fresh budget: limits by \"key\" in "
                    + counting.joined(separator: ", "),
                hint: "keep the name, or first remove the limits from policy.toml and attest it")
        }
    }
}

extension OpenHome {
    /// Returns the ids of the rules in force whose limits count each key of a protocol by its name.
    package func rules(countingByKeyOf protocolID: ProtocolID) -> [String] {
        (try? attestedPolicy())?.rules(countingByKeyOf: protocolID) ?? []
    }
}

extension TOMLPolicy {
    fileprivate func rules(countingByKeyOf protocolID: ProtocolID) -> [String] {
        document.rules.filter { $0.countsByKey(of: protocolID) }.map(\.id)
    }
}

extension PolicyRule {
    /// Returns whether a limit of the rule counts the uses of such a key by its name.
    fileprivate func countsByKey(of protocolID: ProtocolID) -> Bool {
        limits.contains { $0.scope.contains(EngineFact.key.field) }
            && conditions.allSatisfy { condition in
                condition.field != EngineFact.protocolID.field
                    || condition.mayHold(
                        for: .text(protocolID.name), .every, own: [])
            }
    }
}
