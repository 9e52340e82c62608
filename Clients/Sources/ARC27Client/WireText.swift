// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

/// Texts of the wire that a client compares or echoes unchanged.
enum WireText {
    static let hashCount = 32
    private static let transactionIDDigits = 52
    private static let genesisIDBytesMax = 64
    static let methodBytesMax = 64
    private static let prefix = "arc0027:"
    private static let suffix = ":response"

    static func isID(_ text: String) -> Bool { isVisible(text, ARC27Client.idBytesMax) }

    static func isSessionID(_ text: String) -> Bool {
        isVisible(text, ARC27Client.sessionIDBytesMax)
    }

    static func isGenesisID(_ text: String) -> Bool { isVisible(text, genesisIDBytesMax) }

    static func isMethod(_ text: String) -> Bool { isVisible(text, methodBytesMax) }

    static func isAddress(_ text: String) -> Bool { key(ofAddress: text) != nil }

    /// Returns the key in an address; the checksum needs a hash and is not checked.
    static func key(ofAddress text: String) -> [UInt8]? {
        guard text.utf8.count == AlgorandAddress.digitCount,
            let bytes = try? Base32.decode(text)
        else { return nil }
        return [UInt8](bytes.prefix(AlgorandAddress.keyCount))
    }

    static func isTransactionID(_ text: String) -> Bool {
        text.utf8.count == transactionIDDigits && (try? Base32.decode(text)) != nil
    }

    /// Returns the bytes of a hash in Base64 or base64url.
    static func hash(_ text: String) -> [UInt8]? {
        let bytes = try? Base64.decode(
            text, alphabet: .either, padding: .optional, countMax: hashCount)
        return bytes?.count == hashCount ? bytes : nil
    }

    static func requestReference(of method: ARC27Client.Method) -> String {
        "\(prefix)\(method.rawValue):request"
    }

    /// True if the text is the reference of a reply to any method: some peers name another method.
    static func isReplyReference(_ text: String) -> Bool {
        guard text.hasPrefix(prefix), text.hasSuffix(suffix) else { return false }
        return isMethod(String(text.dropFirst(prefix.count).dropLast(suffix.count)))
    }

    /// Returns a message of this library, which may quote the peer, with hidden characters escaped.
    static func visible(_ text: String) -> String { VisibleText.escaped(text) }

    private static func isVisible(_ text: String, _ bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count)
            && !VisibleText.hasHidden(text) && text.utf8.allSatisfy { $0 >= 0x20 }
    }
}
