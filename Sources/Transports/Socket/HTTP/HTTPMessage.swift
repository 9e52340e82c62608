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

    /// The values of a header, in order.
    package func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Why its body is not read at all; nil where it may come.
    ///
    /// The library takes two lengths, and a length beside a transfer coding: whoever stands
    /// between could see other requests than we do.
    func refusal(bodyBytesMax: Int) -> HTTPResponse? {
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

    package init(_ status: UInt32, type: String, body: [UInt8]) {
        self.status = status
        self.type = type
        self.body = body
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
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        default: "Service Unavailable"
        }
    }
}
