// SPDX-License-Identifier: Apache-2.0

/// A URL an answer may be opened at.
struct Callback: Hashable, Sendable {
    static let bytesMax = 2_048

    /// As the client wrote it.
    let text: String
    /// The origin of an https callback, the bare scheme of an app's.
    let identity: String

    /// Reads what a client names, or with another limit what was opened with an answer.
    init(
        _ text: String, for configuration: NIP155Configuration, bytesMax: Int = Self.bytesMax
    ) throws(WireFault) {
        guard text.utf8.count <= bytesMax else {
            throw .invalid("a callback is longer than \(bytesMax) bytes")
        }
        guard text.utf8.allSatisfy(Self.isAllowed) else {
            throw .invalid("a callback holds characters a URL cannot have")
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw .invalid("a callback is not a URL")
        }
        let scheme = text[..<colon].lowercased()
        let rest = text[colon...].dropFirst()
        let authority = try Self.authority(of: rest)
        switch scheme {
        case "https":
            identity = try Self.origin(scheme, authority, defaultPort: 443)
        case "http" where configuration.allowsLoopbackHTTP && Self.isLoopback(authority):
            identity = try Self.origin(scheme, authority, defaultPort: 80)
        case _ where Self.isAppScheme(scheme) && !configuration.answers(scheme):
            identity = scheme
        default:
            throw .invalid("a callback must be https or the scheme of an app")
        }
        self.text = text
    }

    /// Whether the answer goes to an app's own scheme and not to a place of the web.
    var isApp: Bool { !identity.utf8.contains(UInt8(ascii: ":")) }

    /// The text up to the query, for people.
    var place: Substring {
        text[..<(text.utf8.firstIndex { Self.endsPlace($0) } ?? text.endIndex)]
    }

    /// RFC 3986 characters; browsers read a backslash as a slash.
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

    /// What stands between `//` and the path; nil without `//`.
    private static func authority(of rest: Substring) throws(WireFault) -> Substring? {
        guard rest.utf8.starts(with: "//".utf8) else { return nil }
        let start = rest.dropFirst(2)
        let end = start.utf8.firstIndex { $0 == UInt8(ascii: "/") || endsPlace($0) }
        let authority = start[..<(end ?? start.endIndex)]
        guard !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw .invalid("a callback must not hold user information")
        }
        return authority
    }
}

extension Callback {
    /// Schemes that run code, read files, call or send, or carry nothing back safely.
    private static let deniedSchemes: Set = [
        "javascript", "data", "file", "blob", "about", "vbscript", "view-source", "content",
        "intent", "http", "ws", "wss", "ftp", "mailto", "tel", "sms", "countersign",
    ]

    static func isAppScheme(_ scheme: String) -> Bool {
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first) else { return false }
        let isWellFormed = scheme.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
        // The hub must not be made to ask itself.
        return isWellFormed && !deniedSchemes.contains(scheme)
            && !scheme.utf8.starts(with: "countersign-".utf8)
    }

    private static func isLoopback(_ authority: Substring?) -> Bool {
        guard let authority else { return false }
        return ["127.0.0.1", "[::1]"].contains { host in
            authority == host || authority.utf8.starts(with: "\(host):".utf8)
        }
    }

    /// Scheme, host and port as RFC 6454 writes an origin.
    private static func origin(
        _ scheme: String, _ authority: Substring?, defaultPort: Int
    ) throws(WireFault) -> String {
        guard let authority, let place = HostPort(authority) else {
            throw .invalid("a callback has no valid host")
        }
        let port = place.port.map { $0 == defaultPort ? "" : ":\($0)" } ?? ""
        return "\(scheme)://\(place.host)\(port)"
    }
}
