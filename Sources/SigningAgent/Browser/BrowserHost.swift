// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService
internal import Synchronization

/// Forwards the calls of a browser's extension to the agent; it decides nothing itself.
package final class BrowserHost: Sendable {
    private struct State {
        /// The ids of calls that run or wait for a place.
        var ids: Set<String> = []
        var calls: [String: Task<Void, Never>] = [:]
    }

    /// The shares of a browser profile's sites in the calls that run at one time.
    ///
    /// Sites are counted here, as the extension does not know registrable domains.
    static let shares = SharedPlaces.Shares(
        all: 256, ofClient: 64, ofSite: 64, ofKind: 256, reserve: 16)
    /// The shares of the sites in the queues of calls that wait for a place.
    static let lines = PlaceQueue.Lines(
        SharedPlaces.Shares(
            all: 4_096, ofClient: 1_024, ofSite: 1_024, ofKind: 4_096, reserve: 256))
    /// The client for calls of the extension itself.
    private static let own = CountedClient.page(of: "", inTabOf: "")

    private let agent: @Sendable () async throws(ServiceError) -> AgentClient
    private let write: @Sendable ([UInt8]) -> Void
    private let places = PlaceQueue(BrowserHost.shares, BrowserHost.lines)
    private let state = Mutex(State())

    /// Creates a host for a home, whose agent is looked up at each call; `write` sends one framed
    /// message.
    package convenience init(of home: String, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.init(
            asking: { () async throws(ServiceError) in
                try await AgentClient.required(for: home)
            },
            write: write)
    }

    init(
        asking agent: @escaping @Sendable () async throws(ServiceError) -> AgentClient,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.agent = agent
        self.write = write
    }

    /// Receives one message; its answer is sent later.
    func receive(_ bytes: [UInt8]) {
        do throws(BrowserMessage.ParseError) {
            switch try BrowserMessage(bytes) {
            case .drop(let id): state.withLock { $0.calls[id] }?.cancel()
            case .call(let call):
                begin(call.id, for: call.countedClient, bytes: call.frame.utf8.count) {
                    agent throws(ServiceError) in
                    try await call.made(with: agent).json(to: call.id)
                }
            case .inbox(let id):
                begin(id) { agent throws(ServiceError) in try await Self.inbox(of: agent, id) }
            case .status(let id, let token):
                begin(id) { agent throws(ServiceError) in
                    try await Self.status(of: agent, for: token, id)
                }
            }
        } catch {
            guard let id = error.id else { return }
            put(.refused(code: "bad_request", text: error.text), to: id)
        }
    }

    /// Cancels the running calls and waits for their end; the closed extension gets no more
    /// answers.
    func end() async {
        let left = state.withLock { Array($0.calls.values) }
        for call in left { call.cancel() }
        for call in left { await call.value }
    }

    private func begin(
        _ id: String, for countedClient: CountedClient = BrowserHost.own, bytes: Int = 0,
        _ body: @escaping @Sendable (AgentClient) async throws(ServiceError) -> JSON
    ) {
        guard state.withLock({ $0.ids.insert(id).inserted }) else {
            return put(
                .refused(code: "bad_request", text: "a call with this id is still running"), to: id)
        }
        // Runs immediately up to its queue, so that calls keep the order in which they arrived.
        let call = Task.immediate {
            let answer = await inPlace(id, for: countedClient, bytes, body)
            state.withLock { state in
                state.ids.remove(id)
                state.calls[id] = nil
            }
            if !Task.isCancelled { put(answer, to: id) }
        }
        state.withLock { state in if state.ids.contains(id) { state.calls[id] = call } }
    }

    /// Waits for a place, then runs the call and returns its answer.
    private func inPlace(
        _ id: String, for countedClient: CountedClient, _ bytes: Int,
        _ body: @Sendable (AgentClient) async throws(ServiceError) -> JSON
    ) async -> JSON {
        do throws(PlaceQueue.Refusal) { try await places.take(countedClient, bytes: bytes) } catch {
            return BrowserCall.Outcome.refused(
                code: "busy", text: "too many requests wait for an answer"
            )
            .json(to: id)
        }
        defer { places.leave(countedClient) }
        do throws(ServiceError) { return try await body(try await agent()) } catch {
            let hint = error.hint.map { "; \($0)" } ?? ""
            return BrowserCall.Outcome.refused(code: "agent_down", text: error.message + hint)
                .json(to: id)
        }
    }

    /// The state of the agent, if it knows the token or there is no token.
    private static func status(
        of agent: AgentClient, for token: String?, _ id: String
    ) async throws(ServiceError) -> JSON {
        let status = try await agent.ask("GET", "/v1/status")
        guard status.isGood else { return BrowserCall.refusal(status).json(to: id) }
        if let token, let refusal = try await BrowserCall.probe(bearing: token).refusal(by: agent) {
            return refusal.json(to: id)
        }
        return [
            "id": .string(id), "state": status.json["state"] ?? .null,
            "provider": status.json["provider_id"] ?? .null,
            "waiting": status.json["waiting"] ?? .null,
        ]
    }

    /// The one-time address of the inbox, which every program of the user may request.
    private static func inbox(
        of agent: AgentClient, _ id: String
    ) async throws(ServiceError) -> JSON {
        let reply = try await agent.ask("POST", "/v1/web/codes")
        if reply.isGood, let url = reply.json["url"] { return ["id": .string(id), "url": url] }
        guard reply.status == 404 else { return BrowserCall.refusal(reply).json(to: id) }
        return BrowserCall.Outcome.refused(
            code: "no_page",
            text: "the agent serves no page: start it with --web PORT, such as --web 7155"
        ).json(to: id)
    }

    private func put(_ ending: BrowserCall.Outcome, to id: String) {
        put(ending.json(to: id), to: id)
    }

    private func put(_ json: JSON, to id: String) {
        if let framed = NativeMessages.framed(json.write()) { return write(framed) }
        put(
            .refused(
                code: "answer_too_large",
                text: "the answer is too large for a browser; the record says what was done"),
            to: id)
    }
}
