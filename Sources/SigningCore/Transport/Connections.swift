// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The open connections of a transport, and the limits of its connections and frames.
///
/// Frames are answered in tasks of their connection. Stopping the transport cancels no task;
/// closing a connection cancels its tasks.
public final class Connections: Sendable {
    /// The reasons that a connection or frame is not accepted.
    public enum Refusal: Error, Hashable, Sendable {
        /// The limit of connections is reached.
        case tooManyConnections
        /// The limit of frames of this peer is reached.
        case tooManyOfPeer
        /// The limit of frames of all peers is reached.
        case tooManyFrames
        /// This peer was refused so often that its frames are limited in rate.
        case tooManyRefused
        /// The connection was closed.
        case closed
        /// The transport stops.
        case draining
    }

    private struct State {
        var connectionCount = 0
        var isDraining = false
    }

    private let limits: TransportLimits
    fileprivate let threads: (any TaskExecutor)?
    private let refused: RateLimit
    /// The places of frames that are being answered: those of proved clients, and all others.
    private let proved: PlaceQueue
    private let others: PlaceQueue
    private let state = Mutex(State())

    /// The time in seconds after which a client that was refused too often may send one frame.
    public static let refusedSeconds = RateLimit.seconds

    /// Creates a set without connections; frames are answered by `threads`, if given.
    public convenience init(_ limits: TransportLimits, on threads: (any TaskExecutor)? = nil) {
        self.init(limits, on: threads) { .now }
    }

    /// Creates a set without connections that measures time with `now`.
    package init(
        _ limits: TransportLimits, on threads: (any TaskExecutor)? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.limits = limits
        self.threads = threads
        refused = RateLimit(now: now)
        proved = PlaceQueue(limits.frameShares, limits.frameLines)
        others = PlaceQueue(limits.frameShares, limits.frameLines)
    }

    /// Opens a connection of a peer, which counts for the limit until it is closed.
    public func open(_ peer: Peer) throws(Refusal) -> Connection {
        let refusal: Refusal? = state.withLock { state in
            if state.isDraining { return .draining }
            if state.connectionCount >= limits.connectionsMax { return .tooManyConnections }
            state.connectionCount += 1
            return nil
        }
        if let refusal { throw refusal }
        return Connection(of: peer, among: self)
    }

    /// Accepts no more frames from now on.
    public func stop() {
        state.withLock { $0.isDraining = true }
        for places in [proved, others] { places.end() }
    }

    /// Accepts no more frames; returns when all were answered, or after the time limit.
    public func drain() async {
        stop()
        let end = ContinuousClock.now + .seconds(limits.drainSecondsMax)
        while proved.count + others.count > 0, ContinuousClock.now < end {
            // A new task, as the transport's own task is cancelled already and would not sleep.
            await Task { try? await Task.sleep(for: Self.pause) }.value
        }
    }

    private static let pause = Duration.milliseconds(10)

    /// Counts the answer for the rate limit of the peer if it is a refusal that was recorded.
    fileprivate func note(_ answer: Answer, of peer: Peer) {
        guard !answer.isRepeated, let client = peer.countedAs else { return }
        switch answer.ending {
        case .outcome(.denied), .outcome(.failed): refused.count(client)
        case .refused(let error)
        where error.code == AdapterError.outOfScope || error.unconnected != nil:
            refused.count(client)
        case .outcome(.done), .refused: break
        }
    }

    private func admits(_ peer: Peer) -> Bool { peer.countedAs.map(refused.admits) ?? true }

    private func queue(of client: CountedClient) -> PlaceQueue { client.isProved ? proved : others }

    /// Takes a place for a frame of `bytes` bytes; waits if no place is free.
    fileprivate func enter(_ peer: Peer, bytes: Int) async throws(Refusal) {
        guard admits(peer) else { throw .tooManyRefused }
        let client = peer.countedClient
        do throws(PlaceQueue.Refusal) {
            try await queue(of: client).take(client, bytes: bytes)
        } catch {
            switch error {
            case .ofClient: throw .tooManyOfPeer
            case .ofAll: throw .tooManyFrames
            case .left: throw .closed
            case .ended: throw .draining
            }
        }
        // Earlier frames of the peer may have been refused while this one waited.
        guard admits(peer) else {
            leave(peer)
            throw .tooManyRefused
        }
    }

    fileprivate func leave(_ peer: Peer) { queue(of: peer.countedClient).leave(peer.countedClient) }

    fileprivate func forget() { state.withLock { $0.connectionCount -= 1 } }
}

/// One connection of a peer.
public final class Connection: Sendable {
    private struct State {
        var isClosed = false
        var lastNumber = 0
        var tasks: [Int: Task<Result<Answer, Connections.Refusal>, Never>] = [:]
    }

    /// The peer at the other end.
    public let peer: Peer
    private let all: Connections
    private let state = Mutex(State())

    fileprivate init(of peer: Peer, among all: Connections) {
        self.peer = peer
        self.all = all
    }

    deinit { close() }

    /// Hands a frame to the signer and returns its answer.
    ///
    /// The frame first waits for its turn; throws if the peer or all peers have too many frames.
    public func answer(
        _ bytes: [UInt8], beside enclosure: [UInt8]? = nil, over wire: AdapterID? = nil,
        as requestID: [UInt8]? = nil, by signer: some Signer
    ) async throws(Connections.Refusal) -> Answer {
        let frame = Frame(
            bytes: bytes, enclosure: enclosure, peer: peer, requestID: requestID)
        let begun = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number = begun else { throw .closed }
        // Starts on this thread: most frames are answered without a wait.
        let task = Task.immediate(executorPreference: all.threads) { [all, peer] in
            await Self.result(frame, over: wire, by: signer, of: peer, among: all)
        }
        let isClosed = state.withLock { state in
            if !state.isClosed { state.tasks[number] = task }
            return state.isClosed
        }
        if isClosed { task.cancel() }
        let result = await task.value
        state.withLock { _ = $0.tasks.removeValue(forKey: number) }
        return try result.get()
    }

    private static func result(
        _ frame: Frame, over wire: AdapterID?, by signer: some Signer, of peer: Peer,
        among all: Connections
    ) async -> Result<Answer, Connections.Refusal> {
        do throws(Connections.Refusal) { try await all.enter(peer, bytes: frame.bytes.count) } catch
        { return .failure(error) }
        defer { all.leave(peer) }
        let answer = await signer.answer(frame, over: wire)
        all.note(answer, of: peer)
        return .success(answer)
    }

    /// Closes the connection and cancels its requests.
    public func close() {
        let tasks: [Task<Result<Answer, Connections.Refusal>, Never>]? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            return Array(state.tasks.values)
        }
        guard let tasks else { return }
        for task in tasks { task.cancel() }
        all.forget()
    }
}
