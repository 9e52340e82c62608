// SPDX-License-Identifier: Apache-2.0

/// A host name or address with its port, as it stands in a URL.
struct HostPort: Hashable {
    /// Lower case, ASCII; an IPv6 address keeps its brackets.
    let host: String
    /// The port that is written, default or not.
    let port: Int?

    init?(_ text: Substring) {
        let hostEnd: Substring.Index
        if text.utf8.first == UInt8(ascii: "[") {
            guard let bracket = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            hostEnd = text.utf8.index(after: bracket)
            let address = text[..<bracket].utf8.dropFirst()
            guard address.count >= 2, address.allSatisfy(Self.isIPv6) else { return nil }
        } else {
            hostEnd = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
            let name = text[..<hostEnd].utf8
            guard let first = name.first, first != UInt8(ascii: "."),
                name.allSatisfy(Self.isName)
            else { return nil }
        }
        host = text[..<hostEnd].lowercased()
        let rest = text[hostEnd...]
        guard !rest.isEmpty else {
            port = nil
            return
        }
        guard rest.utf8.first == UInt8(ascii: ":") else { return nil }
        let digits = rest.dropFirst()
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(Self.isDigit),
            let number = Int(digits), (1...65_535).contains(number)
        else { return nil }
        port = number
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isName(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_")
    }

    private static func isIPv6(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
            || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }
}
