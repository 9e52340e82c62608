// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs

/// The rules of a signer for callbacks.
public struct CallbackRules: Hashable, Sendable {
    /// The scheme that all signers share, and the scheme that only this signer has.
    public static let standardSchemes = ["nostrsigner", "countersign-nostr"]

    /// Additional schemes of the signer, in lower case.
    let extraSchemes: [String]
    /// True if an answer may go to `http://127.0.0.1`, `http://[::1]` or `http://localhost`.
    let allowsLoopbackHTTP: Bool

    /// Creates the rules.
    public init(extraSchemes: [String] = [], allowsLoopbackHTTP: Bool = true) {
        self.extraSchemes = extraSchemes
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
    }

    /// Returns true if the signer handles the scheme; a callback must not have such a scheme.
    public func answers(_ scheme: String) -> Bool {
        Self.standardSchemes.contains(scheme) || extraSchemes.contains(scheme)
    }
}

/// A URL that an answer may be opened at.
public struct Callback: Hashable, Sendable {
    /// The maximum length of a callback, in bytes.
    public static let bytesMax = 2_048

    /// The URL in the spelling of the client.
    public let text: String
    /// The origin of a web callback; nil for an app.
    public let origin: WebOrigin?
    /// The identity of the client: the origin, or the scheme of an app.
    package let client: ClientIdentity

    /// Parses a callback; a larger limit also accepts a URL that was opened with an answer.
    public init(
        _ text: String, for rules: CallbackRules, bytesMax: Int = Self.bytesMax
    ) throws(NIP155Refusal) {
        guard text.utf8.count <= bytesMax else {
            throw .invalid("a callback is longer than \(bytesMax) bytes")
        }
        guard text.utf8.allSatisfy(Self.isAllowed) else {
            throw .invalid("a callback has characters that a URL cannot have")
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw .invalid("a callback is not a URL")
        }
        let scheme = text[..<colon].lowercased()
        switch scheme {
        case "https", "http":
            let origin = try Self.origin(of: text)
            guard
                scheme == "https"
                    || rules.allowsLoopbackHTTP
                        && Self.loopbacks.contains(origin.host.text)
            else { throw Self.wrongScheme }
            self.origin = origin
            client = ClientIdentity(origin)
        case _ where AppScheme.isUsable(scheme) && !rules.answers(scheme):
            try Self.checkAuthority(of: text[colon...].dropFirst())
            origin = nil
            client = ClientIdentity(claim: scheme)
        default:
            throw Self.wrongScheme
        }
        self.text = text
    }

    /// The identity of the client: the origin, or the scheme of an app.
    public var identity: String { client.id }

    /// The URL without its query, for people.
    public var place: Substring {
        text[..<(text.utf8.firstIndex { Self.endsPlace($0) } ?? text.endIndex)]
    }

    /// True for characters of RFC 3986; browsers treat a backslash as a slash.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
            UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
            UInt8(ascii: "}"):
            false
        default: (0x21...0x7E).contains(byte)
        }
    }

    private static func endsPlace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static let loopbacks: Set = ["127.0.0.1", "[::1]", "localhost"]
    private static let wrongScheme = NIP155Refusal.invalid(
        "a callback must be https, http on this machine, or the scheme of an app")

    private static func origin(of text: String) throws(NIP155Refusal) -> WebOrigin {
        do throws(CodecError) {
            return try WebOrigin(text)
        } catch {
            throw .invalid("a callback has no valid host: \(error.text)")
        }
    }

    /// Throws if the part between `//` and the path could be taken for a user of another host.
    private static func checkAuthority(of rest: Substring) throws(NIP155Refusal) {
        guard rest.utf8.starts(with: "//".utf8) else { return }
        let authority = rest.dropFirst(2).utf8.prefix { $0 != UInt8(ascii: "/") && !endsPlace($0) }
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw .invalid("a callback must not have a user name or password")
        }
    }
}
