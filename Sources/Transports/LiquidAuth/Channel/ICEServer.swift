// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// A server that helps to connect two machines (RFC 8445), by its URI (RFC 7064, RFC 7065).
public struct ICEServer: Hashable, Sendable {
    /// The maximum number of servers for one connection.
    public static let countMax = 8
    /// The maximum length of a URI, a user name and a password, in bytes.
    public static let bytesMax = 512

    /// The URI: `stun:host[:port]` or `turn:host[:port][?transport=tcp]`.
    public let uri: String
    /// The user name for a TURN server; nil for STUN.
    public let user: String?
    let password: String?

    /// Creates a server; nil if the URI is invalid, or if a user or password is missing or
    /// unexpected.
    ///
    /// The user may be before the host of a TURN server (`turn:user@host`) instead of in `user`.
    public init?(_ uri: String, user: String? = nil, password: String? = nil) {
        guard uri.utf8.count <= Self.bytesMax, let colon = uri.firstIndex(of: ":") else {
            return nil
        }
        let scheme = uri[..<colon].lowercased()
        let parts = uri[uri.index(after: colon)...].split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let place = parts.first else { return nil }
        let at = place.lastIndex(of: "@")
        let named = at.map { String(place[..<$0]) }
        let authority = String(at.map { place[place.index(after: $0)...] } ?? place)
        guard Self.isAuthority(authority) else { return nil }
        switch scheme {
        case "stun":
            guard parts.count == 1, named == nil, user == nil, password == nil else { return nil }
        // `turns` is not supported: the program for the channel would use it without TLS.
        case "turn":
            guard parts.count == 1 || ["transport=tcp", "transport=udp"].contains(parts[1]) else {
                return nil
            }
            guard let name = named ?? user, user == nil || user == name, !name.isEmpty,
                name.utf8.count <= Self.bytesMax, let password, !password.isEmpty,
                password.utf8.count <= Self.bytesMax
            else { return nil }
        default: return nil
        }
        self.uri = "\(scheme):\(authority)" + (parts.count > 1 ? "?\(parts[1])" : "")
        self.user = scheme == "stun" ? nil : named ?? user
        self.password = password
    }

    /// Returns true if a text is an IPv4 or IPv6 address.
    package static func isAddress(_ text: String) -> Bool {
        AddressText.isIPv4(text) || AddressText.isIPv6(text)
    }

    /// Returns true for a DNS name, an IPv4 address or an IPv6 address in brackets, with or without
    /// a port.
    private static func isAuthority(_ text: String) -> Bool {
        var rest = text[...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"),
                AddressText.isIPv6(String(text[text.index(after: text.startIndex)..<end]))
            else { return false }
            rest = text[text.index(after: end)...]
        } else {
            let host = text.prefix { $0 != ":" }
            guard isHost(String(host)) else { return false }
            rest = text[host.endIndex...]
        }
        guard !rest.isEmpty else { return true }
        let port = rest.dropFirst()
        return rest.first == ":" && (1...5).contains(port.utf8.count)
            && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && (1...65_535).contains(Int(port) ?? 0)
    }

    /// The host without brackets, and the port, if any.
    var hostAndPort: (host: String, port: String?) {
        let place = uri.drop { $0 != ":" }.dropFirst().prefix { $0 != "?" }
        if place.first == "[", let end = place.firstIndex(of: "]") {
            let rest = place[place.index(after: end)...].dropFirst()
            return (String(place[..<end].dropFirst()), rest.isEmpty ? nil : String(rest))
        }
        let parts = place.split(separator: ":", maxSplits: 1)
        return (String(parts.first ?? ""), parts.count > 1 ? String(parts[1]) : nil)
    }

    private static func isHost(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return (1...253).contains(host.utf8.count)
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { byte in
                        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
                            || byte == UInt8(ascii: "-")
                    }
            }
    }

    /// Reads the form that `json` writes; nil for other JSON.
    package init?(_ json: JSON) {
        guard let members = json.object?.members,
            members.allSatisfy({
                ["url", "user", "password"].contains($0.name) && $0.value.text != nil
            }), let uri = json["url"]?.text
        else { return nil }
        self.init(uri, user: json["user"]?.text, password: json["password"]?.text)
    }

    /// The server in the form of the program for the channel.
    package var json: JSON {
        var members: [JSONObject.Member] = [.init(name: "url", value: .string(uri))]
        if let user { members.append(.init(name: "user", value: .string(user))) }
        if let password { members.append(.init(name: "password", value: .string(password))) }
        return .object(JSONObject(members))
    }
}

extension ICEServer: CustomStringConvertible {
    /// The URI and user, without the password.
    public var description: String { user.map { "\(uri) as \($0)" } ?? uri }
}
