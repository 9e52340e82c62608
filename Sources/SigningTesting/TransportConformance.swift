// SPDX-License-Identifier: Apache-2.0

public import SigningCore
import Synchronization

/// The client end of one peer in a test.
public protocol TestPeer: Sendable {
    /// Sends a frame; returns the answer, or nil if the transport refuses it or sends none.
    func send(_ frame: [UInt8]) async -> [UInt8]?
    /// Disconnects, like a program that ends.
    func leave() async
}

/// The checks that every transport must pass, for any medium.
///
/// The signer behind it is a double, which answers when a test says so. Each function returns the
/// problems as sentences; an empty list is a pass.
public struct TransportConformance<Moved: Transport>: Sendable {
    private let make: @Sendable () async throws -> Moved
    private let connect: @Sendable (Moved) async throws -> any TestPeer

    /// `connect` creates another peer of a running transport.
    public init(
        make: @escaping @Sendable () async throws -> Moved,
        connect: @escaping @Sendable (Moved) async throws -> any TestPeer
    ) {
        self.make = make
        self.connect = connect
    }

    /// Runs all checks.
    public func findings() async throws -> [String] {
        try await answersEachItsOwn() + boundsPeers() + boundsConnections()
            + reportsCancelledRequests()
            + drains()
    }

    /// Checks that answers go to the sender of the frame, byte for byte, and that the peer has the
    /// transport's channel name.
    public func answersEachItsOwn() async throws -> [String] {
        try await running { transport, signer in
            signer.release()
            let peers = [try await connect(transport), try await connect(transport)]
            async let first = peers[0].send(Array("one".utf8))
            async let second = peers[1].send(Array("two".utf8))
            let answers = await [first, second]
            return check([
                (
                    "an answer is another's",
                    answers == [Array("re: one".utf8), Array("re: two".utf8)]
                ),
                ("a frame names another channel", signer.channels == [transport.channel]),
            ])
        }
    }

    /// Checks that one peer cannot take the places of others.
    public func boundsPeers() async throws -> [String] {
        try await running { transport, signer in
            let limit = transport.limits.framesPerPeerMax
            let busy = try await connect(transport)
            let waiting = (0..<limit).map { number in
                Task { await busy.send(Array("frame \(number)".utf8)) }
            }
            await signer.holds(limit)
            let isRefused = await busy.send(Array("one more".utf8)) != Array("re: one more".utf8)
            let other = try await connect(transport)
            let others = Task { await other.send(Array("other".utf8)) }
            await signer.holds(limit + 1)
            signer.release()
            let isServed = await others.value == Array("re: other".utf8)
            for task in waiting { _ = await task.value }
            return check([
                ("a peer has more frames in flight than its limit", isRefused),
                ("one peer keeps another out", isServed),
            ])
        }
    }

    /// Checks that a peer that disconnects cancels its requests.
    public func reportsCancelledRequests() async throws -> [String] {
        try await running { transport, signer in
            let peer = try await connect(transport)
            let waiting = Task { await peer.send(Array("frame".utf8)) }
            await signer.holds(1)
            await peer.leave()
            await signer.waitForLeaving()
            _ = await waiting.value
            return []
        }
    }

    /// Checks that connections beyond the limit are refused, and that a closed one frees its place.
    public func boundsConnections() async throws -> [String] {
        try await running { transport, signer in
            signer.release()
            let ping = Array("ping".utf8)
            var peers: [any TestPeer] = []
            for _ in 0..<transport.limits.connectionsMax {
                peers.append(try await connect(transport))
            }
            for peer in peers { _ = await peer.send(ping) }
            // Either the new connection is refused, or an old one is closed for it.
            if let extra = try? await connect(transport) { peers.insert(extra, at: 0) }
            var servedCount = 0
            for peer in peers where await peer.send(ping) != nil { servedCount += 1 }
            for peer in peers.prefix(2) { await peer.leave() }
            let end = ContinuousClock.now + .seconds(400)
            var isServed = false
            while !isServed, ContinuousClock.now < end {
                isServed = await (try? connect(transport))?.send(ping) != nil
            }
            return check([
                (
                    "there are more connections than its limit",
                    servedCount <= transport.limits.connectionsMax
                ),
                ("a connection that goes makes no room", isServed),
            ])
        }
    }

    /// Checks that requests in progress are answered when the transport stops, and that new ones
    /// are refused.
    public func drains() async throws -> [String] {
        let (transport, signer, states) = (try await make(), HeldSigner(), States())
        let run = Task { try? await transport.run(signer) { states.add($0) } }
        await states.contains { _ in true }
        let peer = try await connect(transport)
        let waiting = Task { await peer.send(Array("frame".utf8)) }
        await signer.holds(1)
        run.cancel()
        await states.contains { $0 == .draining }
        let late = await peer.send(Array("late".utf8))
        signer.release()
        let answered = await waiting.value
        _ = await run.value
        return check([
            ("what was in flight is lost", answered == Array("re: frame".utf8)),
            ("a frame is taken in while it stops", late != Array("re: late".utf8)),
            ("it does not say that it closed", states.last == .closed),
        ])
    }

    private func running(
        _ body: (Moved, HeldSigner) async throws -> [String]
    ) async throws -> [String] {
        let (transport, signer, states) = (try await make(), HeldSigner(), States())
        let run = Task { try? await transport.run(signer) { states.add($0) } }
        await states.contains { _ in true }
        let findings = try await body(transport, signer)
        signer.release()
        run.cancel()
        _ = await run.value
        return findings
    }

    private func check(_ facts: [(String, Bool)]) -> [String] {
        facts.filter { !$0.1 }.map(\.0)
    }
}

/// The states that a transport has reported.
private final class States: Sendable {
    private let states = Mutex<[TransportState]>([])

    var last: TransportState? { states.withLock { $0.last } }
    func add(_ state: TransportState) { states.withLock { $0.append(state) } }
    func contains(_ isWanted: @Sendable (TransportState) -> Bool) async {
        while !states.withLock({ $0.contains(where: isWanted) }) {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}
