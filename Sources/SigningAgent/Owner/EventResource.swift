// SPDX-License-Identifier: Apache-2.0

package import Socket

/// `/v1/events`: what happens, as it happens, for the owner alone.
package struct EventResource: SocketResource {
    private let ring: EventRing
    private let sessions: OwnerSessions

    /// Serves the events of a ring to whoever has a session.
    package init(_ ring: EventRing, for sessions: OwnerSessions) {
        self.ring = ring
        self.sessions = sessions
    }

    /// The answer to a request at `/v1/events`.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        guard request.head.path == "/v1/events" else { return nil }
        if let refusal = sessions.refusal(of: request.head, isUse: false) { return refusal }
        if let refusal = request.head.misdirected(methods: ["GET"]) { return refusal }
        let ids = request.head.values(of: "last-event-id")
        guard ids.count < 2 else {
            return .problem(400, "bad_head", "Last-Event-ID stands twice")
        }
        let head = request.head
        let stream = ring.follow(after: ids.first) { [sessions] in
            sessions.refusal(of: head, isUse: false) == nil
        }
        guard let stream else { return .busy("too many follow what happens") }
        return HTTPResponse(following: stream)
    }
}
