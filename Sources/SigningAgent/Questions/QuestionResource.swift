// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService
package import Socket

/// `/v1/questions`: the questions that wait for a person; only in an owner session, as they contain
/// private data.
package struct QuestionResource: SocketResource {
    private let queue: QuestionQueue
    private let sessions: OwnerSessions

    /// Creates a resource for the questions of a queue, for clients with a session.
    package init(_ queue: QuestionQueue, for sessions: OwnerSessions) {
        self.queue = queue
        self.sessions = sessions
    }

    /// The longest wait for news, in seconds.
    static let waitSecondsMax: Int64 = 120

    /// The answer to a request below `/v1/questions`.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        let parts = request.head.path.split(separator: "/").map(String.init)
        guard parts.count >= 2, parts[0] == "v1", parts[1] == "questions" else { return nil }
        // A client without a session learns nothing, not even which questions exist.
        let isUse = parts.count > 2
        if let refusal = sessions.refusal(of: request, isUse: isUse) { return refusal }
        let acts: [ServedAct<Never>] = [
            ServedAct(OwnerActs.questionList) { _ in await list(request) },
            ServedAct(OwnerActs.questionShow) { id in
                one(id) { HTTPResponse(200, $0.whole(at: queue.now())) }
            },
            ServedAct(OwnerActs.questionDetails) { id in
                one(id) { HTTPResponse(200, $0.details) }
            },
            ServedAct(OwnerActs.questionAnswer) { id in await answer(id, request) },
        ]
        return await acts.served(request, at: "/" + parts.joined(separator: "/"))
    }

    private func list(_ request: HTTPRequest) async -> HTTPResponse {
        func number(_ name: String, _ range: ClosedRange<Int64>) -> Int64? {
            let given = request.head.query.first { $0.name == name }
            guard let text = given?.value else { return 0 }
            return Int64(text).flatMap { range.contains($0) ? $0 : nil }
        }
        guard let after = number("after", 0 ... .max),
            let seconds = number("wait_seconds", 0...Self.waitSecondsMax)
        else {
            return .problem(
                400, "bad_query",
                "after must be a revision, wait_seconds a number from 0 to \(Self.waitSecondsMax)")
        }
        guard await queue.wait(after: after, seconds: seconds) else {
            return .busy("too many clients wait for changes")
        }
        // The session may have ended during the wait.
        if let refusal = sessions.refusal(of: request, isUse: false) { return refusal }
        let overview = queue.overview
        return HTTPResponse(
            200,
            [
                "revision": .integer(overview.revision),
                "waiting": .array(overview.waiting.map { $0.listed(at: queue.now()) }),
                "ended": .array(overview.ended.reversed().map(\.listed)),
            ])
    }

    private func one(_ id: String, _ body: (HeldQuestion) -> HTTPResponse) -> HTTPResponse {
        guard let held = queue.find(id) else { return queue.missing(id) }
        return body(held)
    }

    private func answer(_ id: String, _ request: HTTPRequest) async -> HTTPResponse {
        guard request.head.isJSON else { return .notJSON }
        return await queue.answer(id, request.body)
    }
}
