// SPDX-License-Identifier: Apache-2.0

package import Socket

/// `/v1/events`: events as they happen.
///
/// The owner receives all of them; the holder of an access token receives those about its client.
package struct EventResource: SocketResource {
    private let ring: EventRing
    private let readers: Readers

    /// Creates a resource for the events of a ring.
    init(_ ring: EventRing, for readers: Readers) {
        self.ring = ring
        self.readers = readers
    }

    /// The answer to a request at `/v1/events`.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        guard request.head.path == "/v1/events" else { return nil }
        let reader: Reader
        do throws(AuthenticationRefusal) {
            reader = try readers.reader(request, isUse: false)
        } catch {
            return error.response
        }
        if let refusal = request.head.misdirected(methods: ["GET"]) { return refusal }
        let ids = request.head.values(of: "last-event-id")
        guard ids.count < 2 else {
            return .problem(400, "bad_head", "Last-Event-ID is given twice")
        }
        let stream = ring.follow(after: ids.first, as: reader) { [readers] in
            (try? readers.reader(request, isUse: false)) == reader
        }
        guard let stream else { return .busy("too many clients follow the events") }
        return HTTPResponse(following: stream)
    }
}
