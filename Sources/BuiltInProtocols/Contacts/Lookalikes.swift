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
        let labels: [Substring]
    }

    private var exact: Set<Place> = []
    private var byEnds: [Place: Contact] = [:]
    private var byLetters: [[UInt8]: Contact] = [:]
    private var named: [Named] = []

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
        byLetters[Self.letters(of: text)] = contact
        named.append(
            Named(contact: contact, bytes: Array(text.utf8), labels: Self.labels(of: text)))
    }

    /// Returns the contact that an address could be taken for; nil if there is none, or if the
    /// address is that of a contact.
    func contact(like text: String, of protocolID: ProtocolID) -> Contact? {
        guard !exact.contains(Place(protocolID: protocolID, text: text)) else { return nil }
        for ends in Self.ends(of: text, protocolID) {
            if let like = byEnds[Place(protocolID: protocolID, text: ends)] { return like }
        }
        guard !named.isEmpty, Self.isNamed(text, protocolID) else { return nil }
        if let like = byLetters[Self.letters(of: text)] { return like }
        let (bytes, labels) = (Array(text.utf8), Self.labels(of: text))
        return named.first { known in
            (Self.isLong(known.labels) && Self.differInOneLetter(bytes, known.bytes))
                || Self.poses(labels, text, as: known)
        }?.contact
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

    /// Returns the letters of a name, one for all that look alike.
    private static func letters(of text: String) -> [UInt8] {
        var letters: [UInt8] = []
        for byte in text.utf8 {
            let letter = alike[byte] ?? byte
            if let last = letters.last, let joined = joined[[last, letter]] {
                letters[letters.count - 1] = joined
            } else {
                letters.append(letter)
            }
        }
        return letters
    }

    private static let alike: [UInt8: UInt8] = Dictionary(
        uniqueKeysWithValues: zip("01i2589q_".utf8, "ollzsbgg-".utf8).map { ($0, $1) })
    private static let joined: [[UInt8]: UInt8] = [
        Array("rn".utf8): UInt8(ascii: "m"), Array("vv".utf8): UInt8(ascii: "w"),
        Array("cl".utf8): UInt8(ascii: "d"),
    ]

    /// The parts of a name, where each of `. - _` separates.
    private static func labels(of text: String) -> [Substring] {
        text.split { [".", "-", "_"].contains($0) }
    }

    private static func isLong(_ labels: [Substring]) -> Bool {
        let own = labels.count > 1 ? labels.dropLast() : labels[...]
        return own.reduce(0) { $0 + $1.utf8.count } >= nameCountMin
    }

    /// True if a name has the parts of a contact's name and more, and is no account below it.
    ///
    /// Only the contact can create accounts below its own.
    private static func poses(
        _ labels: [Substring], _ text: String, as known: Named
    ) -> Bool {
        guard labels.count > known.labels.count, known.labels.count > 1,
            labels.last == known.labels.last,
            !text.hasSuffix(".\(known.contact.address.text)")
        else { return false }
        return labels.starts(with: known.labels.dropLast())
            || labels.suffix(known.labels.count).elementsEqual(known.labels)
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
