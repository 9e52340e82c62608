// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// Resolves host names within a bounded time.
///
/// If libpq resolved them, it would wait for the system's resolver without a limit.
enum HostLookup {
    /// The maximum number of addresses that are returned for one host.
    private static let addressesMax = 4
    /// The maximum number of lookups at one time.
    private static let lookupsMax = 4

    /// The number of lookups in progress.
    private static let lookups = Mutex(0)

    /// The numeric addresses of a host, best first; empty if the host is not found in time or too
    /// many lookups are in progress.
    static func addresses(of host: String, until deadline: Deadline) -> [String] {
        // The loopback addresses must not depend on a resolver.
        if host == "localhost" { return ["127.0.0.1", "::1"] }
        if host == "127.0.0.1" || host == "::1" { return [host] }
        let isFree = lookups.withLock { count in
            guard count < lookupsMax else { return false }
            count += 1
            return true
        }
        guard isFree else { return [] }
        let answer = Answer()
        DispatchQueue.global().async {
            answer.give(found(for: host))
            lookups.withLock { $0 -= 1 }
        }
        return answer.wait(until: deadline)
    }

    private static func found(for host: String) -> [String] {
        var wish = unsafe addrinfo()
        unsafe wish.ai_family = AF_UNSPEC
        unsafe wish.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe wish.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &wish, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [String] = []
        var next = unsafe list
        while let entry = unsafe next, addresses.count < addressesMax {
            if let text = unsafe number(of: entry.pointee), !addresses.contains(text) {
                addresses.append(text)
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
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

/// The result of a lookup, for a waiting thread.
private final class Answer: Sendable {
    private let addresses = Mutex<[String]>([])
    private let isThere = DispatchSemaphore(value: 0)

    func give(_ found: [String]) {
        addresses.withLock { $0 = found }
        isThere.signal()
    }

    func wait(until deadline: Deadline) -> [String] {
        let left = DispatchTimeInterval.milliseconds(Int(deadline.millisecondsLeft))
        guard isThere.wait(timeout: .now() + left) == .success else { return [] }
        return addresses.withLock { $0 }
    }
}
