// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A client that sends any bytes, HTTP or not, on threads that may block.
final class RawClient: Sendable {
    struct Answer: Sendable {
        let status: Int
        let head: String
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var isProblem: Bool { head.contains("content-type: application/problem+json") }
    }

    private let file: Int32

    init(_ path: String) throws {
        file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: path.utf8)
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(file, $0, size)
            }
        }
        // The deinitialiser closes the socket, even if this throws.
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        // A missing answer fails one test and does not block the others.
        var time = timeval(tv_sec: 540, tv_usec: 0)
        let option = unsafe setsockopt(
            file, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        precondition(option == 0)
    }

    deinit { close(file) }

    /// Ends both directions at once, for every thread that reads.
    func leave() { shutdown(file, Int32(SHUT_RDWR)) }

    /// Sends bytes; returns false if the other end is closed.
    @discardableResult
    func put(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest)
            let count = unsafe send(file, part, part.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Runs blocking calls on a separate thread.
    func blocking<R: Sendable>(_ body: @escaping @Sendable (RawClient) -> R) async -> R {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(returning: body(self)) }
        }
    }

    /// Reads one answer; nil if the connection ends before it is complete.
    func get() -> Answer? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard let byte = read(1)?.first else { return nil }
            head.append(byte)
        }
        let text = String(decoding: head, as: UTF8.self).lowercased()
        let lines = text.split(separator: "\r\n")
        let length = lines.first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).filter { $0 != " " }) }
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        // "100 Continue" comes before the answer.
        if status == 100 { return get() }
        guard let body = read(length ?? 0) else { return nil }
        return Answer(status: status, head: text, body: body)
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var part = [UInt8](repeating: 0, count: count - bytes.count)
            let got = unsafe recv(file, &part, part.count, 0)
            guard got > 0 else { return nil }
            bytes += part[..<got]
        }
        return bytes
    }

    /// Waits until this connection or another ends, and returns which of them have.
    func isOver(beside other: RawClient) -> (Bool, Bool) {
        var files = [file, other.file].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while unsafe poll(&files, nfds_t(files.count), -1) < 0, errno == EINTR {}
        return (files[0].revents != 0, files[1].revents != 0)
    }

    /// Sends a request and reads its answer.
    func ask(_ request: String) async -> Answer? {
        await blocking { client in
            // A refused client gets an answer although the server did not read its whole request.
            client.put(Array(request.utf8))
            return client.get()
        }
    }

    /// The text of a whole request.
    static func request(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String] = [],
        type: String = "application/json"
    ) -> String {
        let length =
            body.map { ["Content-Type: \(type)", "Content-Length: \($0.utf8.count)"] } ?? []
        return (["\(method) \(path) HTTP/1.1", "Host: localhost"] + length + headers)
            .joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }
}
