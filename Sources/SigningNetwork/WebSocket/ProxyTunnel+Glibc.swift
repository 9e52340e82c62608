// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A connection to a server through a SOCKS5 proxy, which a local port lends to libwebsockets:
/// Debian builds that library without support for such proxies.
///
/// Every call blocks its thread, at most for `patience` until the tunnel is open.
struct ProxyTunnel: ~Copyable {
    /// The connection through the proxy.
    private let far: Descriptor
    /// The socket that waits for the library.
    private let listener: Descriptor
    /// The port at which the library finds the tunnel.
    let port: UInt16

    /// The address of the local port.
    static let place = "127.0.0.1"
    /// The maximum time until the proxy has connected: Tor may have to build a circuit first.
    static let patience = Duration.seconds(60)
    /// The maximum time until the library has connected.
    private static let localPatience = Duration.seconds(10)

    /// Connects to a server; only the proxy learns and resolves its name.
    init(
        to host: String, _ port: Int, through proxy: SOCKSProxy, patience: Duration = patience
    ) throws(TunnelError) {
        guard let number = UInt16(exactly: port),
            let request = SOCKSHandshake.request(host, number)
        else { throw TunnelError(text: "the proxy cannot be given this address") }
        let end = ContinuousClock.now + patience
        let far = try Descriptor.connected(to: proxy, until: end)
        try far.write(SOCKSHandshake.greeting, until: end)
        try SOCKSHandshake.check(
            greetingReply: try far.read(SOCKSHandshake.greetingReplyCount, until: end))
        try far.write(request, until: end)
        let type = try SOCKSHandshake.addressType(
            replyHead: try far.read(SOCKSHandshake.replyHeadCount, until: end))
        if let count = try SOCKSHandshake.restCount(of: type) {
            _ = try far.read(count, until: end)
        } else {
            let count = try far.read(1, until: end)[0]
            _ = try far.read(Int(count) + 2, until: end)
        }
        let listener = try Descriptor.listening()
        self.port = listener.boundPort
        self.far = far
        self.listener = listener
    }

    /// Carries bytes in both directions until one side closes.
    ///
    /// Another program on this machine could connect first. It would reach the relay, as it can
    /// through the proxy itself, and the socket here would fail and be opened again.
    consuming func run() {
        guard let near = listener.accepted(until: .now + Self.localPatience) else { return }
        var flows = [
            Flow(from: near.number, to: far.number), Flow(from: far.number, to: near.number),
        ]
        while !flows.contains(where: \.isOver) {
            var ready = flows.flatMap(\.waits)
            guard unsafe poll(&ready, nfds_t(ready.count), -1) >= 0 || errno == EINTR else {
                return
            }
            for index in flows.indices { flows[index].carry() }
        }
    }
}

/// Bytes on their way in one direction of a tunnel.
private struct Flow {
    private let from: Int32
    private let to: Int32
    /// The bytes that were read and not written yet.
    private var bytes: ArraySlice<UInt8> = []
    private var hasEnded = false

    private static let bytesMax = 16 << 10

    init(from: Int32, to: Int32) {
        self.from = from
        self.to = to
    }

    /// True if nothing more can be carried.
    var isOver: Bool { hasEnded && bytes.isEmpty }

    /// The one event it waits for.
    var waits: [pollfd] {
        bytes.isEmpty
            ? [pollfd(fd: from, events: Int16(POLLIN), revents: 0)]
            : [pollfd(fd: to, events: Int16(POLLOUT), revents: 0)]
    }

    /// Reads if nothing waits to be written, and writes as much as possible.
    mutating func carry() {
        if bytes.isEmpty {
            var piece = [UInt8](repeating: 0, count: Self.bytesMax)
            let count = unsafe recv(from, &piece, piece.count, 0)
            if count > 0 {
                bytes = piece[..<count]
            } else if !Descriptor.isEarly(count) {
                hasEnded = true
            }
        }
        guard !bytes.isEmpty else { return }
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe send(to, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        if count > 0 {
            bytes = bytes.dropFirst(count)
        } else if !Descriptor.isEarly(count) {
            hasEnded = true
            bytes = []
        }
    }
}

/// A socket that does not block, and is closed with this value.
private struct Descriptor: ~Copyable {
    let number: Int32

    private init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    private static func made(_ family: Int32) -> Int32 {
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        return socket(family, Int32(type), 0)
    }

    /// Whether a call with this result can succeed later.
    static func isEarly(_ count: Int) -> Bool {
        count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
    }

    /// Connects to a proxy.
    static func connected(
        to proxy: SOCKSProxy, until end: ContinuousClock.Instant
    ) throws(TunnelError) -> Descriptor {
        guard let (family, address) = address(of: proxy) else {
            throw TunnelError(text: "the proxy has no IP address")
        }
        let socket = Descriptor(made(family))
        var problem = unsafe address.withUnsafeBytes { unsafe connect(socket.number, $0) }
        if problem == EINPROGRESS, socket.waits(for: POLLOUT, until: end) {
            var count = socklen_t(MemoryLayout<Int32>.size)
            unsafe getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &problem, &count)
        }
        guard problem == 0 else {
            throw TunnelError(
                text: problem == ECONNREFUSED
                    ? "the proxy is not running" : "the proxy cannot be reached")
        }
        return socket
    }

    /// The family and the bytes of the address of a proxy.
    private static func address(of proxy: SOCKSProxy) -> (Int32, [UInt8])? {
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if unsafe inet_pton(AF_INET, proxy.host, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = proxy.port.bigEndian
            return (AF_INET, unsafe withUnsafeBytes(of: &four) { unsafe Array($0) })
        }
        guard unsafe inet_pton(AF_INET6, proxy.host, &six.sin6_addr) == 1 else { return nil }
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = proxy.port.bigEndian
        return (AF_INET6, unsafe withUnsafeBytes(of: &six) { unsafe Array($0) })
    }

    private static func connect(_ socket: Int32, _ address: UnsafeRawBufferPointer) -> Int32 {
        guard let start = unsafe address.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
            return EINVAL
        }
        return unsafe Glibc.connect(socket, start, socklen_t(address.count)) == 0 ? 0 : errno
    }

    /// Makes a socket that listens on a free port of this machine.
    static func listening() throws(TunnelError) -> Descriptor {
        let descriptor = Descriptor(made(AF_INET))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = descriptor.number
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(socket, address, count)
            }
        }
        guard code == 0, listen(socket, 1) == 0 else {
            throw TunnelError(text: "the sandbox of this agent admits no proxy: restart the agent")
        }
        return descriptor
    }

    /// The local port of a listening socket.
    var boundPort: UInt16 {
        var address = sockaddr_in()
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = number
        _ = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(socket, address, &count)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// The first connection to a listening socket; nil if none arrives in time.
    func accepted(until end: ContinuousClock.Instant) -> Descriptor? {
        while waits(for: POLLIN, until: end) {
            let socket = accept(number, nil, nil)
            if socket >= 0 {
                // The agent starts programs by a helper process, so the flags need not be atomic.
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                _ = fcntl(socket, F_SETFL, O_NONBLOCK)
                return Descriptor(socket)
            }
            guard Self.isEarly(Int(socket)) else { return nil }
        }
        return nil
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8], until end: ContinuousClock.Instant) throws(TunnelError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { rest in
                unsafe send(number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else {
                guard Self.isEarly(count), waits(for: POLLOUT, until: end) else { throw Self.gone }
            }
        }
    }

    /// Reads exactly this many bytes, so that the first bytes of the server stay unread.
    func read(_ count: Int, until end: ContinuousClock.Instant) throws(TunnelError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard waits(for: POLLIN, until: end) else {
                throw TunnelError(text: "the proxy does not answer in time")
            }
            var piece = [UInt8](repeating: 0, count: count - bytes.count)
            let read = unsafe recv(number, &piece, piece.count, 0)
            if read > 0 {
                bytes += piece[..<read]
            } else if !Self.isEarly(read) {
                throw Self.gone
            }
        }
        return bytes
    }

    private static let gone = TunnelError(text: "the proxy ended the connection")

    private func waits(for event: Int32, until end: ContinuousClock.Instant) -> Bool {
        while true {
            let left = end - .now
            guard left > .zero else { return false }
            let milliseconds =
                left.components.seconds * 1_000
                + left.components.attoseconds / 1_000_000_000_000_000
            var ready = pollfd(fd: number, events: Int16(event), revents: 0)
            let count = unsafe poll(&ready, 1, Int32(clamping: milliseconds + 1))
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else { return false }
        }
    }
}
