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
    package static let keyTag = PassphraseAct<KeyTagging, Account>(
        ActDescription(
            name: "key tag", summary: "set the tags of a key, which rules can name", subject: .key,
            arguments: [.init("tag", .operand)])
    ) { change, place, passphrase in
        try place.home.tag(change.account, with: change.tags, passphrase: passphrase)
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
