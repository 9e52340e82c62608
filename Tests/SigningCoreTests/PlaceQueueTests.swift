// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import Synchronization
import Testing

@testable import SigningCore

/// The clients that received a place, in order.
private final class Served: Sendable {
    private let names = Mutex<[String]>([])
    var all: [String] { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0.append(name) } }
    func holds(_ count: Int) async {
        while all.count < count, !Task.isCancelled { await Task.yield() }
    }
}

@Suite("Lines in front of places", .timeLimit(.minutes(5)))
struct PlaceQueueTests {
    private static func bunkerClient(_ name: String) -> Peer {
        let key = ProvedKey(
            publicKey: name, account: KeyID("01"), connection: "c \(name)", name: name)
        return Peer(channel: "relay", provedKey: key)
    }

    private let loud = Self.bunkerClient("loud").countedClient
    private let quiet = Self.bunkerClient("quiet").countedClient
    private let third = Self.bunkerClient("third").countedClient

    private static func shares(_ all: Int, _ own: Int) -> SharedPlaces.Shares {
        SharedPlaces.Shares(all: all, ofClient: own, ofSite: own, ofKind: all, reserve: 0)
    }

    private func queue(
        _ all: Int, _ own: Int, waiting: Int, bytesOfClient: Int = 100, bytes: Int = 200,
        patience: Duration = .seconds(600)
    ) -> PlaceQueue {
        PlaceQueue(
            Self.shares(all, own),
            PlaceQueue.Lines(
                Self.shares(4 * waiting, waiting), bytesOfClient: bytesOfClient, bytes: bytes,
                patience: patience))
    }

    /// The reason that a client receives no place; nil if it does.
    private static func refusal(
        _ queue: PlaceQueue, _ countedClient: CountedClient, bytes: Int = 0
    ) async -> PlaceQueue.Refusal? {
        do throws(PlaceQueue.Refusal) { try await queue.take(countedClient, bytes: bytes) } catch {
            return error
        }
        return nil
    }

    /// Starts a task for each name, which takes a place as soon as one is free.
    private func start(
        _ queue: PlaceQueue, _ countedClient: CountedClient, _ names: [String], _ served: Served
    ) -> [Task<Void, any Error>] {
        names.map { name in
            Task.immediate { @Sendable in
                try await queue.take(countedClient)
                served.add(name)
            }
        }
    }

    @Test("a caller's requests get their places in the order in which they came")
    func order() async throws {
        let queue = queue(8, 2, waiting: 1_000)
        let (names, served) = ((0..<1_000).map { "\($0)" }, Served())
        let tasks = start(queue, loud, names, served)
        // Another client has its own places meanwhile.
        try await queue.take(quiet)
        #expect(queue.count == 3)
        for count in 2...1_000 {
            await served.holds(count)
            queue.leave(loud)
        }
        for task in tasks { try await task.value }
        #expect(served.all == names)
    }

    @Test("callers that wait take turns, however long the line of one is")
    func turns() async throws {
        let queue = queue(1, 1, waiting: 100)
        let served = Served()
        try await queue.take(third)
        let tasks =
            start(queue, loud, Array(repeating: "loud", count: 50), served)
            + start(queue, quiet, ["quiet", "quiet"], served)
        queue.leave(third)
        for count in 1...52 {
            await served.holds(count)
            queue.leave(served.all.last == "loud" ? loud : quiet)
        }
        for task in tasks { try await task.value }
        #expect(Array(served.all.prefix(5)) == ["loud", "quiet", "loud", "quiet", "loud"])
    }

    @Test("a line has an end, in number and in bytes, and takes nothing from another's")
    func bounds() async throws {
        let queue = queue(2, 1, waiting: 3)
        try await queue.take(loud)
        try await queue.take(quiet)
        let waiting = (0..<3).map { _ in
            Task.immediate { @Sendable [loud] in await Self.refusal(queue, loud, bytes: 40) }
        }
        // 80 of 100 bytes wait, so the third request was refused; a small one still fits.
        #expect(await waiting[2].value == .ofClient)
        let small = Task.immediate { @Sendable [loud] in await Self.refusal(queue, loud, bytes: 1) }
        #expect(await Self.refusal(queue, loud) == .ofClient)
        // A client without a waiting request may add one, even beyond the common limit.
        let other = Task.immediate { @Sendable [quiet] in
            await Self.refusal(queue, quiet, bytes: 300)
        }
        #expect(await Self.refusal(queue, third, bytes: 300) == .ofAll)
        for _ in 0..<4 { queue.leave(loud) }
        queue.leave(quiet)
        for task in [waiting[0], waiting[1], small, other] { #expect(await task.value == nil) }
    }

    @Test(
        "a client that waits too long is refused, one that leaves is gone, and an end reaches all")
    func endings() async throws {
        let short = queue(2, 1, waiting: 10, patience: .milliseconds(50))
        try await short.take(loud)
        #expect(await Self.refusal(short, loud) == .ofClient)
        try await short.take(quiet)
        #expect(await Self.refusal(short, third) == .ofAll)
        let queue = queue(1, 1, waiting: 10)
        try await queue.take(loud)
        let left = Task.immediate { @Sendable [loud] in await Self.refusal(queue, loud) }
        let next = Task.immediate { @Sendable [loud] in await Self.refusal(queue, loud) }
        left.cancel()
        #expect(await left.value == .left)
        queue.leave(loud)
        #expect(await next.value == nil)
        let last = Task.immediate { @Sendable [quiet] in await Self.refusal(queue, quiet) }
        queue.end()
        #expect(await last.value == .ended)
        #expect(await Self.refusal(queue, third) == .ended)
    }

    @Test("without lines no client waits")
    func none() async throws {
        let queue = PlaceQueue(Self.shares(2, 1))
        try await queue.take(loud)
        #expect(await Self.refusal(queue, loud) == .ofClient)
    }

    @Test("a connection that closes while its frames wait takes them out of the line")
    func closed() async throws {
        let connections = Connections(
            TransportLimits(
                framesMax: 4, framesPerPeerMax: 1, drainSecondsMax: 0, framesWaitingPerPeerMax: 8))
        let signer = HeldSigner()
        let connection = try connections.open(Self.bunkerClient("loud"))
        func send() -> Task<Connections.Refusal?, Never> {
            Task.immediate { @Sendable in
                do throws(Connections.Refusal) {
                    _ = try await connection.answer([1], by: signer)
                    return nil
                } catch {
                    return error
                }
            }
        }
        let first = send()
        await signer.holds(1)
        let waiting = (0..<5).map { _ in send() }
        connection.close()
        #expect(await first.value == nil)
        for task in waiting { #expect(await task.value == .closed) }
        let again = try connections.open(Self.bunkerClient("loud"))
        signer.release()
        _ = try await again.answer([1], by: signer)
    }
}
