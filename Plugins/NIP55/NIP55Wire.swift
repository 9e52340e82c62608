// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
import SigningCore

/// A request in a URL: `nostrsigner:PAYLOAD?NAME=VALUE&...`, each part percent-decoded exactly
/// once.
///
/// nostr-tools writes a text as the value of `plainText` or `encryptedText` with `URLSearchParams`.
/// Only in these two values `+` is a space.
struct NIP55URI {
    /// The known names; other names before the callback are ignored.
    enum Name: String, CaseIterable {
        case type, pubKey, returnType, compressionType
        case currentUser = "current_user"
        case callbackURL = "callbackUrl"
        /// The texts of nostr-tools; the specification puts them before the query.
        case plainText, encryptedText
    }

    static let scheme = "nostrsigner"
    static let bytesMax = 1 << 20

    let payload: String
    /// The values that are not empty.
    let values: [Name: String]

    init(_ frame: Span<UInt8>) throws(NIP55Refusal) {
        guard frame.count <= Self.bytesMax else {
            throw NIP55Refusal("payload_too_large", "a URL has at most \(Self.bytesMax) bytes")
        }
        let text = try Self.text(of: frame)
        guard let (place, query) = Self.parts(of: text) else {
            throw .invalid("not a URL of the scheme \(Self.scheme)")
        }
        // Browsers add an empty authority.
        payload = try Self.decoded(place.hasPrefix("//") ? place.dropFirst(2) : place)
        var values: [Name: String] = [:]
        var named: Set<Name> = []
        var isCallbackOpen = false
        for pair in query.split(separator: "&") {
            let ends = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.name(try Self.decoded(ends[0])) else {
                // The pair could belong to a callback that was not encoded; ignoring it would
                // change the callback.
                guard !isCallbackOpen else {
                    throw .invalid("an \"&\" in callbackUrl has to be encoded as %26")
                }
                continue
            }
            guard named.insert(name).inserted else {
                throw .invalid("duplicate parameter \"\(name.rawValue)\"")
            }
            let raw = ends.count > 1 ? ends[1] : ""
            // If the query of the callback was not encoded, it probably continues after the next
            // "&".
            if name == .callbackURL { isCallbackOpen = raw.utf8.contains(UInt8(ascii: "?")) }
            let isForm = name == .plainText || name == .encryptedText
            let value = try Self.decoded(isForm ? Substring(raw.replacing("+", with: " ")) : raw)
            if !value.isEmpty { values[name] = value }
        }
        self.values = values
    }

    /// Returns true if the frame has this form and not that of NIP-155.
    static func isOwn(_ frame: Span<UInt8>) -> Bool {
        guard frame.count <= bytesMax, let text = try? text(of: frame),
            let (place, query) = parts(of: text)
        else { return false }
        guard place.hasPrefix("//") else { return true }
        return query.split(separator: "&").contains {
            $0.hasPrefix("\(Name.callbackURL.rawValue)=")
        }
    }

    /// Returns the part between the scheme and the first question mark, and the part after it.
    private static func parts(of text: String) -> (place: Substring, query: Substring)? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text[..<colon].lowercased() == scheme
        else { return nil }
        let rest = text[text.utf8.index(after: colon)...]
        guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (rest, "") }
        let query = rest[rest.utf8.index(after: mark)...]
        // A NIP-04 text that was not encoded contains a question mark.
        guard mark > rest.startIndex, query.hasPrefix("iv=") else { return (rest[..<mark], query) }
        let end = query.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }
        guard let end else { return (rest, "") }
        return (rest[..<end], rest[rest.utf8.index(after: end)...])
    }

    /// Returns the name of a parameter, also in other spellings.
    ///
    /// The specification has `pubKey` and `current_user`; clients also write the names of NIP-155
    /// and of nostr-tools.
    private static func name(_ text: String) -> Name? {
        switch text {
        case "pubkey": .pubKey
        case "currentUser": .currentUser
        default: Name(rawValue: text)
        }
    }

    /// Returns the text of a method from the place where the client put it.
    func text(of method: NostrMethod) throws(NIP55Refusal) -> String {
        guard method.namesPeer else { return payload }
        let name = method.decrypts ? Name.encryptedText : .plainText
        guard let text = values[name] else {
            guard !payload.isEmpty else {
                throw .invalid(
                    "\(method.rawValue) needs a text, before the query or as \(name.rawValue)")
            }
            return payload
        }
        guard payload.isEmpty || payload == text else {
            throw .invalid("the text is given twice, before the query and as \(name.rawValue)")
        }
        return text
    }

    private static func decoded(_ text: Substring) throws(NIP55Refusal) -> String {
        do throws(CodecError) {
            return try PercentEncoding.decode(text.utf8.span)
        } catch {
            throw .invalid("the URL is badly percent-encoded: \(error.text)")
        }
    }

    /// Returns the frame as text; white space is only allowed at the end.
    private static func text(of frame: Span<UInt8>) throws(NIP55Refusal) -> String {
        var end = frame.count
        while end > 0, frame[end - 1] == 0x20 || (0x09...0x0D).contains(frame[end - 1]) { end -= 1 }
        for index in 0..<end {
            guard frame[index] > 0x20, frame[index] != 0x7F else {
                throw .invalid("the URL has a space or a control character; encode it as %XX")
            }
            guard frame[index] != UInt8(ascii: "#") else {
                throw .invalid("the URL has \"#\"; encode it as %23")
            }
        }
        guard let text = try? UTF8Text.decode(frame.extracting(0..<end)) else {
            throw .invalid("the URL is not UTF-8")
        }
        return text
    }
}

/// The callback of a page: an address that the result is appended to.
struct Callback: Hashable, Sendable {
    /// The address in the spelling of the page.
    let text: String
    let client: Client

    private static let bytesMax = 2_048

    /// Reads the callback; nil if the page names none.
    init?(of uri: NIP55URI) throws(NIP55Refusal) {
        guard let text = uri.values[.callbackURL] else { return nil }
        guard text.utf8.count <= Self.bytesMax else {
            throw .invalid("a callback is longer than \(Self.bytesMax) bytes")
        }
        guard text.utf8.allSatisfy(Self.isAllowed) else {
            throw .invalid("a callback has characters that a URL cannot have")
        }
        // With a fragment, some browsers would not send the result to the page.
        guard let origin = try? WebOrigin(text), origin.scheme == "https" else {
            throw .invalid("a callback must be an https URL")
        }
        let identity = ClientIdentity(origin)
        self.text = text
        client = Client(
            id: identity.id, name: nil, proof: .callback, party: identity.party,
            callback: identity.id)
    }

    /// The text before the query, for people.
    var place: String {
        String(text.prefix { $0 != "?" && $0 != "#" })
    }

    /// The address without its last pair, and the name of that pair; nil if the end has another
    /// form.
    var field: (action: String, name: String)? {
        guard text.hasSuffix("="), !text.contains("#"),
            let mark = text.utf8.firstIndex(of: UInt8(ascii: "?"))
        else { return nil }
        let start = text.utf8.lastIndex(of: UInt8(ascii: "&")).map { max($0, mark) } ?? mark
        let pair = text[text.utf8.index(after: start)...].dropLast()
        guard !pair.isEmpty, let name = try? PercentEncoding.decode(pair.utf8.span) else {
            return nil
        }
        return (String(text[..<start]), name)
    }

    /// True for characters of RFC 3986; browsers treat a backslash as a slash.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        !"\"<>\\^`{|}".utf8.contains(byte) && (0x21...0x7E).contains(byte)
    }
}

/// The reason that a request is not answered; the page does not get it.
struct NIP55Refusal: Error, Hashable {
    /// The code for the owner's log.
    let code: String
    /// The problem and its solution, without payload.
    let reason: String
    /// The request, if its client names an account that it is not connected to.
    var unconnected: UnconnectedRequest?

    init(_ code: String, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    static func invalid(_ reason: String) -> Self { Self("invalid_request", reason) }

    /// Converts the refusal of the chain.
    init(_ refusal: NostrRefusal) {
        let code =
            switch refusal {
            case .invalid, .undecryptable: "invalid_request"
            case .tooLarge: "payload_too_large"
            case .noAccount: "not_logged_in"
            case .notHeld, .notConnected: "permission_denied"
            case .unsupported: "unsupported_method"
            }
        self.init(code, refusal.reason)
    }

    var adapterError: AdapterError {
        AdapterError(
            code: code, reason: reason, reply: .silence(reason), unconnected: unconnected)
    }
}
