// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SigningCodecs
internal import Synchronization

/// A channel that the program `countersign-datachannel` maintains.
///
/// The program has ended when `close` returns.
public final class ChannelProcess: ChannelOffer, DataChannel {
    /// The maximum number of messages in memory; the program holds further ones.
    private static let waitingMax = 32
    /// The time that the program has to end.
    private static let closingTime = Duration.seconds(4)
    private static let limits = JSONLimits(
        bytesMax: RunningProgram.lineBytesMax, depthMax: 4, valuesMax: 64)

    private typealias Found<Value: Sendable> = Once<Result<Value, ChannelError>>

    private let description = Once<Result<String, ChannelError>>()
    private let size = Once<Result<Int, ChannelError>>()
    private let reason = Once<String>()
    private let hasEnded = Once<Bool>()
    private let relay = Once<Bool>()
    private let messages = Mailbox<ChannelMessage>(countMax: waitingMax)
    private let late = Mutex<[ICECandidate]>([])
    private let program = Once<RunningProgram>()

    /// Starts the program, which makes an offer.
    ///
    /// Without `addresses`, all addresses of this machine are offered. Without `servers`, no server
    /// is asked for other addresses.
    public init(
        _ place: ChannelProgram, servers: [ICEServer] = [], addresses: [String] = []
    ) throws(ChannelError) {
        let running = try RunningProgram(
            place, onLine: { [weak self] line in self?.take(line) },
            onEnd: { [weak self] in self?.end() })
        program.set(running)
        let start: JSON = [
            "type": "start", "ice": .array(servers.map(\.json)),
            "addresses": .array(addresses.map { .string($0) }),
        ]
        Task { [running] in await running.write(start.write()) }
    }

    deinit {
        program.now?.endInput()
    }

    /// The candidates of this side that the program found after its offer.
    public var candidates: [ICECandidate] { late.withLock { $0 } }
    /// The reason that the channel is closed; nil before.
    public var ending: String? { reason.now }
    /// The maximum message size that the other side accepts, in bytes; 0 before the channel is
    /// open.
    public var maxMessageSize: Int { (try? size.now?.get()) ?? 0 }

    /// Returns true as soon as it is known that no configured relay works.
    ///
    /// Returns false if the channel ends, or the task is cancelled, before that.
    public func isWithoutRelay() async -> Bool { await relay.value() == false }

    /// Returns the description in the offer of the program.
    public func offer() async throws(ChannelError) -> String { try await found(description) }

    /// Returns this channel after it is open.
    public func opened() async throws(ChannelError) -> any DataChannel {
        _ = try await found(size)
        return self
    }

    private func found<Value>(
        _ once: Once<Result<Value, ChannelError>>
    ) async throws(ChannelError) -> Value {
        guard let value = await once.value() else { throw .cancelled }
        return try value.get()
    }

    /// Sends the answer to the program, which uses the first one.
    public func take(answer: String) async {
        await write(["type": "answer", "sdp": .string(answer)])
    }

    /// Sends a candidate of the other side to the program.
    public func take(_ candidate: ICECandidate) async {
        guard !candidate.candidate.isEmpty else { return }
        await write(["type": "candidate", "candidate": .string(candidate.candidate)])
    }

    @discardableResult
    private func write(_ line: JSON) async -> Bool {
        await program.now?.write(line.write()) ?? false
    }

    /// Sends a message; waits if the other side is slow.
    public func send(_ message: ChannelMessage) async throws(ChannelError) {
        let bytesMax = maxMessageSize
        guard message.bytes.count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
        if let reason = reason.now { throw .closed(reason) }
        let line: JSON
        if message.isText, let text = try? UTF8Text.decode(message.bytes.span) {
            line = ["type": "send", "text": .string(text)]
        } else {
            line = [
                "type": "send", "binary": true, "data": .string(Base64.encode(message.bytes.span)),
            ]
        }
        guard await write(line) else {
            throw .closed(reason.now ?? "the program that kept the channel ended")
        }
    }

    /// Returns the next message; nil after the end, or if the task is cancelled.
    public func next() async -> ChannelMessage? { await messages.next() }

    /// Closes the channel and ends the program.
    public func close() async {
        reason.set("it was closed here")
        messages.close()
        // A peer that accepts nothing can block the queue of messages; then the program is ended.
        let asked = Task { await write(["type": "close"]) }
        _ = await hasEnded.value(within: Self.closingTime)
        program.now?.endInput()
        _ = await asked.value
        if await hasEnded.value(within: Self.closingTime) == nil { program.now?.kill() }
        // In a cancelled task, the wait would return at once.
        await Task { _ = await hasEnded.value() }.value
    }

    // MARK: On the thread of the program

    private func take(_ line: [UInt8]) {
        guard let line = try? JSON.parse(line.span, limits: Self.limits),
            let type = line["type"]?.text
        else { return fail("the program that keeps the channel wrote a line of an unknown form") }
        switch type {
        case "offer": description.set(.success(line["sdp"]?.text ?? ""))
        case "candidate":
            guard let text = line["candidate"]?.text else { return }
            let candidate = ICECandidate(
                candidate: text, sdpMid: nil,
                sdpMLineIndex: line["sdpMLineIndex"]?.integerValue.map { Int($0) })
            late.withLock { list in
                if list.count < Signal.candidatesMax { list.append(candidate) }
            }
        case "no-relay": relay.set(false)
        case "open": size.set(.success(Int(line["maxMessageSize"]?.integerValue ?? 0)))
        case "message": if let message = Self.message(line) { put(message) }
        case "closed": fail(line["reason"]?.text ?? "")
        case "error":
            fail("the program that keeps the channel says: \(line["message"]?.text ?? "")")
        // The other lines (ready, state, buffered, low-water, ignored) need no action.
        default: break
        }
    }

    private static func message(_ line: JSON) -> ChannelMessage? {
        if let text = line["text"]?.text { return ChannelMessage(Array(text.utf8)) }
        guard let data = line["data"]?.text, let bytes = try? Base64.decode(data) else {
            return nil
        }
        return ChannelMessage(bytes, isText: false)
    }

    /// Waits for space in the mailbox: the program holds further messages, within its limits.
    private func put(_ message: ChannelMessage) {
        let isIn = DispatchSemaphore(value: 0)
        Task { [messages] in
            _ = await messages.put(message)
            isIn.signal()
        }
        isIn.wait()
    }

    private func fail(_ words: String) {
        reason.set(words)
        let words = reason.now ?? words
        description.set(.failure(.closed(words)))
        size.set(.failure(.closed(words)))
        relay.set(true)
        messages.close()
    }

    private func end() {
        fail("the program that kept the channel ended")
        hasEnded.set(true)
    }
}
