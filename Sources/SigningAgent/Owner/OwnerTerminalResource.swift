// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles
package import Socket

/// `/v1/owner/terminals`: opens owner sessions without the passphrase, for a terminal session in
/// which it was given a short time ago.
package struct OwnerTerminalResource: SocketResource {
    private let terminals: OwnerTerminals
    private let sessions: OwnerSessions

    /// Creates a resource; `sessions` end with the terminal session that opened them.
    init(_ terminals: OwnerTerminals, opening sessions: OwnerSessions) {
        self.terminals = terminals
        self.sessions = sessions
    }

    /// The answer to a request at `/v1/owner/terminals`.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        guard request.head.path == "/v1/owner/terminals" else { return nil }
        if let refusal = request.head.misdirected(methods: ["GET", "POST", "DELETE"]) {
            return refusal
        }
        return switch request.head.method {
        case "POST": open(request)
        // Every program of the user may end them, as the passphrase opens them again.
        case "DELETE": HTTPResponse(200, ["ended": .integer(Int64(terminals.forget()))])
        default: state(for: request)
        }
    }

    private func open(_ request: HTTPRequest) -> HTTPResponse {
        do throws(OwnerBody.ParseError) {
            _ = try OwnerBody(request, members: [])
        } catch {
            return error.response
        }
        guard let found = request.terminalSession(inForeground: true).flatMap(terminals.find),
            let token = sessions.open(since: sessions.unlocking, by: found)
        else {
            return .problem(
                401, "passphrase_needed",
                "the passphrase was not given in this terminal, or too long ago")
        }
        let (left, idle) = (found.left.components.seconds, sessions.seconds.idle)
        return HTTPResponse(
            201,
            [
                "token": .string(token), "idle_seconds": .integer(min(idle, left)),
                "seconds_max": .integer(left),
            ])
    }

    private func state(for request: HTTPRequest) -> HTTPResponse {
        let left = request.terminalSession(inForeground: true).flatMap(terminals.find)?.left
            .components.seconds
        let now = SystemEnvironment().now()
        return HTTPResponse(
            200,
            [
                "minutes": .integer(Int64(terminals.minutes)),
                "count": .integer(Int64(terminals.ids.count)),
                "until": left.map { .string(now.adding(seconds: $0).utcText) } ?? .null,
            ])
    }
}
