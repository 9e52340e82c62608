// SPDX-License-Identifier: Apache-2.0

internal import NEAR
internal import SigningCodecs
internal import SigningCore
internal import SigningDigests
package import SigningService

/// The owner's name for an account of another person.
package struct Contact: Hashable, Sendable {
    /// The name, which no other contact has in a form that reads alike.
    package let name: String
    /// The address.
    package let address: ContactAddress
    /// The only network on which the name is shown; nil for every network of the chain.
    package let network: String?
    /// A text for the owner; may be empty.
    package let note: String

    /// The maximum number of characters (Unicode scalars) of a note.
    package static let noteCountMax = 200

    /// Checks the parts of a contact; without a network, takes the one of the address.
    package init(
        name: String, address: ContactAddress, network: String? = nil, note: String = ""
    ) throws(ServiceError) {
        if let problem = ContactName.problem(name) { throw problem }
        guard note.unicodeScalars.count <= Self.noteCountMax else {
            throw ServiceError(
                "the note has \(note.unicodeScalars.count) characters",
                hint: "give a note of at most \(Self.noteCountMax) characters")
        }
        let isLine = !note.unicodeScalars.contains { ["\n", "\r", "\t"].contains($0) }
        guard isLine, !VisibleText.hasHidden(note) else {
            throw ServiceError(
                "the note has hidden characters", hint: "use text that can be seen, in one line")
        }
        try Self.check(network, of: address)
        self.init(name, address, network ?? address.network, note)
    }

    private init(
        _ name: String, _ address: ContactAddress, _ network: String?, _ note: String
    ) {
        self.name = name
        self.address = address
        self.network = network
        self.note = note
    }

    private static func check(
        _ network: String?, of address: ContactAddress
    ) throws(ServiceError) {
        guard let network else { return }
        let known = ContactAddress.networks(of: address.protocolID)
        guard known.contains(network) else {
            throw ServiceError(
                "\(address.protocolID) has no network \"\(VisibleText.quotable(network))\"",
                hint: known.isEmpty
                    ? "leave the network out" : "one of: \(known.joined(separator: ", "))")
        }
        // Only the chain tells the network of an id without an ending.
        let endings = [("mainnet", ".near"), ("testnet", ".testnet")]
        if let (own, _) = endings.first(where: { address.text.hasSuffix($0.1) }),
            address.protocolID == .near, own != network
        {
            throw ServiceError(
                "the address is one of \(own), not of \(network)", hint: "leave the network out")
        }
    }

    /// True if the name is shown in a request on this network; nil if that is not known.
    func isShown(on network: String?) -> Bool { self.network == nil || self.network == network }

    /// The name beside the address.
    package var text: String { "\(name) (\(address.shown))" }
}

// The stored form: one setting of the vault for each contact, with its parts between tabs.

extension Contact {
    static let settingPrefix = "contact."

    /// The name of the vault's setting, made from the address and the network.
    var setting: String {
        let place = "\(address.protocolID)\t\(address.text)\t\(network ?? "")"
        let digest = Digest.sha256(place.utf8.span)
        return Self.settingPrefix + Hex.encode(digest.span).prefix(32)
    }

    var settingText: String {
        [address.protocolID.name, address.text, network ?? "", name, note].joined(separator: "\t")
    }

    /// Reads the contact of a setting; nil if this version cannot read it.
    init?(setting: String, text: String) {
        let parts = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, let address = try? ContactAddress("\(parts[0]):\(parts[1])"),
            address.text == parts[1]
        else { return nil }
        self.init(parts[3], address, parts[2].isEmpty ? nil : parts[2], parts[4])
        guard self.setting == setting else { return nil }
    }
}
