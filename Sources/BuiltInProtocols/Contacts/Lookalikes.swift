// SPDX-License-Identifier: Apache-2.0

internal import NEAR
internal import Nostr
internal import SigningCore

/// Finds contacts whose addresses a person could take for another address.
struct Lookalikes: Sendable {
    /// The number of characters at each end that people compare.
    static let endCount = 4
    /// The length from which on names of NEAR that differ in one letter look alike, without the
    /// last part of the name.
    static let nameCountMin = 4

    private struct Place: Hashable { let protocolID: ProtocolID, text: String }

    /// A named account of NEAR in the forms that are compared.
    private struct Named {
        let contact: Contact
        let bytes: [UInt8]
        let name: NameLabels
    }

    private var exact: Set<Place> = []
    private var byEnds: [Place: Contact] = [:]
    private var byLetters: [[UInt8]: Contact] = [:]
    private var byCount: [Int: [Named]] = [:]
    private var byLabel: [[UInt8]: [Named]] = [:]

    init(_ contacts: [Contact]) {
        for contact in contacts { insert(contact) }
    }

    mutating func insert(_ contact: Contact) {
        let (protocolID, text) = (contact.address.protocolID, contact.address.text)
        exact.insert(Place(protocolID: protocolID, text: text))
        for ends in Self.ends(of: text, protocolID) {
            byEnds[Place(protocolID: protocolID, text: ends)] = contact
        }
        guard Self.isNamed(text, protocolID) else { return }
        byLetters[NameLabels.folded(text)] = contact
        let named = Named(contact: contact, bytes: Array(text.utf8), name: NameLabels(text))
        byCount[named.bytes.count, default: []].append(named)
        if let first = named.name.labels.first { byLabel[first, default: []].append(named) }
    }

    /// Returns the contact that an address could be taken for; nil if there is none, or if the
    /// address is that of a contact.
    ///
    /// With `isWord`, the text may be something else, such as the name of a site: then another
    /// top-level name is no likeness.
    func contact(
        like text: String, of protocolID: ProtocolID, isWord: Bool = false
    ) -> Contact? {
        guard !exact.contains(Place(protocolID: protocolID, text: text)) else { return nil }
        for ends in Self.ends(of: text, protocolID) {
            if let like = byEnds[Place(protocolID: protocolID, text: ends)] { return like }
        }
        guard !byCount.isEmpty, Self.isNamed(text, protocolID) else { return nil }
        if let like = byLetters[NameLabels.folded(text)] { return like }
        let bytes = Array(text.utf8)
        for count in (bytes.count - 1)...(bytes.count + 1) {
            let like = byCount[count]?.first {
                $0.name.count >= Self.nameCountMin && Self.differInOneLetter(bytes, $0.bytes)
            }
            if let like { return like.contact }
        }
        let name = NameLabels(text)
        for label in name.labels {
            let like = byLabel[label]?.first { Self.poses(name, text, isWord: isWord, as: $0) }
            if let like { return like.contact }
        }
        return nil
    }

    private static func isNamed(_ text: String, _ protocolID: ProtocolID) -> Bool {
        protocolID == .near && NEARAccountKind(text) == .named && NEARAccountID.isValid(text)
    }

    /// Returns the first and last characters of an address that is a key, in each of its forms.
    private static func ends(of text: String, _ protocolID: ProtocolID) -> [String] {
        func ends(_ kind: String, _ text: some StringProtocol) -> String {
            "\(kind) \(text.prefix(endCount)) \(text.suffix(endCount))"
        }
        guard text.utf8.count >= 2 * endCount else { return [] }
        switch protocolID {
        case .nostr:
            guard let key = PublicKeyText.key(text) else { return [] }
            return [ends("hex", text), ends("npub", PublicKeyText.npub(key).dropFirst(5))]
        case .near:
            switch NEARAccountKind(text) {
            case .named: return []
            case .implicit: return [ends("key", text)]
            case .ethImplicit, .deterministic, .universal:
                return [ends(String(text.prefix(2)), text.dropFirst(2))]
            }
        default: return [ends("key", text)]
        }
    }

    /// True if a name has the parts of a contact's name, and is no account below it.
    ///
    /// Only the contact can create accounts below its own. The same name on the test network is
    /// another account that people know.
    private static func poses(
        _ name: NameLabels, _ text: String, isWord: Bool, as known: Named
    ) -> Bool {
        guard !text.hasSuffix(".\(known.contact.address.text)") else { return false }
        if name.top == known.name.top { return name.contains(known.name, inDots: false) }
        let isOfTest = [name.top, known.name.top].contains("testnet")
        return !isWord && !isOfTest
            && (name.contains(known.name, inDots: true) || name.containsWhole(known.name))
    }

    /// True if one letter is added, missing or another, or if two neighbours changed places.
    private static func differInOneLetter(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let (short, long) = one.count < other.count ? (one, other) : (other, one)
        guard long.count - short.count <= 1 else { return false }
        var start = 0
        while start < short.count, short[start] == long[start] { start += 1 }
        var (shortEnd, longEnd) = (short.count, long.count)
        while shortEnd > start, short[shortEnd - 1] == long[longEnd - 1] {
            shortEnd -= 1
            longEnd -= 1
        }
        switch longEnd - start {
        case 0, 1: return true
        case 2:
            return shortEnd - start == 2 && short[start] == long[start + 1]
                && short[start + 1] == long[start]
        default: return false
        }
    }
}
