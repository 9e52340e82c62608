// SPDX-License-Identifier: Apache-2.0

/// The origin of a URL in its normal form: URLs of one place have equal origins.
public struct WebOrigin: Hashable, Sendable {
    /// The scheme, in lower case.
    public let scheme: String
    /// The name or the address.
    public let host: HostName
    /// The port; nil if it is the scheme's default.
    public let port: Int?

    /// Reads the beginning of a URL, up to its path; user names are refused.
    public init(_ url: some StringProtocol) throws(CodecError) {
        // Browsers remove some of these from a URL and continue.
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw .malformed("a space or a control character in a URL", at: 0)
        }
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")),
            url[colon...].utf8.starts(with: "://".utf8)
        else { throw .malformed("not a URL with a host", at: 0) }
        scheme = url[..<colon].lowercased()
        guard Self.isScheme(scheme) else { throw .malformed("not a URL scheme", at: 0) }

        let start = url.utf8.index(colon, offsetBy: 3)
        let end = url[start...].utf8.firstIndex(where: Self.endsAuthority) ?? url.endIndex
        let (written, digits) = try Self.split(String(url[start..<end]))
        host = try HostName(written)
        let number = try digits.map { (text) throws(CodecError) in try Self.number(text) }
        port = number == Self.defaultPorts[scheme] ? nil : number
    }

    /// The text form of RFC 6454.
    public var text: String { "\(scheme)://\(place)" }

    /// Host and port, without the scheme.
    public var place: String { port.map { "\(host.text):\($0)" } ?? host.text }

    /// True if pages can have this origin.
    public var isPage: Bool { scheme == "https" || scheme == "http" }

    private static let defaultPorts = ["https": 443, "wss": 443, "http": 80, "ws": 80]

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Splits off the host and the text after its colon.
    private static func split(
        _ authority: String
    ) throws(CodecError) -> (host: Substring, port: Substring?) {
        guard !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw .malformed("user information in a URL", at: 0)
        }
        // Only an IPv6 address contains colons, and it is in brackets.
        let bracket = authority.utf8.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        guard let colon = authority[bracket...].utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return (authority[...], nil)
        }
        return (authority[..<colon], authority[colon...].dropFirst())
    }

    private static func number(_ digits: Substring) throws(CodecError) -> Int {
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ isDigit($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { throw .malformed("not a port", at: 0) }
        return port
    }

    /// Returns whether a text in lower case can be a scheme (RFC 3986, 3.1).
    public static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
