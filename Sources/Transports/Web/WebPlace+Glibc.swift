// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore
internal import Socket

/// A port of 127.0.0.1, for browsers of the same user.
struct WebPlace: Sendable {
    let port: UInt16
    /// The option of the command line that gives the port, for hints.
    let option: String

    /// The address and the port, for messages.
    var text: String { "127.0.0.1:\(port)" }

    /// Binds and listens on the port.
    fileprivate func taken() throws(TransportError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_INET, type, 0)
        guard listener >= 0 else { throw error }
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = Self.loopback
        // The option does not allow a second listener on the port, whose pages would have the same
        // origin.
        let isSet = unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, size) == 0
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isSet, isBound, Glibc.listen(listener, Self.backlog) == 0 else {
            let error = error
            close(listener)
            throw error
        }
        return listener
    }

    /// Reserves the same port of `::1` against other users; nil if the machine has no such address.
    ///
    /// Browsers may try `::1` first for names under `localhost`. The port does not listen there, so
    /// that their connections fail at once and they go on to 127.0.0.1.
    fileprivate func kept() throws(TransportError) -> Int32? {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let file = socket(AF_INET6, type, 0)
        guard file >= 0 else {
            guard errno == EAFNOSUPPORT else { throw error }
            return nil
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0[15] = 1 }
        // Without SO_REUSEADDR: otherwise sockets of other users with that option could bind,
        // because this one does not listen.
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(file, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
        guard isBound else {
            let number = errno
            close(file)
            if number == EADDRNOTAVAIL { return nil }
            throw TransportError(
                "[::1]:\(port): \(unsafe String(cString: strerror(number)))",
                hint: "give another port with \(option) PORT")
        }
        return file
    }

    private static let backlog: Int32 = 64
    private static let loopback = UInt32(0x7F00_0001).bigEndian

    private var error: TransportError {
        TransportError(
            "\(text): \(unsafe String(cString: strerror(errno)))",
            hint: "give another port with \(option) PORT")
    }

    /// Returns the user at the other end of a connection while that user's process has it open.
    ///
    /// Nil if it was closed or the kernel does not report it. Every user of the machine can reach a
    /// port; the kernel lists the owner of each end.
    func userID(of socket: Int32) -> UInt32? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(socket, $0, &size) == 0
            }
        }
        guard isNamed, address.sin_family == sa_family_t(AF_INET) else { return nil }
        let theirs = Self.text(address.sin_addr.s_addr, UInt16(bigEndian: address.sin_port))
        let ours = Self.text(Self.loopback, port)
        return Self.connections().flatMap { Self.userID(from: theirs, to: ours, in: $0) }
    }

    /// Returns the user from the kernel's list of connections.
    ///
    /// Its columns are: number, local and remote address, state, two queues, timer, retransmits,
    /// user, timeout, inode. A socket that no process has open appears with user 0 and inode 0. So
    /// only established connections with an inode identify a user.
    static func userID(from theirs: String, to ours: String, in list: String) -> UInt32? {
        for line in list.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ", maxSplits: inodeColumn + 1)
            if words.count > inodeColumn, words[1] == theirs, words[2] == ours,
                words[3] == established, words[inodeColumn] != "0"
            {
                return UInt32(words[7])
            }
        }
        return nil
    }

    /// `TCP_ESTABLISHED`.
    private static let established = "01"
    private static let inodeColumn = 9

    /// Returns the entrance of a server at this port, for programs of the agent's user only.
    ///
    /// The user is looked up again for each request, because the sender may have closed the
    /// connection.
    func entrance(
        by channel: ChannelName, listen: @escaping @Sendable () throws(TransportError) -> Int32
    ) -> HTTPEntrance {
        let isOwn: @Sendable (Int32) -> Bool = { userID(of: $0) == geteuid() }
        return HTTPEntrance(listen: listen, isStillOpen: isOwn) { socket in
            isOwn(socket)
                ? HTTPPeer(peer: Peer(channel: channel, provedUserID: geteuid())) : nil
        }
    }

    /// Returns an address in the list's notation: the address in this machine's byte order, the
    /// port not.
    static func text(_ address: UInt32, _ port: UInt16) -> String {
        func digits(_ number: UInt32, _ count: Int) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: count - text.count) + text
        }
        return "\(digits(address, 8)):\(digits(UInt32(port), 4))"
    }

    private static func connections() -> String? {
        let file = unsafe open("/proc/net/tcp", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var list: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while list.count < listBytesMax {
            let count = unsafe read(file, &part, part.count)
            guard count > 0 else { break }
            list += part.prefix(count)
        }
        return String(validating: list, as: UTF8.self)
    }

    /// Room for about 50,000 connections.
    private static let listBytesMax = 8 << 20
}

/// A port of 127.0.0.1 that is reserved for this process, also on `::1`.
///
/// Otherwise another server could get requests that are meant for this one.
package final class WebPort: Sendable {
    let place: WebPlace
    private let listener: Int32
    private let keeper: Int32?

    /// Takes the port; throws if another process has it.
    ///
    /// `option` is the option of the command line that gives the port, for hints.
    package convenience init(
        _ port: UInt16, from option: String = "--web"
    ) throws(TransportError) {
        try self.init(listener: try WebPlace(port: port, option: option).taken(), port, option)
    }

    private init(listener: Int32, _ port: UInt16, _ option: String) throws(TransportError) {
        let place = WebPlace(port: port == 0 ? Self.port(of: listener) : port, option: option)
        do throws(TransportError) {
            keeper = try place.kept()
        } catch {
            close(listener)
            throw error
        }
        self.place = place
        self.listener = listener
    }

    /// Takes a free port.
    package static func free() throws(TransportError) -> WebPort {
        // The system checks 127.0.0.1 only: another process may have the port on `::1`.
        for _ in 1..<attemptsMax {
            if let port = try? WebPort(0) { return port }
        }
        return try WebPort(0)
    }

    private static let attemptsMax = 16

    /// Returns the port that the system chose.
    private static func port(of listener: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(listener, $0, &size) == 0
            }
        }
        return isNamed ? UInt16(bigEndian: address.sin_port) : 0
    }

    deinit {
        close(listener)
        if let keeper { close(keeper) }
    }

    /// The number of the port.
    package var number: UInt16 { place.port }

    /// Returns a listening descriptor, which the caller closes.
    func listen() throws(TransportError) -> Int32 {
        let file = fcntl(listener, F_DUPFD_CLOEXEC, 0)
        guard file >= 0 else {
            throw TransportError(
                "\(place.text) cannot be served", hint: "check the limit on open files: ulimit -n")
        }
        return file
    }
}
