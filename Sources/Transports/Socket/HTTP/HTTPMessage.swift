// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore

/// A request, whole.
package struct HTTPRequest: Sendable {
    package let head: HTTPHead
    package let body: [UInt8]
    package let peer: Peer
    /// The process it came from, as long as that lives; 0 where the kernel does not tell.
    package let process: Int32
}

/// All of a request but its body.
package struct HTTPHead: Sendable {
    package let method: String
    /// Without the query, unescaped.
    package let path: String
    package let query: [(name: String, value: String)]
    package let headers: [(name: String, value: String)]

    /// The same head for another path, without a query.
    func redirected(to path: String) -> HTTPHead {
        HTTPHead(method: method, path: path, query: [], headers: headers)
    }

    /// The values of a header, in order.
    package func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Why its body is not read at all; nil where it may come.
    ///
    /// The library takes two lengths, a length beside a transfer coding, and a space behind a
    /// name: whoever stands between could see other requests than we do.
    func refusal(bodyBytesMax: Int) -> HTTPResponse? {
        guard headers.allSatisfy({ Self.isToken($0.name) && Self.isValue($0.value) }) else {
            return .problem(400, "bad_head", "a header is none of RFC 9110", closes: true)
        }
        let lengths = values(of: "content-length")
        if !values(of: "transfer-encoding").isEmpty {
            return lengths.isEmpty
                ? .problem(411, "length_required", "a body needs Content-Length", closes: true)
                : .problem(
                    400, "bad_head", "Content-Length stands beside Transfer-Encoding", closes: true)
        }
        if lengths.count > 1 {
            return .problem(400, "bad_head", "Content-Length stands twice", closes: true)
        }
        guard let text = lengths.first else { return nil }
        guard let length = Int(text), length >= 0 else {
            return .problem(400, "bad_head", "Content-Length is no length", closes: true)
        }
        guard length <= bodyBytesMax else {
            return .problem(
                413, "too_large", "a body has at most \(bodyBytesMax) bytes", closes: true)
        }
        return nil
    }

    /// What RFC 9110 section 5.6.2 calls a token.
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// No control characters but the tab (section 5.5).
    private static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// How many bytes follow it.
    var bodyBytes: Int { values(of: "content-length").first.flatMap { Int($0) } ?? 0 }
}

/// What goes back.
package struct HTTPResponse: Sendable {
    package let status: UInt32
    package let type: String
    package let body: [UInt8]
    package var headers: [(name: String, value: String)] = []
    /// Whether the connection ends with it.
    package var closes = false
    /// What follows in place of a body; nil where the body is all.
    let stream: EventStream?

    package init(_ status: UInt32, type: String, body: [UInt8]) {
        self.status = status
        self.type = type
        self.body = body
        stream = nil
    }

    /// What is sent as it comes, as server-sent events.
    package init(following stream: EventStream) {
        status = 200
        type = "text/event-stream"
        body = []
        self.stream = stream
    }

    /// A JSON value.
    package init(_ status: UInt32, _ json: JSON) {
        self.init(status, type: "application/json", body: json.write())
    }

    /// What is wrong, as RFC 9457 writes it; `code` is for programs.
    package static func problem(
        _ status: UInt32, _ code: String, _ detail: String, closes: Bool = false
    ) -> HTTPResponse {
        let json: JSON = [
            "type": "about:blank", "title": .string(title(of: status)),
            "status": .integer(Int64(status)), "detail": .string(detail), "code": .string(code),
        ]
        var response = HTTPResponse(status, type: "application/problem+json", body: json.write())
        response.closes = closes
        return response
    }

    /// For whoever comes at a bad time.
    package static func busy(_ detail: String) -> HTTPResponse {
        problem(503, "busy", detail, closes: true)
            .with("Retry-After", "\(SocketLimits.retrySeconds)")
    }

    /// For whoever was refused too often.
    package static var refusedTooOften: HTTPResponse {
        problem(429, "rate", Connections.Refusal.tooManyRefused.text)
            .with("Retry-After", "\(Connections.refusedSeconds)")
    }

    /// The same with one more header.
    package func with(_ name: String, _ value: String) -> HTTPResponse {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }

    /// The words of RFC 9110.
    private static func title(of status: UInt32) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 421: "Misdirected Request"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        default: "Service Unavailable"
        }
    }
}
