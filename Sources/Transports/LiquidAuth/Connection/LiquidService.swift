// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
public import SigningCore
internal import Synchronization

/// Runs connections to pages, each from its login to its end, and reports their states.
public final class LiquidService: Transport {
    /// The reasons that a connection is refused.
    public enum Refusal: Error, Hashable, Sendable {
        /// The maximum number of connections is reached.
        case tooMany
        /// There is a connection for the same login already.
        case sameRequest
        /// The service is not running.
        case closed
    }

    /// Runs the connection of an order, with a signer and channels of the service.
    public typealias Running =
        @Sendable (
            _ order: LiquidOrder, _ signer: any Signer, _ channels: ChannelTransport,
            _ report: @escaping @Sendable (LiquidStage) -> Void
        ) async throws(LiquidConnectionError) -> ChannelClosure

    private struct Serving {
        let signer: any Signer
        let channels: ChannelTransport
    }

    private struct Entry {
        var report: LiquidReport
        let task: Task<Void, Never>
    }

    private struct State {
        var serving: Serving?
        /// The connections in order of their start, including some that have ended.
        var entries: [Entry] = []
        /// Set at each change, and then replaced.
        var change = Once<Bool>()
        var waitingCount = 0

        func place(_ id: String) -> Int? { entries.firstIndex { $0.report.id == id } }
    }

    /// The maximum number of concurrent connections.
    public static let connectionsMax = 8
    /// The maximum number of ended connections that are reported.
    public static let endedMax = 16
    /// The maximum number of concurrent waits for news.
    static let waitingMax = 16
    private static let idBytes = 16

    /// The channel name, `liquid`.
    public let channel: ChannelName = "liquid"
    /// The limits on concurrent channels and frames.
    public let limits = TransportLimits(
        connectionsMax: LiquidService.connectionsMax, framesMax: 128, framesPerPeerMax: 64,
        drainSecondsMax: 5)
    private let environment: any HubEnvironment
    private let threads: (any TaskExecutor)?
    private let publish: @Sendable (LiquidReport) -> Void
    private let running: Running
    private let state = Mutex(State())

    /// Creates a service that runs orders with `running`.
    ///
    /// Frames are answered on `threads`, if given. `publish` is called for each change.
    public init(
        environment: any HubEnvironment, on threads: (any TaskExecutor)? = nil,
        reporting publish: @escaping @Sendable (LiquidReport) -> Void = { _ in },
        by running: @escaping Running
    ) {
        self.environment = environment
        self.threads = threads
        self.publish = publish
        self.running = running
    }

    /// The states of all connections, the latest first.
    public var reports: [LiquidReport] {
        state.withLock { $0.entries.map(\.report).reversed() }
    }

    /// Starts a connection.
    public func begin(_ order: LiquidOrder) throws(Refusal) -> LiquidReport {
        let id = Hex.encode(environment.randomBytes(Self.idBytes).span)
        let report = LiquidReport(
            id: id, server: order.uri.origin.text, requestID: order.uri.requestID,
            user: order.user, started: environment.now())
        let result = state.withLock { state -> Result<LiquidReport, Refusal> in
            guard let serving = state.serving else { return .failure(.closed) }
            let live = state.entries.map(\.report).filter { $0.state != .ended }
            guard live.count < Self.connectionsMax else { return .failure(.tooMany) }
            let isSame = live.contains {
                $0.server == report.server && $0.requestID == report.requestID
            }
            guard !isSame else { return .failure(.sameRequest) }
            let task = Task(executorPreference: threads) { [self] in
                await carryOut(order, id, serving)
            }
            state.entries.append(Entry(report: report, task: task))
            return .success(report)
        }
        return try result.get()
    }

    /// Ends a connection and its questions; returns its final state, nil for an unknown id.
    public func end(_ id: String) async -> LiquidReport? {
        let task = state.withLock { state in state.place(id).map { state.entries[$0].task } }
        task?.cancel()
        await task?.value
        return report(id)
    }

    /// Ends a connection that is not open yet, because the person left; false for others.
    @discardableResult
    public func leave(_ id: String) -> Bool {
        state.withLock { state in
            guard let place = state.place(id),
                ![.open, .ended].contains(state.entries[place].report.state)
            else { return false }
            state.entries[place].task.cancel()
            return true
        }
    }

    /// Returns the state of a connection; nil for an unknown id.
    public func report(_ id: String) -> LiquidReport? {
        state.withLock { state in state.place(id).map { state.entries[$0].report } }
    }

    /// Waits until a connection changes after a revision, at most for `seconds`.
    ///
    /// Returns false if there are too many concurrent waits.
    public func wait(for id: String, after revision: Int64, seconds: Int64) async -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        let isIn = state.withLock { state in
            guard state.waitingCount < Self.waitingMax else { return false }
            state.waitingCount += 1
            return true
        }
        guard isIn else { return false }
        defer { state.withLock { $0.waitingCount -= 1 } }
        while !Task.isCancelled, .now < end {
            let change = state.withLock { state -> Once<Bool>? in
                let found = state.place(id).map { state.entries[$0].report.revision }
                return found.map { $0 > revision } ?? true ? nil : state.change
            }
            guard let change else { break }
            _ = await change.value(within: end - .now)
        }
        return true
    }

    /// Serves until the task is cancelled.
    ///
    /// Then connections that are not open end, and open ones stop reading and answer the messages
    /// read.
    public func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError) {
        let channels = ChannelTransport(environment: environment, limits: limits, on: threads)
        let serving = Task { try? await channels.run(signer) { _ in } }
        state.withLock { $0.serving = Serving(signer: signer, channels: channels) }
        report(.open("pages by Liquid Auth"))
        // The connections run in their tasks, so this one only waits.
        _ = await Once<Bool>().value()
        report(.draining)
        let entries = state.withLock { state in
            state.serving = nil
            return state.entries
        }
        for entry in entries where entry.report.state != .open { entry.task.cancel() }
        serving.cancel()
        _ = await serving.value
        for entry in entries {
            entry.task.cancel()
            await entry.task.value
        }
        report(.closed)
    }

    private func carryOut(_ order: LiquidOrder, _ id: String, _ serving: Serving) async {
        if let begun = report(id) { publish(begun) }
        let result: Result<ChannelClosure, LiquidConnectionError>
        do throws(LiquidConnectionError) {
            result = .success(
                try await running(order, serving.signer, serving.channels) { [self] stage in
                    if case .counted = stage { return count(id, stage) }
                    change(id) { $0.note(stage) }
                })
        } catch {
            result = .failure(error)
        }
        change(id) { $0.end(result) }
    }

    private func count(_ id: String, _ stage: LiquidStage) {
        state.withLock { state in
            if let place = state.place(id) { state.entries[place].report.note(stage) }
        }
    }

    private func change(_ id: String, _ body: (inout LiquidReport) -> Void) {
        let (report, change) = state.withLock { state -> (LiquidReport?, Once<Bool>) in
            let change = state.change
            guard let place = state.place(id) else { return (nil, change) }
            body(&state.entries[place].report)
            let report = state.entries[place].report
            let ended = state.entries.filter { $0.report.state == .ended }
            if ended.count > Self.endedMax, let first = ended.first?.report.id {
                state.entries.removeAll { $0.report.id == first }
            }
            state.change = Once()
            return (report, change)
        }
        change.set(true)
        if let report { publish(report) }
    }
}
