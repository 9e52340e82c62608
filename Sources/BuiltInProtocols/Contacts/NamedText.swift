// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// Writes the names of contacts beside their addresses in texts of the hub.
struct NamedText {
    private let known: [String: [Contact]]
    private let network: String?
    private let keys: Set<String>
    private let ownAddresses: Set<String>
    /// The contacts that were named so far.
    private(set) var shown: Set<Contact> = []

    /// Takes the contacts of one chain by address, the network of the request if it is known, the
    /// folded names of keys, and the addresses of keys held here.
    init(
        _ known: [String: [Contact]], on network: String?, besides keys: Set<String>,
        _ ownAddresses: [String]
    ) {
        self.known = known
        self.network = network
        self.keys = keys
        self.ownAddresses = Set(ownAddresses)
    }

    /// Returns the contact with exactly this address on the network of the request.
    ///
    /// A key may have been called like the contact since; then the name says nothing.
    func contact(of address: String) -> Contact? {
        known[address]?.first {
            $0.isShown(on: network) && !ownAddresses.contains($0.address.text)
                && !keys.contains(ContactName.folded($0.name))
        }
    }

    /// Returns the text with names before addresses that stand alone, outside quotation marks.
    ///
    /// Inside quotation marks are words of the client, which stay as they are.
    mutating func naming(_ text: String) -> String {
        if let contact = contact(of: text) {
            shown.insert(contact)
            return contact.text(beside: text)
        }
        var (result, word) = ("", "")
        var before: Character = " "
        var (isQuoted, isEscaped) = (false, false)
        for character in text {
            if Self.isPart(character) {
                word.append(character)
                isEscaped = false
                continue
            }
            result += isQuoted ? word : naming(word, between: before, and: character)
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && !isEscaped
            result.append(character)
            (word, before) = ("", character)
        }
        return result + (isQuoted ? word : naming(word, between: before, and: " "))
    }

    private mutating func naming(
        _ word: String, between before: Character, and after: Character
    ) -> String {
        let end = word.hasSuffix(".") ? "." : ""
        let address = String(word.dropLast(end.utf8.count))
        // A short id of NEAR could be any word of a sentence.
        let isDistinct = address.contains(".") || address.utf8.count >= AddressForm.distinctCount
        guard isDistinct, " (".contains(before), " ),;:".contains(after),
            let contact = contact(of: address)
        else { return word }
        shown.insert(contact)
        return contact.text(beside: address) + end
    }

    private static func isPart(_ character: Character) -> Bool {
        character.asciiValue.map(AddressForm.isPart) ?? false
    }
}

extension Contact {
    /// The name beside the address in the form that the text has.
    fileprivate func text(beside address: String) -> String { "\(name) (\(address))" }
}
