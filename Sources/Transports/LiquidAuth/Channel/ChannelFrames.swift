// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import Synchronization

/// The limits of one channel.
public struct ChannelPatience: Hashable, Sendable {
    /// The maximum time without a message and without an open request, in seconds.
    public let idleSecondsMax: Int64
    /// The maximum total time, in seconds.
    public let secondsMax: Int64
    /// The allowed values of `idleSecondsMax`: at most a day.
    public static let idleSeconds: ClosedRange<Int64> = 1...86_400
    /// The allowed values of `secondsMax`: at most a week.
    public static let seconds: ClosedRange<Int64> = 1...604_800
    /// The maximum number of consecutive messages that are not requests.
    let unreadableMax = 32

    /// Creates limits.
    public init(idleSecondsMax: Int64 = 1_800, secondsMax: Int64 = 43_200) {
        self.idleSecondsMax = idleSecondsMax
        self.secondsMax = secondsMax
    }
}

/// The numbers of messages that a channel received.
public struct ChannelCount: Hashable, Sendable {
    /// The messages that got an answer.
    public internal(set) var answered = 0
    /// The messages that got no answer, without heartbeats.
    public internal(set) var unanswered = 0
}

/// Serves one channel until it ends: each request gets one answer, in any order.
final class ChannelFrames<AskedSigner: Signer>: Sendable {
    private struct State {
        var count = ChannelCount()
        var inFlight = 0
        var unreadableInRow = 0
        /// True if a message was sent since the last check for a heartbeat.
        var hasSpoken = false
        var lastActivity = ContinuousClock.now
    }

    private let channel: any DataChannel
    private let peerConnection: Connection
    private let signer: AskedSigner
    private let environment: any HubEnvironment
    private let patience: ChannelPatience
    private let heartbeat: ChannelHeartbeat
    private let report: @Sendable (ChannelCount) -> Void
    private let state = Mutex(State())
    /// The reason that this side ends the channel.
    private let reason = Once<String>()
    /// One place for each message that has no answer yet, or whose answer the page has not received
    /// yet.
    private let places = Mailbox<Void>(countMax: ChannelFrames.unansweredMax)

    /// Creates the service of a channel; `report` is called for each counted message.
    init(
        _ channel: any DataChannel, as peerConnection: Connection, asking signer: AskedSigner,
        _ environment: any HubEnvironment, _ patience: ChannelPatience,
        _ heartbeat: ChannelHeartbeat = .usual,
        reporting report: @escaping @Sendable (ChannelCount) -> Void = { _ in }
    ) {
        self.channel = channel
        self.peerConnection = peerConnection
        self.signer = signer
        self.environment = environment
        self.patience = patience
        self.heartbeat = heartbeat
        self.report = report
    }

    private static var wire: AdapterID { AdapterID("arc27") }
    private static var idBytes: Int { 16 }
    /// The number of messages that are read before their answers are sent.
    ///
    /// It exceeds the limit of frames for a peer, so that a peer above the limit gets a refusal.
    private static var unansweredMax: Int { 128 }

    /// Serves the channel until either side closes it; returns the reason and the numbers of
    /// messages.
    ///
    /// A cancelled task stops reading and answers the messages that it has read.
    func serve() async -> (reason: String, count: ChannelCount) {
        let watches = [
            Task { await self.watch() },
            Task { await heartbeat.beat(over: channel) { self.takeIdle() } },
        ]
        defer { for watch in watches { watch.cancel() } }
        var isFirst = true
        await withDiscardingTaskGroup { group in
            while reason.now == nil, let message = await channel.next() {
                noteActivity()
                if isFirst, let isOver = await negotiate(message) {
                    isFirst = false
                    if isOver { break }
                    continue
                }
                isFirst = false
                guard !ChannelHeartbeat.isOne(message) else { continue }
                guard message.isText else {
                    countUnanswered()
                    continue
                }
                // Stop reading from a peer that accepts no answers.
                guard await places.put(()) else { break }
                enter()
                // A separate task, so that messages already read are answered after a cancellation.
                group.addTask {
                    await Task {
                        await self.answer(message.bytes)
                        _ = await self.places.next()
                    }.value
                }
            }
            // After the end of the channel, its open questions are withdrawn.
            if channel.ending != nil || reason.now != nil { peerConnection.close() }
        }
        let ending = reason.now ?? channel.ending ?? "it was closed here"
        await channel.close()
        peerConnection.close()
        return (ending, state.withLock { $0.count })
    }

    /// Answers an offer of protocols; returns true if the channel must end, nil for other messages.
    private func negotiate(_ message: ChannelMessage) async -> Bool? {
        guard message.isText,
            let answer = ChannelNegotiation(
                message.bytes, freshID: environment.randomBytes(Self.idBytes))
        else { return nil }
        await send(answer.reply)
        guard !answer.staysOpen else { return false }
        reason.set("the page and this agent have no protocol in common")
        return true
    }

    private func answer(_ frame: [UInt8]) async {
        defer { leave() }
        let reply: [UInt8]?
        do throws(Connections.Refusal) {
            let answer = try await peerConnection.answer(frame, over: Self.wire, by: signer)
            if case .message(let bytes) = answer.reply { reply = bytes } else { reply = nil }
        } catch {
            switch error {
            case .tooManyOfPeer, .tooManyFrames, .tooManyConnections, .tooManyRefused:
                reply = refusal(.tooMany, of: frame)
            case .closed, .draining: return
            }
        }
        guard let reply else { return countUnanswered() }
        await send(reply, to: frame)
    }

    private func refusal(_ refusal: ChannelRefusal, of frame: [UInt8]) -> [UInt8]? {
        refusal.answer(to: frame, freshID: environment.randomBytes(Self.idBytes))
    }

    private func send(_ reply: [UInt8], to frame: [UInt8]? = nil) async {
        state.withLock { $0.hasSpoken = true }
        do throws(ChannelError) {
            try await channel.send(ChannelMessage(reply))
            let count = state.withLock { state in
                state.count.answered += 1
                state.unreadableInRow = 0
                return state.count
            }
            report(count)
        } catch {
            guard case .tooLarge(let bytesMax) = error, let frame,
                let refusal = refusal(.answerTooLarge(bytesMax: bytesMax), of: frame)
            else { return }
            await send(refusal)
        }
    }

    /// Counts a message without an answer; ends the channel after too many in a row.
    private func countUnanswered() {
        let (count, inRow) = state.withLock { state in
            state.count.unanswered += 1
            state.unreadableInRow += 1
            return (state.count, state.unreadableInRow)
        }
        report(count)
        if inRow >= patience.unreadableMax {
            end("\(patience.unreadableMax) messages in a row were not requests")
        }
    }

    /// Returns true if no message was sent since the last call.
    private func takeIdle() -> Bool {
        state.withLock { state in
            defer { state.hasSpoken = false }
            return !state.hasSpoken
        }
    }

    private func noteActivity() { state.withLock { $0.lastActivity = .now } }
    private func enter() { state.withLock { $0.inFlight += 1 } }

    private func leave() {
        state.withLock { state in
            state.inFlight -= 1
            state.lastActivity = .now
        }
    }

    private func end(_ words: String) {
        guard reason.set(words) else { return }
        Task { await channel.close() }
    }

    /// Ends the channel after one of its time limits.
    private func watch() async {
        let end = ContinuousClock.now + .seconds(patience.secondsMax)
        while true {
            let idle = state.withLock { state in
                let since = state.inFlight > 0 ? ContinuousClock.now : state.lastActivity
                return since + .seconds(patience.idleSecondsMax)
            }
            if .now >= end { return self.end("it was open for \(patience.secondsMax) s") }
            if .now >= idle {
                return self.end("no message came for \(patience.idleSecondsMax) s")
            }
            do { try await Task.sleep(until: min(idle, end), clock: .continuous) } catch { return }
        }
    }
}
