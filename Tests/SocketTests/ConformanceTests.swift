// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import SigningTesting
import Synchronization
import Testing

@testable import Socket

/// One program with all the sockets it needs; they close together.
private final class SocketPeer: TestPeer {
    private struct State {
        var idle: [RawClient] = []
        var all: [RawClient] = []
    }

    private let path: String
    private let name: String
    private let state = Mutex(State())

    init(_ path: String, name: String) throws {
        (self.path, self.name) = (path, name)
        let client = try RawClient(path)
        state.withLock { $0 = State(idle: [client], all: [client]) }
    }

    func send(_ frame: [UInt8]) async -> [UInt8]? {
        guard let client = try? take() else { return nil }
        let frame = Data(frame).base64EncodedString()
        let body = #"{"frame_base64":"\#(frame)","wait_seconds":120}"#
        let answer = await client.ask(
            RawClient.request(
                "POST", "/v1/requests", body, headers: ["Authorization: Bearer \(name)"]))
        if answer != nil { state.withLock { $0.idle.append(client) } }
        return member("reply", of: answer).map { Array($0.utf8) }
    }

    private func take() throws -> RawClient {
        if let client = state.withLock({ $0.idle.popLast() }) { return client }
        let client = try RawClient(path)
        state.withLock { $0.all.append(client) }
        return client
    }

    func leave() async { for client in state.withLock({ $0.all }) { client.leave() } }
}

@Suite("The socket as a transport", .timeLimit(.minutes(10)))
struct ConformanceTests {
    @Test("it passes the suite of all transports")
    func conformance() async throws {
        let folders = Mutex<[ObjectIdentifier: SocketFolder]>([:])
        let count = Mutex(0)
        let suite = TransportConformance(
            make: {
                let folder = try SocketFolder()
                let transport = try SocketTransport(
                    at: SocketAddress(path: folder.socket),
                    limits: TransportLimits(
                        connectionsMax: 8, framesMax: 8, framesPerPeerMax: 3, drainSecondsMax: 540),
                    wires: [], frameBytesMax: 1_000, authenticator: .byName)
                folders.withLock { $0[ObjectIdentifier(transport)] = folder }
                return transport
            },
            connect: { transport in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                let folder = folders.withLock { $0[ObjectIdentifier(transport)] }
                return try SocketPeer(try #require(folder).socket, name: "peer-\(number)")
            })
        let findings = try await suite.findings()
        #expect(findings.isEmpty, "\(findings)")
    }
}

extension TokenAuthenticator {
    /// Accepts a token as the name of the client.
    static let byName = TokenAuthenticator { token throws(AuthenticationRefusal) in
        TokenClient(name: token, isBrowser: false)
    }
}
