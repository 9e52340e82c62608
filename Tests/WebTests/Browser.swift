// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCodecs
import SigningCore
import SigningTesting
import Socket
import Synchronization
import Testing

@testable import Web

/// The reply.
struct Reply {
    let status: Int
    let head: String
    let body: String

    func header(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()):") }
            .map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
    }
}

/// The resource behind the page: notes the peers of its requests, and those that left while
/// waiting.
final class Behind: SocketResource {
    private let left = Mutex(0)
    private let waiting = Mutex(0)

    var waitingCount: Int { waiting.withLock { $0 } }
    var leftCount: Int { left.withLock { $0 } }

    func respond(to request: HTTPRequest) async -> HTTPResponse? {
        if request.head.path == "/v1/waits" {
            waiting.withLock { $0 += 1 }
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) }
            left.withLock { $0 += 1 }
            return .busy("nobody is there any more")
        }
        guard request.head.path == "/v1/behind" else { return nil }
        if let refusal = request.head.misdirected(methods: ["GET", "POST"]) { return refusal }
        if request.head.method == "POST", !request.head.isJSON { return .notJSON }
        return HTTPResponse(200, ["user": .integer(Int64(request.peer.provedUserID ?? 0))])
    }
}

/// A served page with one valid code.
final class Page: Sendable {
    static let code = "0123456789abcdef0123456789abcdef"
    static let token = String(repeating: "ab", count: 32)
    static let names = WebNames(
        inbox: WebName([UInt8](repeating: 0x1B, count: 16)),
        windows: WebName([UInt8](repeating: 0x2D, count: 16)))
    let port: UInt16
    let behind = Behind()
    private let task: Task<Void, Never>

    init(_ signer: some Signer = HeldSigner()) async throws {
        let port = try Self.freePort()
        self.port = port
        let codes = Mutex(Set([Self.code]))
        let pairing = WebPairing(
            pair: { code in codes.withLock { $0.remove(code) } == nil ? nil : Self.token },
            isKnown: { $0 == Self.token })
        let (opened, isOpen) = AsyncStream<Void>.makeStream()
        let transport = WebTransport(
            at: try WebPort(port), as: Self.names, for: pairing, resources: [behind],
            acts: [PageAct(id: "revokeGrant", method: "DELETE", path: "/v1/grants/{id}")])
        task = Task {
            try? await transport.run(signer) { if case .open = $0 { isOpen.yield() } }
            isOpen.finish()
        }
        for await _ in opened { break }
    }

    deinit { task.cancel() }

    /// Sends exactly these bytes, and reads until the other end closes or an answer is complete.
    func send(
        _ text: String, leavingWhen isReady: (@Sendable () -> Bool)? = nil,
        closing isClosing: Bool = false
    ) async throws -> Reply? {
        try await Self.exchange(text, at: port, leavingWhen: isReady, closing: isClosing)
    }

    /// Sends a request to any port and reads the reply.
    ///
    /// A client that leaves does not wait for the answer; one that closes ends its side in the
    /// segment that carries the request.
    static func exchange(
        _ text: String, at port: UInt16, leavingWhen isReady: (@Sendable () -> Bool)? = nil,
        closing isClosing: Bool = false
    ) async throws -> Reply? {
        // The page is served on Dispatch's few threads, which also run the tests, so no thread may
        // block.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try exchange(text, with: port, isReady, isClosing) })
            }
        }
    }

    private static func exchange(
        _ text: String, with port: UInt16, _ isReady: (() -> Bool)?, _ isClosing: Bool
    ) throws -> Reply? {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(file) }
        var address = address(port)
        let isThere = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isThere)
        let sent = Array(text.utf8)
        let flags = isClosing ? Int32(MSG_MORE) : 0
        try #require(unsafe Glibc.send(file, sent, sent.count, flags) == sent.count)
        if isClosing { shutdown(file, Int32(SHUT_WR)) }
        if let isReady {
            while !isReady() { usleep(1_000) }
            return nil
        }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(file, &part, part.count)
            if count <= 0 { break }
            bytes += part.prefix(count)
            if let reply = reply(bytes) { return reply }
        }
        return reply(bytes)
    }

    /// The value of `Host` for the inbox, or for the pages through which clients ask.
    func host(_ site: WebSite) -> String {
        (site == .inbox ? Self.names.inbox : Self.names.windows).host(port)
    }

    /// A request of the page, with the headers in `headers` replaced; nil removes a header.
    ///
    /// It goes to the site that has such a path, unless `site` says otherwise.
    func ask(
        _ method: String, _ path: String, _ body: String? = nil, _ headers: [String: String?] = [:],
        at site: WebSite? = nil, leavingWhen isReady: (@Sendable () -> Bool)? = nil
    ) async throws -> Reply? {
        let bare = String(path.prefix { $0 != "?" })
        let isForOthers = bare.hasPrefix("/near") || NEARPages.window(bare) != nil
        let host = host(site ?? (isForOthers ? .windows : .inbox))
        var all: [String: String?] = [
            "Host": host, "Origin": "http://\(host)",
            "Sec-Fetch-Site": "same-origin", "Countersign-Web": Self.token,
            "Content-Type": "application/json",
        ]
        all.merge(headers) { $1 }
        let lines = all.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
        return try await send(
            "\(method) \(path) HTTP/1.1\r\n\(lines.joined())\(length)\r\n\(body ?? "")",
            leavingWhen: isReady)
    }

    private static func reply(_ bytes: [UInt8]) -> Reply? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = String(text[..<end.lowerBound])
        let body = String(text[end.upperBound...])
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let reply = Reply(status: status, head: head, body: body)
        let length = reply.header("content-length").flatMap { Int($0) } ?? 0
        return body.utf8.count >= length ? reply : nil
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func freePort() throws -> UInt16 {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(file) }
        var address = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isNamed = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(file, $0, size) == 0 && getsockname(file, $0, &size) == 0
            }
        }
        try #require(isNamed)
        return UInt16(bigEndian: address.sin_port)
    }
}
