// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import SigningTesting
import TestHome

@testable import Socket

/// A folder for one socket, removed at the end.
final class SocketFolder: Sendable {
    private let folder = TemporaryFolder()
    var path: String { folder.path }
    var socket: String { path + "/agent.sock" }

    init() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
    }
}

/// A transport in front of a signer that the test controls.
final class Served: Sendable {
    let folder: SocketFolder
    let signer = HeldSigner()
    private let run: Task<TransportError?, Never>

    init(
        _ limits: TransportLimits = TransportLimits(), folder: SocketFolder? = nil,
        frameBytesMax: Int = 1_000, readiness: String? = nil,
        authenticator: TokenAuthenticator = TokenAuthenticator()
    ) async throws {
        let folder = try folder ?? SocketFolder()
        let transport = try SocketTransport(
            at: SocketAddress(path: folder.socket), limits: limits, wires: ["test"],
            frameBytesMax: frameBytesMax,
            readiness: { readiness }, authenticator: authenticator)
        let (states, seen) = AsyncStream<TransportState>.makeStream()
        self.folder = folder
        run = Task { [signer] in
            do throws(TransportError) {
                try await transport.run(signer) { seen.yield($0) }
                return nil
            } catch {
                seen.finish()
                return error
            }
        }
        for await _ in states { break }
    }

    deinit { run.cancel() }

    func client() throws -> RawClient { try RawClient(folder.socket) }

    /// One request on a separate connection.
    func ask(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String] = [],
        type: String = "application/json"
    ) async throws -> RawClient.Answer? {
        try await client().ask(
            RawClient.request(method, path, body, headers: headers, type: type))
    }

    func stop() async -> TransportError? {
        run.cancel()
        return await run.value
    }
}

/// The text of a member; enough for answers that this project wrote.
func member(_ name: String, of answer: RawClient.Answer?) -> String? {
    guard let answer,
        let value = try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    else { return nil }
    return value[name] as? String
}
