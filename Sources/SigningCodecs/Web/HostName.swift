// SPDX-License-Identifier: Apache-2.0

/// A web host in its normal form: a name of A-labels, or an address.
public struct HostName: Hashable, Sendable {
    /// The longest name in DNS, in bytes.
    public static let bytesMax = 253
    private static let labelBytesMax = 63
    /// The longest text to map to a name, in bytes.
    private static let writtenBytesMax = 1_024

    /// The host in lower case, without a final dot; an IPv6 address is in brackets.
    public let text: String
    /// True if it is an IP address, which has no registered domain.
    public let isAddress: Bool

    /// True if it is a name of Tor, which no resolver may be asked for (RFC 7686).
    public var isOnion: Bool { Self.isOnion(text) }

    /// Returns whether a host in a URL is a name of Tor.
    public static func isOnion(_ written: String) -> Bool {
        var name = written.lowercased()
        if name.utf8.last == UInt8(ascii: ".") { name.removeLast() }
        return name == "onion" || name.hasSuffix(".onion")
    }

    /// Reads a host from a URL; refuses forms that URL parsers read differently.
    public init(_ written: Substring) throws(CodecError) {
        guard written.utf8.count <= Self.writtenBytesMax else {
            throw .tooLong(limit: Self.writtenBytesMax)
        }
        if written.utf8.first == UInt8(ascii: "[") {
            let inner = written.dropFirst().dropLast()
            guard written.utf8.last == UInt8(ascii: "]"), let address = IPv6Address(String(inner))
            else { throw .malformed("not an IPv6 address", at: 0) }
            text = "[\(address.text)]"
            isAddress = true
            return
        }
        var name = String(written)
        if name.utf8.allSatisfy({ $0 < 0x80 }) {
            name = name.lowercased()
            // Ordinary names need no tables; punycode must be in the form that encoding would
            // produce.
            if name.hasPrefix("xn--") || name.contains(".xn--") { name = try Self.mapped(name) }
        } else {
            name = try Self.mapped(name)
        }
        if name.utf8.last == UInt8(ascii: ".") { name.removeLast() }
        isAddress = try Self.checkLabels(of: name)
        text = name
    }

    /// Reads a host from a URL.
    public init(_ written: String) throws(CodecError) { try self.init(written[...]) }

    /// Returns whether the name is an IPv4 address; refuses other forms that browsers read as one.
    private static func checkLabels(of name: String) throws(CodecError) -> Bool {
        guard name.utf8.count <= bytesMax else { throw .tooLong(limit: bytesMax) }
        let labels = name.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for label in labels {
            guard (1...labelBytesMax).contains(label.count), label.allSatisfy(isAllowed) else {
                throw .malformed("not a host name", at: 0)
            }
        }
        guard let last = labels.last, isNumber(last) else { return false }
        guard labels.count == 4, labels.allSatisfy(isOctet) else {
            throw .malformed("not an IPv4 address of four decimal numbers", at: 0)
        }
        return true
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Returns whether a last label makes browsers read the name as an IPv4 address.
    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.allSatisfy(isDigit) { return true }
        guard label.starts(with: "0x".utf8) else { return false }
        return label.dropFirst(2).allSatisfy { isDigit($0) || (0x61...0x66).contains($0) }
    }

    private static func isOctet(_ label: Substring.UTF8View) -> Bool {
        let isShortest = label.count == 1 || label.first != UInt8(ascii: "0")
        return isShortest && label.allSatisfy(isDigit) && UInt8(Substring(label)) != nil
    }
}

extension HostName {
    /// The registered domain, under which its owner can make any number of names.
    ///
    /// It is the host itself if there is no such domain, as for addresses.
    public var registrableDomain: String {
        isAddress ? text : PublicSuffixes.shared?.registrableDomain(of: text) ?? text
    }

    /// The hosts whose passkeys a page at this host may use (WebAuthn, 5.1.3).
    ///
    /// These are the host and its parent domains, up to the registrable domain.
    package var passkeyHosts: [String] {
        var hosts = [text]
        let domain = registrableDomain
        var rest = text[...]
        while !isAddress, rest != domain[...], let dot = rest.firstIndex(of: ".") {
            rest = rest[dot...].dropFirst()
            hosts.append(String(rest))
        }
        return hosts
    }
}
