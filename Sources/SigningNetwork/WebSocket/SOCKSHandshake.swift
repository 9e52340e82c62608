// SPDX-License-Identifier: Apache-2.0

/// The address of a SOCKS5 proxy that resolves names.
package struct SOCKSProxy: Hashable, Sendable {
    /// An IP address without brackets.
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }
}

/// A tunnel through a proxy that could not be opened.
struct TunnelError: Error, Hashable, Sendable {
    let text: String
}

/// The messages by which a SOCKS5 proxy is asked to connect to a server (RFC 1928).
///
/// The client offers no user name, and names the server by its host name.
enum SOCKSHandshake {
    /// The greeting: version 5, with one method, no authentication.
    static let greeting: [UInt8] = [5, 1, 0]
    static let greetingReplyCount = 2
    /// The number of bytes of a reply up to the type of its address.
    static let replyHeadCount = 4
    private static let hostBytesMax = 255

    /// Checks the reply to the greeting.
    static func check(greetingReply reply: [UInt8]) throws(TunnelError) {
        guard reply.first == 5, reply.count == greetingReplyCount else { throw notSOCKS }
        guard reply[1] == 0 else {
            throw TunnelError(
                text: reply[1] == 0xFF
                    ? "the proxy demands a user name and a password"
                    : "the proxy does not follow SOCKS5")
        }
    }

    /// The request to connect to a server; nil if its name is too long.
    static func request(_ host: String, _ port: UInt16) -> [UInt8]? {
        guard (1...hostBytesMax).contains(host.utf8.count) else { return nil }
        return [5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8)
            + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }

    /// Checks the beginning of the reply to the request, and returns the type of its address.
    static func addressType(replyHead reply: [UInt8]) throws(TunnelError) -> UInt8 {
        guard reply.count == replyHeadCount, reply[0] == 5, reply[2] == 0 else { throw notSOCKS }
        guard reply[1] == 0 else {
            let reason = reasons[reply[1]] ?? "the connection failed (code \(reply[1]))"
            throw TunnelError(text: "the proxy says: \(reason)")
        }
        return reply[3]
    }

    /// The number of bytes after a name's length or after the type, with the port; nil if the type
    /// is a name, whose length comes first.
    static func restCount(of type: UInt8) throws(TunnelError) -> Int? {
        switch type {
        case 1: 4 + 2
        case 4: 16 + 2
        case 3: nil
        default: throw notSOCKS
        }
    }

    private static let notSOCKS = TunnelError(text: "the proxy does not speak SOCKS5")

    private static let reasons: [UInt8: String] = [
        1: "general failure", 2: "its rules forbid the connection",
        3: "the network is unreachable", 4: "the relay is unknown or unreachable",
        5: "the relay refused the connection", 6: "the connection took too long",
        7: "it cannot connect to servers", 8: "it takes no host names",
    ]
}
