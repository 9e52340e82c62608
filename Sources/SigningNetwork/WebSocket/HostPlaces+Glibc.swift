// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCodecs

/// Resolves host names.
package enum HostPlaces {
    /// The most addresses that are tried for one host.
    private static let countMax = 8

    /// The numeric addresses of a host, best first; empty if the name cannot be resolved.
    ///
    /// Waits for the resolver, which may take long.
    package static func found(for host: String) -> [String] {
        // A resolver would learn which service of Tor is used (RFC 7686).
        guard !HostName.isOnion(host) else { return [] }
        var wish = unsafe addrinfo()
        unsafe wish.ai_family = AF_UNSPEC
        unsafe wish.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe wish.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        defer { unsafe freeaddrinfo(list) }
        guard unsafe getaddrinfo(host, nil, &wish, &list) == 0 else { return [] }
        var places: [String] = []
        var next = unsafe list
        while let entry = unsafe next, places.count < countMax {
            if let text = unsafe number(of: entry.pointee), !places.contains(text) {
                places.append(text)
            }
            unsafe next = entry.pointee.ai_next
        }
        return places
    }

    private static func number(of entry: addrinfo) -> String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let count = socklen_t(text.count)
        let status = unsafe getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &text, count, nil, 0, NI_NUMERICHOST)
        guard status == 0 else { return nil }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
