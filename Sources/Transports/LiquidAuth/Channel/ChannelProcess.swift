// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SigningCodecs
internal import Synchronization

/// A channel that `countersign-datachannel` keeps, from its offer to its end.
///
/// Nothing is left running when `close` returns.
public final class ChannelProcess: ChannelOffer, DataChannel {
    /// Messages that wait to be read before the program has to keep them.
    private static let waitingMax = 32
    /// How long the program has for its end.
    private static let farewell = Duration.seconds(4)
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

    /// Starts the program and has it make an offer.
    ///
    /// Without `addresses` all of this machine's are offered; without `servers` no others.
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

    /// Ways to this side that the program found after its offer.
    public var candidates: [ICECandidate] { late.withLock { $0 } }
    /// Why it is not open any more; nil as long as it is, or is to be.
    public var ending: String? { reason.now }
    /// The largest message that the other side takes, in bytes; 0 before it is open.
    public var maxMessageSize: Int { (try? size.now?.get()) ?? 0 }

    /// Waits until it is known that no relay takes part although some were named; false where that
    /// is not so by the end, or the task is cancelled.
    public func isWithoutRelay() async -> Bool { await relay.value() == false }

    /// The description that the program offers.
    public func offer() async throws(ChannelError) -> String { try await found(description) }

    /// This, once it is open.
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

    /// Hands the answer to the program, for which the first one counts.
    public func take(answer: String) async {
        await write(["type": "answer", "sdp": .string(answer)])
    }

    /// Hands a way to the other side to the program.
    public func take(_ candidate: ICECandidate) async {
        guard !candidate.candidate.isEmpty else { return }
        await write(["type": "candidate", "candidate": .string(candidate.candidate)])
    }

    @discardableResult
    private func write(_ line: JSON) async -> Bool {
        await program.now?.write(line.write()) ?? false
    }

    /// Sends a message; waits where the other side does not keep up.
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

    /// The next message; nil where there are no more, or the task is cancelled.
    public func next() async -> ChannelMessage? { await messages.next() }

    /// Ends it, and the program with it.
    public func close() async {
        reason.set("it was closed here")
        messages.close()
        // What waits to be sent may wait for a peer that takes nothing: then its end cuts it off.
        let asked = Task { await write(["type": "close"]) }
        _ = await hasEnded.value(within: Self.farewell)
        program.now?.endInput()
        _ = await asked.value
        if await hasEnded.value(within: Self.farewell) == nil { program.now?.kill() }
        // The task may be cancelled, and would not wait.
        await Task { _ = await hasEnded.value() }.value
    }

    // MARK: On the thread of the program

    private func take(_ line: [UInt8]) {
        guard let line = try? JSON.parse(line.span, limits: Self.limits),
            let type = line["type"]?.text
        else { return fail("the program that keeps the channel writes what is none of its lines") }
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
        // ready, state, buffered, low-water, ignored: nothing to do.
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

    /// Waits for room: what is not read stays with the program, which bounds it.
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
