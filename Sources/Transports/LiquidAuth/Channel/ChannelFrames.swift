// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import Synchronization

/// How long a channel is kept, and what is put up with.
public struct ChannelPatience: Hashable, Sendable {
    /// Without a message and with nothing to answer, in seconds.
    public let idleSecondsMax: Int64
    /// In all, in seconds.
    public let secondsMax: Int64
    /// What `idleSecondsMax` may be: a day at most.
    public static let idleSeconds: ClosedRange<Int64> = 1...86_400
    /// What `secondsMax` may be: a week at most.
    public static let seconds: ClosedRange<Int64> = 1...604_800
    /// Messages one after the other that nobody can answer.
    let unreadableMax = 32

    /// Sets the times.
    public init(idleSecondsMax: Int64 = 1_800, secondsMax: Int64 = 43_200) {
        self.idleSecondsMax = idleSecondsMax
        self.secondsMax = secondsMax
    }
}

/// What came over a channel.
public struct ChannelCount: Hashable, Sendable {
    /// Messages that got an answer.
    public internal(set) var answered = 0
    /// Messages that got none: heartbeats are not counted.
    public internal(set) var unanswered = 0
}

/// Serves one channel: one answer to each request, as they come about, until it ends.
final class ChannelFrames<Asked: Signer>: Sendable {
    private struct State {
        var count = ChannelCount()
        var inFlight = 0
        var unreadableInRow = 0
        /// Whether anything was sent since it was last asked whether a heartbeat is due.
        var hasSpoken = false
        var heard = ContinuousClock.now
    }

    private let channel: any DataChannel
    private let lockFile: Connection
    private let signer: Asked
    private let environment: any HubEnvironment
    private let patience: ChannelPatience
    private let heartbeat: ChannelHeartbeat
    private let tell: @Sendable (ChannelCount) -> Void
    private let state = Mutex(State())
    /// Why it is ended here.
    private let reason = Once<String>()
    /// One place for each message that has no answer yet, or one that the page has not taken.
    private let places = Mailbox<Void>(countMax: ChannelFrames.unansweredMax)

    /// `tell` hears of each message that counts.
    init(
        _ channel: any DataChannel, as lockFile: Connection, asking signer: Asked,
        _ environment: any HubEnvironment, _ patience: ChannelPatience,
        _ heartbeat: ChannelHeartbeat = .usual,
        telling tell: @escaping @Sendable (ChannelCount) -> Void = { _ in }
    ) {
        self.channel = channel
        self.lockFile = lockFile
        self.signer = signer
        self.environment = environment
        self.patience = patience
        self.heartbeat = heartbeat
        self.tell = tell
    }

    private static var wire: AdapterID { AdapterID("arc27") }
    private static var idBytes: Int { 16 }
    /// How many messages are read ahead of their answers: more than a peer may have in flight, so
    /// that one too many is told so.
    private static var unansweredMax: Int { 128 }

    /// Serves it until either side closes it; why, and what came.
    ///
    /// A cancelled task reads no more, and answers what it has read.
    func serve() async -> (reason: String, count: ChannelCount) {
        let watches = [
            Task { await self.watch() },
            Task { await heartbeat.beat(over: channel) { self.takeSilence() } },
        ]
        defer { for watch in watches { watch.cancel() } }
        var isFirst = true
        await withDiscardingTaskGroup { group in
            while reason.now == nil, let message = await channel.next() {
                hear()
                if isFirst, let isOver = await negotiate(message) {
                    isFirst = false
                    if isOver { break }
                    continue
                }
                isFirst = false
                guard !ChannelHeartbeat.isOne(message) else { continue }
                guard message.isText else {
                    passOver()
                    continue
                }
                // Who takes no answers is not read any further.
                guard await places.put(()) else { break }
                enter()
                // Not cancelled with this task: what was read is answered.
                group.addTask {
                    await Task {
                        await self.answer(message.bytes)
                        _ = await self.places.next()
                    }.value
                }
            }
            // Nobody is there for an answer, and nothing is asked in his name any more.
            if channel.ending != nil || reason.now != nil { lockFile.close() }
        }
        let ending = reason.now ?? channel.ending ?? "it was closed here"
        await channel.close()
        lockFile.close()
        return (ending, state.withLock { $0.count })
    }

    /// Whether an offer ended it; nil where the message is none.
    private func negotiate(_ message: ChannelMessage) async -> Bool? {
        guard message.isText,
            let answer = ChannelNegotiation(
                message.bytes, freshID: environment.randomBytes(Self.idBytes))
        else { return nil }
        await send(answer.reply)
        guard !answer.goesOn else { return false }
        reason.set("the page speaks no protocol that is spoken here")
        return true
    }

    private func answer(_ frame: [UInt8]) async {
        defer { leave() }
        let reply: [UInt8]?
        do throws(Connections.Refusal) {
            let answer = try await lockFile.answer(frame, over: Self.wire, by: signer)
            if case .message(let bytes) = answer.reply { reply = bytes } else { reply = nil }
        } catch {
            switch error {
            case .tooManyOfPeer, .tooManyFrames, .tooManyConnections, .tooManyRefused:
                reply = refusal(.tooMany, of: frame)
            case .closed, .draining: return
            }
        }
        guard let reply else { return passOver() }
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
            tell(count)
        } catch {
            guard case .tooLarge(let bytesMax) = error, let frame,
                let refusal = refusal(.answerTooLarge(bytesMax: bytesMax), of: frame)
            else { return }
            await send(refusal)
        }
    }

    /// Counts what nobody answers; who sends nothing else is not listened to for ever.
    private func passOver() {
        let (count, inRow) = state.withLock { state in
            state.count.unanswered += 1
            state.unreadableInRow += 1
            return (state.count, state.unreadableInRow)
        }
        tell(count)
        if inRow >= patience.unreadableMax {
            end("\(patience.unreadableMax) messages in a row were no requests")
        }
    }

    /// Whether nothing was sent since it was last asked.
    private func takeSilence() -> Bool {
        state.withLock { state in
            defer { state.hasSpoken = false }
            return !state.hasSpoken
        }
    }

    private func hear() { state.withLock { $0.heard = .now } }
    private func enter() { state.withLock { $0.inFlight += 1 } }

    private func leave() {
        state.withLock { state in
            state.inFlight -= 1
            state.heard = .now
        }
    }

    private func end(_ words: String) {
        guard reason.set(words) else { return }
        Task { await channel.close() }
    }

    /// Ends it when its time has come.
    private func watch() async {
        let end = ContinuousClock.now + .seconds(patience.secondsMax)
        while true {
            let idle = state.withLock { state in
                let since = state.inFlight > 0 ? ContinuousClock.now : state.heard
                return since + .seconds(patience.idleSecondsMax)
            }
            if .now >= end { return self.end("it was open for \(patience.secondsMax) s") }
            if .now >= idle {
                return self.end("nothing came for \(patience.idleSecondsMax) s")
            }
            do { try await Task.sleep(until: min(idle, end), clock: .continuous) } catch { return }
        }
    }
}
