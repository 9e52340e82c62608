// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningStorage
internal import SigningVault

/// A new name for a key.
package struct KeyRenaming: Sendable {
    let account: Account
    let name: String

    /// Gives a key another name.
    package init(_ account: Account, to name: String) {
        self.account = account
        self.name = name
    }
}

/// New tags for a key.
package struct KeyTagging: Sendable {
    let account: Account
    let tags: [String]

    /// Replaces the tags of a key.
    package init(_ account: Account, with tags: [String]) {
        self.account = account
        self.tags = tags
    }
}

extension OwnerActs {
    /// Gives a key another name, on record; returns it with the new name.
    package static let keyRename = PassphraseAct<KeyRenaming, Account>(
        ActDescription(
            name: "key rename", summary: "rename a key", subject: .key,
            arguments: [.init("new", .operand)])
    ) { change, place, passphrase in
        try place.home.rename(change.account, to: change.name, passphrase: passphrase)
    }

    /// Replaces the tags of a key, on record; returns it with the new tags.
    ///
    /// If approvers govern the policy and other rules apply with these tags, they have to agree.
    package static let keyTag = JointAct<KeyTagging, Account>(
        ActDescription(
            name: "key tag", summary: "set the tags of a key, which rules can name", subject: .key,
            arguments: [.init("tag", .operand)])
    ) { change, place, asking in
        let (home, ledger, account) = (place.home, try place.ledger(), change.account)
        let tags = try Vault.normalTags(change.tags)
        let rules = try home.rulesGoverned(account, with: tags, in: ledger)
        guard !rules.isEmpty else { return try home.tag(account, with: tags, nil, in: ledger) }
        let act = GovernedAct.tags(account.id, from: account.tags, to: tags)
        let (questions, consent) = try await home.consent(to: act, in: ledger, asking) { _ in
            account.text(taggingWith: tags, under: rules)
        }
        do {
            return try home.tag(account, with: tags, consent, in: ledger)
        } catch {
            await questions.withdraw(consent)
            throw error
        }
    }

    /// Deletes a key permanently.
    package static let keyRemove = PassphraseAct<Account, Void>(
        ActDescription(name: "key remove", summary: "delete a key permanently", subject: .key)
    ) { account, place, passphrase in
        try place.home.change(with: passphrase) { vault in
            try vault.remove(account.name)
        }
    }
}

extension Account {
    /// The text that describes new tags to approvers, with the rules that treat the key otherwise.
    fileprivate func text(taggingWith new: [String], under rules: [String]) -> String {
        func list(_ tags: [String]) -> String {
            tags.isEmpty ? "none" : tags.joined(separator: ", ")
        }
        return [
            "apply other rules to a key, by its tags",
            "  key       \(name)", "  protocol  \(protocolID)", "  account   \(address)",
            "  tags      \(list(tags))", "  new tags  \(list(new))",
            "  rules     \(list(rules)): each applies now and not then, or then and not now",
        ].joined(separator: "\n")
    }
}
