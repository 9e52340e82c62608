// SPDX-License-Identifier: Apache-2.0

/// Sends GET and POST requests over HTTP within limits; follows no redirect and keeps no state.
///
/// Encrypted connections are verified. Unencrypted ones are made only to this machine. The proxies
/// of the environment apply, except to this machine.
package struct HTTPClient: Sendable {
    /// The limits and the additional headers of requests.
    package struct Settings: Sendable {
        /// The longest wait for a connection, in milliseconds.
        package var connectMillisecondsMax = Self.connectMilliseconds
        /// The longest time for a request, in milliseconds.
        package var totalMillisecondsMax = Self.totalMilliseconds
        /// The longest body of an answer, in bytes.
        package var bodyCountMax = Self.bodyCount
        /// The names and values of headers to send with every request; a value may be secret.
        package var headers: [(name: String, value: String)] = []
        /// The value of the header `User-Agent`.
        package var userAgent = HTTPClient.userAgent
        /// A file of certificates to trust in place of the system's; nil for the system's.
        package var authoritiesFile: String?

        /// The default wait for a connection, in milliseconds.
        package static let connectMilliseconds = 5_000
        /// The default time for a request, in milliseconds.
        package static let totalMilliseconds = 20_000
        /// The default longest body, in bytes.
        package static let bodyCount = 4 << 20

        /// Creates the default settings.
        package init() {}
    }

    /// The answer of a server.
    package struct Response: Hashable, Sendable {
        /// The HTTP status.
        package let status: Int
        /// The body, independent of the status.
        package let body: [UInt8]
        /// The headers in order, with names in lower case.
        package let headers: [Header]

        /// One header of an answer; its value may be secret.
        package struct Header: Hashable, Sendable {
            package let name: String
            package let value: String
        }

        init(status: Int, body: [UInt8], headers: [Header] = []) {
            self.status = status
            self.body = body
            self.headers = headers
        }
    }

    /// The default value of the header `User-Agent`.
    package static let userAgent = "countersign/0.1"

    /// The limits and the additional headers of requests.
    package let settings: Settings

    /// Creates a client.
    package init(settings: Settings = Settings()) {
        self.settings = settings
    }
}

/// One request in the form that is passed to the library.
struct HTTPRequest: Sendable {
    /// The bytes of a POST request; nil for a GET request.
    let body: [UInt8]?
    let headers: [(name: String, value: String)]
    let settings: HTTPClient.Settings
}

extension HTTPClient {
    /// Sends a GET request and blocks the thread.
    package func get(_ url: String) throws(HTTPError) -> Response {
        try perform(url, body: nil, headers: [])
    }

    /// Sends a POST request and blocks the thread.
    package func post(
        _ body: [UInt8], to url: String, contentType: String
    ) throws(HTTPError) -> Response {
        try perform(url, body: body, headers: [("Content-Type", contentType)])
    }

    /// Throws if an address or the headers are not valid for a request; sends nothing.
    package func check(_ url: String) throws(HTTPError) {
        _ = try HTTPURL(url)
        try Self.check(settings.headers)
    }

    private func perform(
        _ url: String, body: [UInt8]?, headers: [(name: String, value: String)]
    ) throws(HTTPError) -> Response {
        let headers = settings.headers + headers
        try Self.check(headers)
        let request = HTTPRequest(body: body, headers: headers, settings: settings)
        return try HTTPTransfer(HTTPURL(url)).perform(request)
    }

    private static func check(
        _ headers: [(name: String, value: String)]
    ) throws(HTTPError) {
        for (name, value) in headers where !isHeader(name, value) {
            throw .invalidHeader(name: String(name.filter(\.isASCII).prefix(shownCountMax)))
        }
    }

    /// Whether a header is valid: a line break in a value would begin another header.
    private static func isHeader(_ name: String, _ value: String) -> Bool {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        let isValue = value.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
        return isName && !name.isEmpty && name.utf8.count <= nameCountMax
            && isValue && value.utf8.count <= valueCountMax
    }

    private static let nameCountMax = 128
    private static let valueCountMax = 4_096
    private static let shownCountMax = 32
}
