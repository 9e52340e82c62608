// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Finds out whether this machine has a route to other networks.
package enum NetworkRoute {
    /// True if the kernel has a route to outside addresses, by IPv4 or IPv6; no packet is sent.
    package static var isThere: Bool { hasIPv4 || hasIPv6 }

    // Addresses for documentation (RFC 5737 and RFC 3849), which no host has. Connecting a datagram
    // socket only looks up a route.
    private static let port = in_port_t(9).bigEndian

    private static var hasIPv4: Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port
        address.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
        return unsafe withUnsafeBytes(of: &address) { unsafe hasRoute(AF_INET, to: $0) }
    }

    private static var hasIPv6: Bool {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port
        guard unsafe inet_pton(AF_INET6, "2001:db8::1", &address.sin6_addr) == 1 else {
            return false
        }
        return unsafe withUnsafeBytes(of: &address) { unsafe hasRoute(AF_INET6, to: $0) }
    }

    private static func hasRoute(_ family: Int32, to address: UnsafeRawBufferPointer) -> Bool {
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard let start = unsafe address.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
            return false
        }
        return unsafe connect(descriptor, start, socklen_t(address.count)) == 0
    }
}
