// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import Socket

/// `/v1/owner/sessions`: opens sessions with the sealed passphrase, for requests that only the
/// owner may make.
package struct OwnerSessionResource: SocketResource {
    private let sessions: OwnerSessions
    private let owner: OwnerCheck
    private let terminals: OwnerTerminals

    /// Creates a resource that opens sessions for the owner that `owner` authenticates.
    package init(
        _ sessions: OwnerSessions, of owner: OwnerCheck, remembering terminals: OwnerTerminals
    ) {
        self.sessions = sessions
        self.owner = owner
        self.terminals = terminals
    }

    /// The answer to a request at `/v1/owner/sessions`.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        guard request.head.path == "/v1/owner/sessions" else { return nil }
        if let refusal = request.head.misdirected(methods: ["POST", "DELETE"]) { return refusal }
        return request.head.method == "POST" ? await open(request) : end(request)
    }

    private func open(_ request: HTTPRequest) async -> HTTPResponse {
        let body: OwnerBody
        do throws(OwnerBody.ParseError) {
            body = try OwnerBody(request, members: OwnerBody.passphraseMembers)
        } catch {
            return error.response
        }
        let before = sessions.unlocking
        do throws(OwnerCheck.Refusal) {
            try await owner.verify(try body.passphrase())
        } catch {
            return error.response
        }
        guard let token = sessions.open(since: before) else {
            return .problem(409, "locked", "the vault was locked meanwhile: unlock it first")
        }
        terminals.remember(body, of: request, since: before)
        let (idle, whole) = sessions.seconds
        return HTTPResponse(
            201,
            [
                "token": .string(token), "idle_seconds": .integer(idle),
                "seconds_max": .integer(whole),
            ])
    }

    private func end(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = sessions.refusal(of: request) { return refusal }
        if let token = request.head.bearer { sessions.close(token) }
        return HTTPResponse(200, ["state": "ended"])
    }
}

extension OwnerSessions {
    /// The refusal of a request without a valid session; nil if the session is valid.
    ///
    /// A request that only waits for news does not count as a use, as the person may be away.
    package func refusal(of request: HTTPRequest, isUse: Bool = true) -> HTTPResponse? {
        // A client that was stopped and goes on in the background keeps its session.
        let caller = request.terminalSession(inForeground: false)
        guard let token = request.head.bearer, isOpen(token, in: caller, isUse: isUse) else {
            return .problem(
                401, "owner_session_needed", "this needs an owner session: POST /v1/owner/sessions"
            ).with("WWW-Authenticate", "Bearer")
        }
        return nil
    }
}

extension HTTPHead {
    /// The token of the header `Authorization`; nil unless there is exactly one.
    var bearer: String? {
        guard case .bearer(let token) = authorization,
            token.utf8.count == 2 * OwnerSessions.tokenCount
        else { return nil }
        return token
    }
}
