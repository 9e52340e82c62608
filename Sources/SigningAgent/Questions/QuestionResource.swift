// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningTerminal
package import Socket

/// `/v1/questions`: what waits for a person, in an owner session alone, as it shows what is
/// private.
package struct QuestionResource: SocketResource {
    private let board: QuestionQueue
    private let sessions: OwnerSessions

    /// Serves what the board holds to whoever has a session.
    package init(_ board: QuestionQueue, for sessions: OwnerSessions) {
        self.board = board
        self.sessions = sessions
    }

    /// How long one may wait for news, in seconds.
    static let waitSecondsMax: Int64 = 120

    /// The answer to a request below `/v1/questions`.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        let parts = request.head.path.split(separator: "/").map(String.init)
        guard parts.count >= 2, parts[0] == "v1", parts[1] == "questions" else { return nil }
        // Nobody without a session learns even what there is.
        let isUse = parts.count > 2
        if let refusal = sessions.refusal(of: request.head, isUse: isUse) { return refusal }
        switch (parts.count, parts.last) {
        case (2, _): return await list(request.head)
        case (3, let id?):
            return one(id, request.head) { HTTPResponse(200, $0.whole(at: board.now())) }
        case (4, "details"): return one(parts[2], request.head) { HTTPResponse(200, $0.details) }
        case (4, "answer"): return await answer(parts[2], request)
        default: return .notFound
        }
    }

    private func list(_ head: HTTPHead) async -> HTTPResponse {
        if let refusal = head.misdirected(methods: ["GET"], query: ["after", "wait_seconds"]) {
            return refusal
        }
        func number(_ name: String, _ range: ClosedRange<Int64>) -> Int64? {
            guard let text = head.query.first(where: { $0.name == name })?.value else { return 0 }
            return Int64(text).flatMap { range.contains($0) ? $0 : nil }
        }
        guard let after = number("after", 0 ... .max),
            let seconds = number("wait_seconds", 0...Self.waitSecondsMax)
        else {
            return .problem(
                400, "bad_query",
                "after is a revision, wait_seconds a number from 0 to \(Self.waitSecondsMax)")
        }
        guard await board.wait(after: after, seconds: seconds) else {
            return .busy("too many wait for news")
        }
        // The session may have ended while it waited.
        if let refusal = sessions.refusal(of: head, isUse: false) { return refusal }
        let overview = board.overview
        return HTTPResponse(
            200,
            [
                "revision": .integer(overview.revision),
                "waiting": .array(overview.waiting.map { $0.listed(at: board.now()) }),
                "ended": .array(overview.ended.reversed().map(\.listed)),
            ])
    }

    private func one(
        _ id: String, _ head: HTTPHead, _ body: (HeldQuestion) -> HTTPResponse
    ) -> HTTPResponse {
        if let refusal = head.misdirected(methods: ["GET"]) { return refusal }
        guard let held = board.find(id) else { return board.missing(id) }
        return body(held)
    }

    private func answer(_ id: String, _ request: HTTPRequest) async -> HTTPResponse {
        if let refusal = request.head.misdirected(methods: ["POST"]) { return refusal }
        guard request.head.isJSON else { return .notJSON }
        return await board.answer(id, request.body)
    }
}
