// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningService

/// The service manager that waits until the agent answers (`Type=notify`, sd_notify(3)).
package final class ServiceManager: Sendable {
    private let socket: Int32

    /// Connects to the service manager in `NOTIFY_SOCKET`; nil if the variable is not set.
    ///
    /// Call this before the sandbox, which forbids to create Unix sockets. The variable is removed,
    /// so that child processes do not report for the agent.
    package static func inherited() throws(ServiceError) -> ServiceManager? {
        guard let value = unsafe getenv("NOTIFY_SOCKET") else { return nil }
        let address = unsafe String(cString: value)
        _ = unsafe unsetenv("NOTIFY_SOCKET")
        return try ServiceManager(at: address)
    }

    /// Connects to a datagram socket; an address that begins with `@` is abstract.
    init(at address: String) throws(ServiceError) {
        let socket = Glibc.socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0, Self.connect(socket, to: Array(address.utf8)) else {
            if socket >= 0 { close(socket) }
            throw ServiceError(
                "the service manager cannot be reached at NOTIFY_SOCKET=\(address)",
                hint: "it may wait for the agent in vain: see Type= in the unit")
        }
        self.socket = socket
    }

    deinit { close(socket) }

    /// Tells the service manager that the agent answers.
    package func reportReady() {
        let message = Array("READY=1".utf8)
        _ = unsafe send(socket, message, message.count, Int32(MSG_NOSIGNAL))
    }

    private static func connect(_ socket: Int32, to name: [UInt8]) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = name.first == UInt8(ascii: "@")
        guard isAbstract || name.first == UInt8(ascii: "/"),
            name.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return false }
        let bytes = isAbstract ? [0] + name.dropFirst() : name
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        // The length counts: all bytes of an abstract address are its name.
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(socket, $0, size) == 0
            }
        }
    }
}
