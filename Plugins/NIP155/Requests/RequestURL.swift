// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs

/// The parts of a request URL before percent-decoding.
struct RequestURL {
    /// The authority in lower case; empty if it is missing.
    let host: String
    /// The part from the first slash after the authority to the query.
    let path: Substring
    /// True if `//` follows the scheme; the NIP-55 web form has a payload there.
    let hasAuthority: Bool
    /// The part after the first question mark.
    let query: Substring

    init(_ frame: Span<UInt8>, for configuration: NIP155Configuration) throws(NIP155Refusal) {
        let text = try Self.text(of: frame)
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            configuration.callbackRules.answers(text[..<colon].lowercased())
        else { throw .invalid("not a URL of a scheme this signer answers") }

        var rest = text[text.utf8.index(after: colon)...]
        let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?"))
        query = mark.map { text[text.utf8.index(after: $0)...] } ?? ""
        rest = mark.map { text[text.utf8.index(after: colon)..<$0] } ?? rest

        hasAuthority = rest.utf8.starts(with: "//".utf8)
        guard hasAuthority else {
            host = ""
            path = rest
            return
        }
        rest = rest.dropFirst(2)
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        host = rest[..<slash].lowercased()
        path = rest[slash...]
    }

    /// The method in the host of the URL or, in the form `x-callback-url/<method>`, in its path.
    ///
    /// Nil if the URL names no method.
    var action: Substring? {
        let isPathForm = host.isEmpty || host == "x-callback-url"
        let place: Substring = isPathForm ? path.dropFirst() : "\(host)\(path)"
        let action = place.utf8.last == UInt8(ascii: "/") ? place.dropLast() : place
        return action.isEmpty ? nil : action
    }

    /// True if this is a connect request of Aegis.
    var isAegisConnect: Bool { hasAuthority && path == "/auth/nip46" }

    /// Returns the frame as text; white space is only allowed at the end.
    private static func text(of frame: Span<UInt8>) throws(NIP155Refusal) -> String {
        var end = frame.count
        while end > 0, isSpace(frame[end - 1]) { end -= 1 }
        for index in 0..<end {
            guard frame[index] > 0x20, frame[index] != 0x7F else {
                throw .invalid("the URL has a space or a control character; encode it as %XX")
            }
            // A fragment would silently cut off the rest of the URL.
            guard frame[index] != UInt8(ascii: "#") else {
                throw .invalid("the URL has \"#\"; encode it as %23")
            }
        }
        do throws(CodecError) {
            return try UTF8Text.decode(frame.extracting(0..<end))
        } catch {
            throw .invalid("the URL is not UTF-8")
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
