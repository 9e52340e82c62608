// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningNetwork

/// Checks if a STUN server answers (RFC 8489, a binding request without attributes).
enum STUNProbe {
    /// The maximum time to wait for an answer, in milliseconds.
    static let millisecondsMax: Int32 = 1_000
    private static let headBytes = 20
    private static let magic: [UInt8] = [0x21, 0x12, 0xA4, 0x42]
    private static let portDefault = "3478"

    /// Returns true if a server at one of the addresses of the host answers; blocks the thread.
    static func answers(_ server: ICEServer, _ transaction: [UInt8]) -> Bool {
        let (host, port) = server.hostAndPort
        let request = [0x00, 0x01, 0x00, 0x00] + magic + transaction
        return HostPlaces.found(for: host).contains { address in
            reply(to: request, from: address, port ?? portDefault).map {
                // A success and an error both show that it is a STUN server.
                $0.count >= headBytes && [0x01, 0x11].contains($0[1]) && $0[0] == 0x01
                    && Array($0[4..<headBytes]) == magic + transaction
            } ?? false
        }
    }

    private static func reply(
        to request: [UInt8], from address: String, _ port: String
    ) -> [UInt8]? {
        var wish = unsafe addrinfo()
        unsafe wish.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        unsafe wish.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        defer { unsafe freeaddrinfo(list) }
        guard unsafe getaddrinfo(address, port, &wish, &list) == 0, let entry = unsafe list else {
            return nil
        }
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = unsafe Glibc.socket(entry.pointee.ai_family, kind, 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        let isConnected =
            unsafe connect(socket, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0
        guard isConnected, unsafe send(socket, request, request.count, 0) == request.count else {
            return nil
        }
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, millisecondsMax) == 1 else { return nil }
        var answer = [UInt8](repeating: 0, count: 1_500)
        let count = unsafe recv(socket, &answer, answer.count, 0)
        return count > 0 ? Array(answer.prefix(count)) : nil
    }
}
