// SPDX-License-Identifier: Apache-2.0

public import SigningCore
internal import Synchronization

/// Serves data channels, each of one peer.
public final class ChannelTransport: Transport {
    private struct PendingChannel: Sendable {
        let channel: any DataChannel
        let peer: Peer
        let patience: ChannelPatience
        let report: @Sendable (ChannelCount) -> Void
        let ended: Once<ChannelClosure>
    }

    /// The channel name, `liquid`.
    public let channel: ChannelName = "liquid"
    /// The limits on concurrent channels and frames.
    public let limits: TransportLimits
    private let environment: any HubEnvironment
    private let patience: ChannelPatience
    private let heartbeat: ChannelHeartbeat
    private let threads: (any TaskExecutor)?
    /// The tasks that serve channels.
    private let readers = Mutex<[ObjectIdentifier: Task<Void, Never>]>([:])
    /// The served channels with their peer connections.
    private let served = Mutex<[ObjectIdentifier: (any DataChannel, Connection)]>([:])
    /// The channels that wait for the transport to run.
    private let pendingChannels = Mailbox<PendingChannel>(countMax: 64)

    /// Creates a transport; frames are answered on `threads`, if given.
    public convenience init(
        environment: any HubEnvironment,
        limits: TransportLimits = TransportLimits(
            connectionsMax: 16, framesMax: 128, framesPerPeerMax: 64, drainSecondsMax: 5),
        patience: ChannelPatience = ChannelPatience(), on threads: (any TaskExecutor)? = nil
    ) {
        self.init(environment, limits, patience, .usual, on: threads)
    }

    /// Creates a transport with other heartbeats.
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

    /// Serves a channel of `peer` until it ends.
    ///
    /// The peer's channel name should be that of this transport. `patience` replaces the limits for
    /// this channel. `report` is called with the numbers for each counted message.
    public func serve(
        _ channel: any DataChannel, of peer: Peer, patience: ChannelPatience? = nil,
        reporting report: @escaping @Sendable (ChannelCount) -> Void = { _ in }
    ) async -> ChannelClosure {
        let ended = Once<ChannelClosure>()
        let none = ChannelClosure(reason: "the agent is stopping", count: ChannelCount())
        let pending = PendingChannel(
            channel: channel, peer: peer, patience: patience ?? self.patience, report: report,
            ended: ended)
        guard await pendingChannels.put(pending) else {
            await channel.close()
            return none
        }
        // If the caller is cancelled, the channel is closed and its questions are withdrawn.
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
        while let pending = await pendingChannels.next() {
            let name = ObjectIdentifier(pending.ended)
            // Under the lock, so that the task cannot remove itself before it is added.
            readers.withLock { readers in
                readers[name] = Task(executorPreference: threads) { [self] in
                    let ending = await serve(pending, among: connections, signer)
                    self.readers.withLock { $0[name] = nil }
                    pending.ended.set(ending)
                }
            }
        }
        report(.draining)
        connections.stop()
        // The cancelled tasks stop reading and answer the messages that they have read.
        let all = readers.withLock { Array($0.values) }
        for reader in all { reader.cancel() }
        await connections.drain()
        // Other questions are withdrawn, as a person may take a day to answer.
        let open = served.withLock { Array($0.values) }
        for (_, peerConnection) in open { peerConnection.close() }
        // A peer that accepts no answers must not delay the end.
        let closing = Task {
            guard (try? await Task.sleep(for: Self.closingTime)) != nil else { return }
            await withDiscardingTaskGroup { group in
                for (channel, _) in open { group.addTask { await channel.close() } }
            }
        }
        await Task { for reader in all { await reader.value } }.value
        closing.cancel()
        pendingChannels.close()
        while let late = await Task(operation: { await self.pendingChannels.next() }).value {
            await Task { await late.channel.close() }.value
            late.ended.set(ChannelClosure(reason: "the agent is stopping", count: ChannelCount()))
        }
        report(.closed)
    }

    private static let closingTime = Duration.seconds(1)

    /// The number of served channels.
    var servedCount: Int { readers.withLock { $0.count } }

    private func serve(
        _ pending: PendingChannel, among connections: Connections, _ signer: some Signer
    ) async -> ChannelClosure {
        let peerConnection: Connection
        do throws(Connections.Refusal) {
            peerConnection = try connections.open(pending.peer)
        } catch {
            await pending.channel.close()
            return ChannelClosure(
                reason: "too many channels are open", count: ChannelCount())
        }
        let name = ObjectIdentifier(pending.ended)
        served.withLock { $0[name] = (pending.channel, peerConnection) }
        defer { served.withLock { $0[name] = nil } }
        let frames = ChannelFrames(
            pending.channel, as: peerConnection, asking: signer, environment, pending.patience,
            heartbeat, reporting: pending.report)
        let (reason, count) = await frames.serve()
        return ChannelClosure(reason: reason, count: count)
    }
}

/// The end of a channel.
public struct ChannelClosure: Hashable, Sendable {
    /// The reason, in words.
    public let reason: String
    /// The numbers of messages.
    public let count: ChannelCount
}
