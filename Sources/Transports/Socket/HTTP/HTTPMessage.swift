// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore

/// A complete request.
package struct HTTPRequest: Sendable {
    package let head: HTTPHead
    package let body: [UInt8]
    package let peer: Peer
    /// The process that sent it, valid while it lives; 0 if the kernel does not report it.
    package let process: Int32
}

/// A request without its body.
package struct HTTPHead: Sendable {
    package let method: String
    /// The path without the query, unescaped.
    package let path: String
    package let query: [(name: String, value: String)]
    package let headers: [(name: String, value: String)]

    /// Returns the head with another path and no query.
    func redirected(to path: String) -> HTTPHead {
        HTTPHead(method: method, path: path, query: [], headers: headers)
    }

    /// Returns the values of a header, in order.
    package func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Returns the refusal of the body; nil if it may be sent.
    ///
    /// The library accepts two lengths, a length beside a transfer coding, and a space after a
    /// name. A proxy could then see other requests than this server does.
    func refusal(bodyBytesMax: Int) -> HTTPResponse? {
        guard headers.allSatisfy({ Self.isToken($0.name) && Self.isValue($0.value) }) else {
            return .problem(400, "bad_head", "a header is malformed (RFC 9110)", closes: true)
        }
        let lengths = values(of: "content-length")
        if !values(of: "transfer-encoding").isEmpty {
            return lengths.isEmpty
                ? .problem(411, "length_required", "a body needs Content-Length", closes: true)
                : .problem(
                    400, "bad_head", "Content-Length and Transfer-Encoding are both given",
                    closes: true)
        }
        if lengths.count > 1 {
            return .problem(400, "bad_head", "Content-Length is given twice", closes: true)
        }
        guard let text = lengths.first else { return nil }
        guard let length = Int(text), length >= 0 else {
            return .problem(
                400, "bad_head", "Content-Length is not a number of bytes", closes: true)
        }
        guard length <= bodyBytesMax else {
            return .problem(
                413, "too_large", "a body has at most \(bodyBytesMax) bytes", closes: true)
        }
        return nil
    }

    /// Returns whether a name is a token of RFC 9110 section 5.6.2.
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

    /// Returns whether a value has no control characters except the tab (section 5.5).
    private static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// The length of the body, in bytes.
    var bodyBytes: Int { values(of: "content-length").first.flatMap { Int($0) } ?? 0 }
}

/// A response.
package struct HTTPResponse: Sendable {
    package let status: UInt32
    package let type: String
    package let body: [UInt8]
    package var headers: [(name: String, value: String)] = []
    /// True if the connection ends after it.
    package var closes = false
    /// The stream in place of a body; nil for a plain body.
    let stream: EventStream?

    package init(_ status: UInt32, type: String, body: [UInt8]) {
        self.status = status
        self.type = type
        self.body = body
        stream = nil
    }

    /// Makes a response of server-sent events.
    package init(following stream: EventStream) {
        status = 200
        type = "text/event-stream"
        body = []
        self.stream = stream
    }

    /// Makes a response of a JSON value.
    package init(_ status: UInt32, _ json: JSON) {
        self.init(status, type: "application/json", body: json.write())
    }

    /// Makes a problem in the form of RFC 9457; `code` is for programs.
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

    /// Makes the response of a busy server.
    package static func busy(_ detail: String) -> HTTPResponse {
        problem(503, "busy", detail, closes: true)
            .with("Retry-After", "\(SocketLimits.retrySeconds)")
    }

    /// The response for a client that was refused too often.
    package static var refusedTooOften: HTTPResponse {
        problem(429, "rate", Connections.Refusal.tooManyRefused.text)
            .with("Retry-After", "\(Connections.refusedSeconds)")
    }

    /// Returns the response with one more header.
    package func with(_ name: String, _ value: String) -> HTTPResponse {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }

    /// Returns the reason phrase of RFC 9110.
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
