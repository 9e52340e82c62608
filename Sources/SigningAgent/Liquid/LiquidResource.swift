// SPDX-License-Identifier: Apache-2.0

internal import LiquidAuth
internal import SigningCodecs
internal import SigningCore
internal import SigningService
internal import Socket

/// `/v1/liquid`: connections to pages by Liquid Auth, only in an owner session.
///
/// A client that could order a connection could choose the server whose name is proved, and control
/// both ends of the channel.
struct LiquidResource: SocketResource {
    private let service: LiquidService?
    private let home: OpenHome
    private let sessions: OwnerSessions

    /// Creates a resource for a service; nil if the agent has none.
    init(_ service: LiquidService?, in home: OpenHome, for sessions: OwnerSessions) {
        self.service = service
        self.home = home
        self.sessions = sessions
    }

    /// The longest wait for news, in seconds.
    static let waitSecondsMax: Int64 = 120

    /// The answer to a request below `/v1/liquid`.
    func respond(to request: HTTPRequest) async -> HTTPResponse? {
        let parts = request.head.path.split(separator: "/").map(String.init)
        guard (2...3).contains(parts.count), parts[0] == "v1", parts[1] == "liquid" else {
            return nil
        }
        // A client without a session learns nothing, not even which connections exist. Waiting for
        // news does not count as a use of the session.
        let isUse = request.head.query.isEmpty
        if let refusal = sessions.refusal(of: request, isUse: isUse) { return refusal }
        guard parts.count == 3 else {
            if let refusal = request.head.misdirected(methods: ["GET", "POST"]) { return refusal }
            return request.head.method == "POST" ? await begin(request) : list
        }
        return await one(parts[2], request)
    }

    private var list: HTTPResponse {
        HTTPResponse(200, ["connections": .array((service?.reports ?? []).map(\.json))])
    }

    private func begin(_ request: HTTPRequest) async -> HTTPResponse {
        guard let service else {
            return .problem(
                409, "not_possible",
                "the agent makes no connections to pages; start it with --liquid")
        }
        let order: LiquidOrder
        do throws(OwnerBody.ParseError) {
            order = try LiquidOrder(request, in: home)
        } catch {
            return error.response
        }
        do throws(LiquidService.Refusal) {
            let report = try service.begin(order)
            return HTTPResponse(201, report.json).with("Location", "/v1/liquid/\(report.id)")
        } catch {
            switch error {
            case .sameRequest:
                return .problem(409, "goes_on", "there is already a connection for this login")
            case .tooMany:
                return .busy(
                    "there are \(LiquidService.connectionsMax) connections already; end one first")
            case .closed: return .busy("the agent is starting or stopping; try again")
            }
        }
    }

    private func one(_ id: String, _ request: HTTPRequest) async -> HTTPResponse {
        let head = request.head
        if let refusal = head.misdirected(
            methods: ["GET", "DELETE"],
            query: head.method == "GET" ? ["after", "wait_seconds", "attends"] : [])
        {
            return refusal
        }
        guard let service else { return .notFound }
        guard head.method == "GET" else {
            guard let report = await service.end(id) else { return .notFound }
            return HTTPResponse(200, report.json)
        }
        func number(_ name: String, _ range: ClosedRange<Int64>) -> Int64? {
            guard let text = head.query.first(where: { $0.name == name })?.value else { return 0 }
            return Int64(text).flatMap { range.contains($0) ? $0 : nil }
        }
        let attends = head.query.first { $0.name == "attends" }?.value ?? "false"
        guard let after = number("after", 0 ... .max),
            let seconds = number("wait_seconds", 0...Self.waitSecondsMax),
            ["true", "false"].contains(attends)
        else {
            return .problem(
                400, "bad_query",
                "after must be a revision, wait_seconds a number from 0 to "
                    + "\(Self.waitSecondsMax), attends true or false"
            )
        }
        guard await service.wait(for: id, after: after, seconds: seconds) else {
            return .busy("too many clients wait for changes")
        }
        // The client that waited for the channel has disconnected, so the channel has no user.
        if attends == "true", Task.isCancelled { service.leave(id) }
        // The session may have ended during the wait.
        if let refusal = sessions.refusal(of: request, isUse: false) { return refusal }
        return service.report(id).map { HTTPResponse(200, $0.json) } ?? .notFound
    }
}

extension LiquidReport {
    /// The report as JSON.
    var json: JSON {
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        return [
            "id": .string(id), "server": .string(server),
            "request_id": .string(VisibleText.escaped(requestID)),
            "account": .string(user.address), "key": .string(user.key),
            "state": .string(state.rawValue), "passkey_unknown": .bool(isPasskeyUnknown),
            "without_relay": .bool(isWithoutRelay), "stun_server": text(stunServer),
            "without_stun": .bool(isWithoutSTUN),
            "started": .string(started.utcText), "revision": .integer(revision),
            "ending": ending.map {
                [
                    "kind": .string($0.kind), "text": .string($0.text), "hint": text($0.hint),
                    "code": text($0.code?.rawValue),
                ]
            } ?? .null,
            "answered": .integer(Int64(count.answered)),
            "unanswered": .integer(Int64(count.unanswered)),
        ]
    }
}
