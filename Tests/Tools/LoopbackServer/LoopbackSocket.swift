// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The system calls of the loopback servers.
package enum LoopbackSocket {
    /// A socket on a free port that no process listens on yet.
    package static func bound() throws -> (socket: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw LoopbackServer.Failure() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, count) == 0
                    && getsockname(descriptor, address, &count) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw LoopbackServer.Failure()
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Reads one request; nil if the peer sends another protocol or closes.
    package static func readRequest(_ connection: Int32) -> LoopbackServer.Request? {
        var bytes: [UInt8] = []
        var wanted: (head: Int, count: Int)?
        while true {
            if wanted == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                wanted = (end.upperBound, end.upperBound + bodyCount(head))
            }
            if let wanted, bytes.count >= wanted.count {
                return LoopbackServer.Request(
                    head: String(decoding: bytes[..<wanted.head], as: UTF8.self),
                    body: [UInt8](bytes[wanted.head..<wanted.count]))
            }
            // TLS does not begin with a capital letter, and its client would wait for an answer.
            if let first = bytes.first, !(0x41...0x5a).contains(first) { return nil }
            var piece = [UInt8](repeating: 0, count: 16 << 10)
            let count = unsafe recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
        }
    }

    /// Writes all bytes; returns false if the peer closed.
    @discardableResult
    package static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { rest in
                unsafe send(connection, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    package static func makeAbrupt(_ connection: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(
            connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private static func bodyCount(_ head: String) -> Int {
        for line in head.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            return Int(parts[1].drop { $0 == " " }) ?? 0
        }
        return 0
    }
}
