// SPDX-License-Identifier: Apache-2.0

/// The origin of a callback URL, for rules.
///
/// Anything that readers of URLs disagree about has no origin here: user names, backslashes,
/// escapes, empty ports, a dot at the end, letters outside ASCII.
enum CallbackOrigin {
    private static let portMax = 65_535

    /// `scheme://host[:port]` in lower case without a default port, or nil.
    static func read(_ url: String) -> String? {
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let mark = url.firstRange(of: "://")
        else { return nil }
        let scheme = url[..<mark.lowerBound].lowercased()
        let authority = url[mark.upperBound...].prefix { !"/?#".contains($0) }.lowercased()
        guard isScheme(scheme), let (host, port) = split(authority), isHost(host) else {
            return nil
        }
        guard let port, !isDefault(port, of: scheme) else { return "\(scheme)://\(host)" }
        return "\(scheme)://\(host):\(port)"
    }

    private static func split(_ authority: String) -> (host: Substring, port: Int?)? {
        let hostEnd: String.Index
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            hostEnd = authority.index(after: bracket)
        } else {
            hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let host = authority[..<hostEnd]
        let rest = authority[hostEnd...]
        if rest.isEmpty { return (host, nil) }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.utf8.allSatisfy(isDigit),
            let port = Int(digits), port <= portMax
        else { return nil }
        return (host, port)
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") {
            let inner = host.dropFirst().dropLast()
            return !inner.isEmpty
                && inner.utf8.allSatisfy { isDigit($0) || "abcdef:.".utf8.contains($0) }
        }
        guard !host.isEmpty, !host.hasPrefix("."), !host.hasSuffix("."), !host.contains("..")
        else { return false }
        return host.utf8.allSatisfy { isLetter($0) || isDigit($0) || "-._".utf8.contains($0) }
    }

    private static func isDefault(_ port: Int, of scheme: String) -> Bool {
        scheme == "https" && port == 443 || scheme == "http" && port == 80
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
