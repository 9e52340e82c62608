// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The connections of a transport, and the frames that it has handed to its signer.
///
/// Frames are answered in tasks that belong to their connection: that the transport stops cancels
/// none of them, and that the connection closes cancels its own.
public final class Connections: Sendable {
    /// Why nothing is taken in.
    public enum Refusal: Error, Hashable, Sendable {
        /// There are as many connections as there may be.
        case tooManyConnections
        /// This peer has as many frames in flight as one may have.
        case tooManyOfPeer
        /// All peers together have as many as there may be.
        case tooManyFrames
        /// This peer was refused so often that it is heard only now and then.
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
    /// Frames in flight: callers that prove who they are take none of the places of others.
    private let proved: PlaceQueue
    private let others: PlaceQueue
    private let state = Mutex(State())

    /// After how many seconds one that was refused too often is heard again.
    public static let refusedSeconds = RateLimit.seconds

    /// Counts against these limits; frames are answered by `threads`, where there are any.
    public convenience init(_ limits: TransportLimits, on threads: (any TaskExecutor)? = nil) {
        self.init(limits, on: threads) { .now }
    }

    /// The same by another clock.
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

    /// A connection of a peer, which is counted until it is closed.
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

    /// Takes in nothing more from now on.
    public func stop() {
        state.withLock { $0.isDraining = true }
        for places in [proved, others] { places.end() }
    }

    /// Returns when nothing is in flight, or after the time for it; nothing more is taken in.
    public func drain() async {
        stop()
        let end = ContinuousClock.now + .seconds(limits.drainSecondsMax)
        while proved.count + others.count > 0, ContinuousClock.now < end {
            // The transport's task is cancelled by now, and would not sleep.
            await Task { try? await Task.sleep(for: Self.pause) }.value
        }
    }

    private static let pause = Duration.milliseconds(10)

    /// Counts what is on record of a peer as refused.
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

    private func hears(_ peer: Peer) -> Bool { peer.countedAs.map(refused.hears) ?? true }

    private func queue(of client: CountedClient) -> PlaceQueue { client.isProved ? proved : others }

    /// Takes a place for a frame of so many bytes; it may have to wait for one.
    fileprivate func enter(_ peer: Peer, bytes: Int) async throws(Refusal) {
        guard hears(peer) else { throw .tooManyRefused }
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
        // What it sent before may have been refused while this waited.
        guard hears(peer) else {
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

    /// Who is at its other end.
    public let peer: Peer
    private let all: Connections
    private let state = Mutex(State())

    fileprivate init(of peer: Peer, among all: Connections) {
        self.peer = peer
        self.all = all
    }

    deinit { close() }

    /// Hands a frame to the signer and returns its answer; before anything of it is read it waits
    /// where there are too many in flight, or is refused.
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
        // On this thread as far as it goes: most are answered without a wait.
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

    /// Ends it: whatever it asked for is asked for by nobody any more.
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
