// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCodecs
import SigningCore
import SigningTesting
import Synchronization
import TestHome

@testable import LiquidAuth

/// The page's end of a channel whose other end a transport serves.
final class PageEnd: Sendable {
    let channel: LoopbackChannel
    let ending: Task<ChannelClosure, Never>

    init(of transport: ChannelTransport, maxMessageSize: Int = 256 << 10, host: String = "page") {
        let (own, page) = LoopbackChannel.pair(maxMessageSize: maxMessageSize)
        channel = page
        let peer = Peer(channel: transport.channel, claim: host)
        ending = Task { await transport.serve(own, of: peer) }
    }

    func send(_ text: String) async throws {
        try await channel.send(ChannelMessage(Array(text.utf8)))
    }

    /// The next message as text; nil if the channel was closed.
    func next() async -> String? {
        await channel.next().map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}

/// A running transport in front of a test double of the signer.
final class ChannelRig: Sendable {
    let transport: ChannelTransport
    let signer = HeldSigner()
    private let run: Task<Void, Never>

    init(
        patience: ChannelPatience = ChannelPatience(),
        limits: TransportLimits = TransportLimits(
            connectionsMax: 4, framesMax: 64, framesPerPeerMax: 3, drainSecondsMax: 60),
        heartbeat: ChannelHeartbeat = .usual
    ) {
        let transport = ChannelTransport(FixedEnvironment(), limits, patience, heartbeat)
        self.transport = transport
        run = Task { [signer] in try? await transport.run(signer) { _ in } }
    }

    func stop(lettingGo: Bool = true) async {
        if lettingGo { signer.release() }
        run.cancel()
        await run.value
    }
}

/// A request with an id.
func request(_ id: String, method: String = "sign_message") -> String {
    #"{"id":"\#(id)","reference":"arc0027:\#(method):request","params":{"providerId":"p"}}"#
}

/// A script in place of the program that keeps channels.
struct FakeProgram {
    private let folder = TemporaryFolder()
    var path: String { folder.path + "/program" }

    init(_ script: String, mode: Int = 0o700) throws {
        let files = FileManager.default
        try files.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data(script.utf8).write(to: URL(filePath: folder.path + "/program"))
        try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Starts the script, whose file exists until then.
    func start() async throws -> ChannelProcess {
        while true {
            let started = Result { try ChannelProcess(try ChannelProgram(named: path)) }
            // Another test forked while this file was open for writing, so its execution fails as
            // "busy".
            guard case .failure(let error) = started, "\(error)".contains("busy") else {
                return try started.get()
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// The result of `--check`.
    func check() async throws -> ChannelProgram.Check {
        while true {
            let said = try ChannelProgram(named: path).check()
            guard said == .missing("it cannot be started") else { return said }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
