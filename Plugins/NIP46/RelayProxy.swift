// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// A SOCKS5 proxy for relays, such as that of Tor, which resolves their names itself.
package struct RelayProxy: Hashable, Sendable {
    /// The IP address of the proxy, without brackets.
    package let host: String
    package let port: UInt16
    /// True if it serves every relay outside this machine, and not only `.onion` relays.
    package let isForAll: Bool

    /// Parses an address such as `socks5h://127.0.0.1:9050`.
    ///
    /// The proxy has an IP address or is `localhost`, so that its own name needs no resolver.
    package init(_ text: String, isForAll: Bool) throws(NIP46Refusal) {
        guard let origin = try? WebOrigin(text) else {
            throw .invalid("a proxy is a URL such as \(Self.example)")
        }
        guard origin.scheme != "socks5" else {
            throw .invalid("socks5:// resolves names on this machine; use socks5h://")
        }
        guard origin.scheme == "socks5h", let port = origin.port.flatMap({ UInt16(exactly: $0) }),
            [origin.text, origin.text + "/"].contains(text.lowercased())
        else { throw .invalid("a proxy is a URL such as \(Self.example)") }
        switch origin.host {
        case let host where host.isAddress: self.host = host.text.filter { !"[]".contains($0) }
        case let host where host.text == "localhost": self.host = "127.0.0.1"
        default: throw .invalid("the host of a proxy is an IP address or localhost")
        }
        self.port = port
        self.isForAll = isForAll
    }

    /// The URL of the proxy.
    package var text: String {
        "socks5h://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Returns whether connections to a relay go through the proxy.
    package func serves(_ relay: RelayAddress) -> Bool {
        relay.isOnion || isForAll && !relay.isLoopback
    }

    /// The usual address of Tor on this machine.
    package static let example = "socks5h://127.0.0.1:9050"
}
