// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import Socket
internal import Synchronization

/// The requests of pages and apps on the NEAR pages, until they are answered.
///
/// Pages poll instead of waiting on a connection: a browser has six connections for all pages of
/// one origin, including the inbox.
final class PageRequests: Sendable {
    private struct Waiting {
        let asked: SubmittedRequest
        /// The page's key for the request.
        let key: String
        /// The time at which a page last asked for the answer.
        var seen: ContinuousClock.Instant
        /// True if the page of the request reported that it closes.
        var isLeft = false
    }

    private struct State {
        var waiting: [String: Waiting] = [:]
        var isSwept = false
    }

    /// The time to wait for the first answer, in seconds; answers by rules arrive at once.
    private static let waitSeconds: Int64 = 2
    /// The time after which a request without a polling page is withdrawn.
    ///
    /// Not every browser reports a closed window. A hidden page still polls once a second, so it is
    /// not taken for closed.
    static let absence = Duration.seconds(15)
    /// The time after a page reported that it closes; it may only be reloading.
    static let closingTime = Duration.seconds(3)

    private let registry: RequestRegistry
    private let channel: ChannelName
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(
        _ registry: RequestRegistry, channel: ChannelName,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.registry = registry
        self.channel = channel
        self.now = now
    }

    /// Answers `/near/requests` and the paths below; nil for other paths.
    func respond(to request: HTTPRequest) async -> HTTPResponse? {
        let parts = request.head.path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.starts(with: ["", "near", "requests"]) else { return nil }
        switch parts.count {
        case 3: return await submit(request)
        case 4: return one(String(parts[3]), request.head)
        default: return .notFound
        }
    }

    private func submit(_ request: HTTPRequest) async -> HTTPResponse {
        if let refusal = request.head.misdirected(methods: ["POST"]) { return refusal }
        guard request.head.isJSON else { return .notJSON }
        do throws(PageAsk.ParseError) {
            let ask = try PageAsk(request.body)
            let peer = ask.claimedClient.peer(of: request.peer.provedUserID, by: channel)
            // Keys of different clients never collide.
            let key = SubmittedRequest.Key(
                name: "\(ask.claimedClient.text) \(ask.key)", of: request.body)
            let submission = Submission(over: Self.wire, frame: ask.frame)
            return await answer(submission, from: peer, by: key, called: ask.key)
        } catch {
            return error.response
        }
    }

    private static let wire = AdapterID("nep413")

    private func answer(
        _ submission: Submission, from peer: Peer, by key: SubmittedRequest.Key, called name: String
    ) async -> HTTPResponse {
        let asked: SubmittedRequest
        do throws(RequestRegistry.Refusal) {
            asked = try await registry.submit(submission, from: peer, by: key).asked
        } catch {
            switch error {
            case .busy(let detail): return .busy(detail)
            case .refusedTooOften: return .refusedTooOften
            case .keyReused:
                return .problem(400, "key_reused", "this key was used with another body")
            }
        }
        add(Waiting(asked: asked, key: name, seen: now()))
        await asked.wait(seconds: Self.waitSeconds)
        if Task.isCancelled { leave(name) }
        return response(of: asked)
    }

    private func one(_ id: String, _ head: HTTPHead) -> HTTPResponse {
        if let refusal = head.misdirected(methods: ["GET", "DELETE"]) { return refusal }
        if head.method == "DELETE" {
            return leave(id) ? HTTPResponse(200, ["state": "left"]) : .notFound
        }
        guard let asked = registry.find(id) else { return .notFound }
        state.withLock { state in
            state.waiting[id]?.seen = now()
            state.waiting[id]?.isLeft = false
        }
        return response(of: asked)
    }

    /// Marks the requests of a page's key as left; the page may not know the id yet.
    @discardableResult private func leave(_ key: String) -> Bool {
        state.withLock { state in
            let ids = state.waiting.filter { $0.value.key == key }.keys
            for id in ids {
                state.waiting[id]?.seen = now()
                state.waiting[id]?.isLeft = true
            }
            return !ids.isEmpty
        }
    }

    /// Returns the answer for a page: the wire's own reply, without rules or reasons.
    private func response(of asked: SubmittedRequest) -> HTTPResponse {
        switch asked.end {
        case nil: return HTTPResponse(200, ["id": .string(asked.id), "state": "pending"])
        case .refused(.tooManyRefused)?: return .refusedTooOften
        case .refused(let refusal)?: return .busy(refusal.text)
        case .answered(let answer, _)?:
            let reply = answer.message.flatMap { String(validating: $0, as: UTF8.self) }
            return HTTPResponse(
                200,
                [
                    "id": .string(asked.id), "state": "ended",
                    "reply": reply.map { .string($0) } ?? .null,
                ])
        }
    }

    /// Keeps a request, and sweeps at intervals as long as there are any.
    private func add(_ new: Waiting) {
        let isFirst = state.withLock { state in
            state.waiting[new.asked.id] = new
            defer { state.isSwept = true }
            return !state.isSwept
        }
        guard isFirst else { return }
        Task { [weak self] in
            repeat { try? await Task.sleep(for: Self.pause) } while self?.sweep() == true
        }
    }

    private static let pause = Duration.milliseconds(500)

    /// Withdraws requests without a polling page, and removes those that have ended.
    ///
    /// False if none is left.
    @discardableResult
    func sweep() -> Bool {
        let time = now()
        let (gone, hasMore) = state.withLock { state in
            state.waiting = state.waiting.filter { $0.value.asked.end == nil }
            let gone = state.waiting.values.filter {
                time - $0.seen >= ($0.isLeft ? Self.closingTime : Self.absence)
            }
            for one in gone { state.waiting[one.asked.id] = nil }
            state.isSwept = !state.waiting.isEmpty
            return (gone, state.isSwept)
        }
        for one in gone { one.asked.withdraw() }
        return hasMore
    }
}
