// SPDX-License-Identifier: Apache-2.0

internal import Algorand
internal import NEAR
internal import Nostr
internal import SigningCodecs
internal import SigningCore

/// The form that addresses of one chain have in texts.
struct AddressForm {
    private let protocolID: ProtocolID

    init(_ protocolID: ProtocolID) { self.protocolID = protocolID }

    /// Returns the words of a text that have the form, as facts write addresses.
    ///
    /// `isAccount` is true for a word in a sentence of the hub, outside quotation marks, that is no
    /// part of a URL.
    func words(in text: String, isHub: Bool) -> [(text: String, isAccount: Bool)] {
        var found: [(String, Bool)] = []
        var word: [UInt8] = []
        var before = UInt8(ascii: " ")
        var (isQuoted, isEscaped) = (false, false)
        func end(_ after: UInt8) {
            if let address = address(word) {
                let isAlone = Self.openings.contains(before) && Self.closings.contains(after)
                found.append((address, isHub && !isQuoted && isAlone))
            }
            word.removeAll(keepingCapacity: true)
        }
        for byte in text.utf8 {
            if Self.isPart(byte) {
                word.append(byte)
                isEscaped = false
                continue
            }
            if !word.isEmpty { end(byte) }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            before = byte
        }
        if !word.isEmpty { end(UInt8(ascii: " ")) }
        return found
    }

    private static let openings = Array(" (".utf8)
    private static let closings = Array(" ),;:".utf8)

    /// Returns the address that a word is; nil if it has not the form.
    private func address(_ word: [UInt8]) -> String? {
        guard word.count >= Self.countMin else { return nil }
        let bare = word.drop { !Self.isLetterOrDigit($0) }
        let end = bare.lastIndex(where: Self.isLetterOrDigit) ?? bare.startIndex
        let text = String(decoding: bare[...end], as: UTF8.self)
        switch protocolID {
        case .nostr:
            if let key = PublicKeyText.key(text) { return NostrChain.address(publicKey: key) }
            guard text.hasPrefix("nprofile1"), let profile = try? NIP19.Profile(text) else {
                return nil
            }
            return NostrChain.address(publicKey: profile.publicKey)
        case .algorand:
            return text.utf8.count == AlgorandAddress.digitCount ? text : nil
        case .near:
            // Amounts such as 0.5 are ids in the syntax of NEAR.
            guard bare.contains(where: Self.isLetter) else { return nil }
            let name = text.lowercased()
            let isDistinct = name.contains(".") || name.utf8.count >= Self.distinctCount
            return isDistinct && NEARAccountID.isValid(name) ? name : nil
        default: return nil
        }
    }

    /// The length of the shortest address that is found: a name of NEAR with a dot.
    private static let countMin = 3
    /// The length from which on a word of NEAR without a dot is an address.
    static let distinctCount = 40

    /// True for the bytes of words that can be addresses.
    static func isPart(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || ".-_".utf8.contains(byte)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
