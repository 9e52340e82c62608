// SPDX-License-Identifier: Apache-2.0

public import SigningCore
internal import Synchronization

/// Serves the data channels that it is given, each of one peer.
public final class ChannelTransport: Transport {
    private struct Guest: Sendable {
        let channel: any DataChannel
        let peer: Peer
        let patience: ChannelPatience
        let tell: @Sendable (ChannelCount) -> Void
        let ended: Once<ChannelClosure>
    }

    /// `liquid`.
    public let channel: ChannelName = "liquid"
    /// How much it takes in at one time.
    public let limits: TransportLimits
    private let environment: any HubEnvironment
    private let patience: ChannelPatience
    private let heartbeat: ChannelHeartbeat
    private let threads: (any TaskExecutor)?
    /// What serves a channel, as long as it does.
    private let readers = Mutex<[ObjectIdentifier: Task<Void, Never>]>([:])
    /// What is served, and what its frames are answered for.
    private let served = Mutex<[ObjectIdentifier: (any DataChannel, Connection)]>([:])
    /// Channels that wait for the transport to run.
    private let guests = Mailbox<Guest>(countMax: 64)

    /// Answers frames on `threads`, where there are any.
    public convenience init(
        environment: any HubEnvironment,
        limits: TransportLimits = TransportLimits(
            connectionsMax: 16, framesMax: 128, framesPerPeerMax: 64, drainSecondsMax: 5),
        patience: ChannelPatience = ChannelPatience(), on threads: (any TaskExecutor)? = nil
    ) {
        self.init(environment, limits, patience, .usual, on: threads)
    }

    /// The same with other heartbeats.
    init(
        _ environment: any HubEnvironment, _ limits: TransportLimits, _ patience: ChannelPatience,
        _ heartbeat: ChannelHeartbeat, on threads: (any TaskExecutor)? = nil
    ) {
        self.environment = environment
        self.limits = limits
        self.patience = patience
        self.heartbeat = heartbeat
        self.threads = threads
    }

    /// Serves a channel of `peer`, whose door should be this one, until it ends; `patience` is for
    /// it alone, where there is one, and `tell` hears what came, with each message that counts.
    public func serve(
        _ channel: any DataChannel, of peer: Peer, patience: ChannelPatience? = nil,
        telling tell: @escaping @Sendable (ChannelCount) -> Void = { _ in }
    ) async -> ChannelClosure {
        let ended = Once<ChannelClosure>()
        let none = ChannelClosure(reason: "nobody serves it", count: ChannelCount())
        let guest = Guest(
            channel: channel, peer: peer, patience: patience ?? self.patience, tell: tell,
            ended: ended)
        guard await guests.put(guest) else {
            await channel.close()
            return none
        }
        // Whoever waits no longer ends it: what it asked for is asked for by nobody.
        guard let ending = await ended.value() else {
            await channel.close()
            return await Task { await ended.value() }.value ?? none
        }
        return ending
    }

    /// Serves until the task is cancelled.
    public func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError) {
        let connections = Connections(limits, on: threads)
        report(.open("data channels"))
        while let guest = await guests.next() {
            let name = ObjectIdentifier(guest.ended)
            // It cannot be taken out before it is in.
            readers.withLock { readers in
                readers[name] = Task(executorPreference: threads) { [self] in
                    let ending = await serve(guest, among: connections, signer)
                    self.readers.withLock { $0[name] = nil }
                    guest.ended.set(ending)
                }
            }
        }
        report(.draining)
        connections.stop()
        // They read no more; what they have read they answer.
        let all = readers.withLock { Array($0.values) }
        for reader in all { reader.cancel() }
        await connections.drain()
        // The rest is withdrawn: whom a question waits for may take a day.
        let open = served.withLock { Array($0.values) }
        for (_, lockFile) in open { lockFile.close() }
        // Whoever takes no answers is not waited for either.
        let farewell = Task {
            guard (try? await Task.sleep(for: Self.farewell)) != nil else { return }
            await withDiscardingTaskGroup { group in
                for (channel, _) in open { group.addTask { await channel.close() } }
            }
        }
        await Task { for reader in all { await reader.value } }.value
        farewell.cancel()
        guests.close()
        while let late = await Task(operation: { await self.guests.next() }).value {
            await Task { await late.channel.close() }.value
            late.ended.set(ChannelClosure(reason: "nobody serves it", count: ChannelCount()))
        }
        report(.closed)
    }

    private static let farewell = Duration.seconds(1)

    /// How many channels are served.
    var servedCount: Int { readers.withLock { $0.count } }

    private func serve(
        _ guest: Guest, among connections: Connections, _ signer: some Signer
    ) async -> ChannelClosure {
        let lockFile: Connection
        do throws(Connections.Refusal) {
            lockFile = try connections.open(guest.peer)
        } catch {
            await guest.channel.close()
            return ChannelClosure(
                reason: "there are as many channels as there may be", count: ChannelCount())
        }
        let name = ObjectIdentifier(guest.ended)
        served.withLock { $0[name] = (guest.channel, lockFile) }
        defer { served.withLock { $0[name] = nil } }
        let frames = ChannelFrames(
            guest.channel, as: lockFile, asking: signer, environment, guest.patience,
            heartbeat, telling: guest.tell)
        let (reason, count) = await frames.serve()
        return ChannelClosure(reason: reason, count: count)
    }
}

/// How a channel ended.
public struct ChannelClosure: Hashable, Sendable {
    /// Why, in words.
    public let reason: String
    /// What came over it.
    public let count: ChannelCount
}
