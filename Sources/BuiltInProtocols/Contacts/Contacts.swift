// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningService
package import SigningVault

/// All contacts of a home, which are settings of its vault.
package struct Contacts: Sendable {
    /// The contacts, sorted by name, and then those that were added.
    package private(set) var list: [Contact] = []
    /// The names in the form in which names that read alike are equal.
    private var byFoldedName: [String: Contact] = [:]

    /// The maximum number of contacts.
    package static let countMax = 500

    /// Reads the contacts among the settings of a vault.
    init(_ settings: [String: String]) throws(ServiceError) {
        for (name, text) in settings where name.hasPrefix(Contact.settingPrefix) {
            guard let contact = Contact(setting: name, text: text) else {
                throw ServiceError(
                    "a contact of the home cannot be read",
                    hint: "see \"countersign doctor\"; if the vault is intact, use the version of "
                        + "countersign that added it")
            }
            keep(contact)
        }
        list.sort { $0.name < $1.name }
    }

    /// Returns the contacts among settings that were removed, sorted by name; leaves out those that
    /// cannot be read.
    package static func found(in settings: [String: String]) -> [Contact] {
        settings.filter { $0.key.hasPrefix(Contact.settingPrefix) }
            .compactMap { Contact(setting: $0.key, text: $0.value) }
            .sorted { $0.name < $1.name }
    }

    /// Reads the contacts of a vault.
    package init(in vault: Vault) throws { try self.init(try vault.terms().settings) }

    private mutating func keep(_ contact: Contact) {
        list.append(contact)
        byFoldedName[ContactName.folded(contact.name)] = contact
    }

    /// Adds a contact; refuses one that could be taken for another, or for a key of this home.
    package mutating func add(
        _ contact: Contact, beside accounts: [Account]
    ) throws(ServiceError) {
        guard list.count < Self.countMax else {
            throw ServiceError(
                "there are \(Self.countMax) contacts already",
                hint: "remove one: countersign contact remove NAME")
        }
        let folded = ContactName.folded(contact.name)
        if let known = byFoldedName[folded] {
            let isSame = known.name == contact.name
            throw ServiceError(
                isSame
                    ? "there is a contact \"\(known.name)\" already"
                    : "\"\(contact.name)\" reads like the contact \"\(known.name)\"",
                hint: "take another name, or countersign contact remove \"\(known.name)\"")
        }
        if let key = accounts.first(where: { ContactName.folded($0.name) == folded }) {
            throw ServiceError(
                "\"\(contact.name)\" reads like your key \"\(key.name)\"",
                hint: "take another name")
        }
        let address = contact.address
        if let key = accounts.first(where: {
            $0.protocolID == address.protocolID && $0.address == address.text
        }) {
            throw ServiceError(
                "the address is that of your key \"\(key.name)\"",
                hint: "questions name your keys without a contact")
        }
        if let known = list.first(where: { known in
            known.address == address
                && (known.network == nil || contact.network == nil
                    || known.network == contact.network)
        }) {
            throw ServiceError(
                "the contact \"\(known.name)\" has this address already",
                hint: "countersign contact remove \"\(known.name)\"")
        }
        keep(contact)
    }

    /// Returns the new contacts whose addresses look like that of another contact, with that one.
    package func likenesses(of new: [Contact]) -> [(new: Contact, known: Contact)] {
        let isNew = Set(new)
        var others = Lookalikes(list.filter { !isNew.contains($0) })
        return new.compactMap { contact in
            defer { others.insert(contact) }
            let (text, chain) = (contact.address.text, contact.address.protocolID)
            return others.contact(like: text, of: chain).map { (contact, $0) }
        }
    }
}

extension Vault {
    /// Stores all contacts in one transaction; needs an unlocked vault.
    package func add(_ contacts: [Contact]) throws {
        try setSettings(
            Dictionary(contacts.map { ($0.setting, .some($0.settingText)) }) { first, _ in first })
    }

    /// Removes a contact; needs an unlocked vault.
    package func remove(_ contact: Contact) throws { try setSetting(contact.setting, to: nil) }
}
