// SPDX-License-Identifier: Apache-2.0

/// Gets and posts bytes over HTTP within limits; follows no redirect and keeps no state.
///
/// Encrypted connections are verified. Unencrypted ones are made to this machine only.
/// The proxies of the environment apply, except to this machine.
package struct HTTPClient: Sendable {
    /// What a request may take and must bring along.
    package struct Settings: Sendable {
        /// Longest wait for a connection, in milliseconds.
        package var connectMillisecondsMax = Self.connectMilliseconds
        /// Longest wait for everything, in milliseconds.
        package var totalMillisecondsMax = Self.totalMilliseconds
        /// Longest body of an answer, in bytes.
        package var bodyCountMax = Self.bodyCount
        /// Names and values to send with every request; a value may be secret.
        package var headers: [(name: String, value: String)] = []
        /// What this client says it is.
        package var userAgent = HTTPClient.userAgent
        /// A file of certificates that are trusted in place of the system's; nil for those.
        package var authoritiesFile: String?

        /// The usual wait for a connection.
        package static let connectMilliseconds = 5_000
        /// The usual wait for everything.
        package static let totalMilliseconds = 20_000
        /// The usual longest body.
        package static let bodyCount = 4 << 20

        /// Makes the usual settings.
        package init() {}
    }

    /// What a server answered.
    package struct Response: Hashable, Sendable {
        /// The HTTP status.
        package let status: Int
        /// The body, whatever the status is.
        package let body: [UInt8]
        /// The headers in their order, with names in lower case.
        package let headers: [Header]

        /// One header of an answer; the value may be secret.
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

    /// What this client says it is.
    package static let userAgent = "countersign/0.1"

    /// What requests may take and must bring along.
    package let settings: Settings

    /// Makes a client.
    package init(settings: Settings = Settings()) {
        self.settings = settings
    }
}

/// One request as it is handed to the library.
struct HTTPRequest: Sendable {
    /// The bytes to post; nothing means to get.
    let body: [UInt8]?
    let headers: [(name: String, value: String)]
    let settings: HTTPClient.Settings
}

extension HTTPClient {
    /// Gets what stands at an address, blocking the thread.
    package func get(_ url: String) throws(HTTPError) -> Response {
        try perform(url, body: nil, headers: [])
    }

    /// Posts bytes to an address, blocking the thread.
    package func post(
        _ body: [UInt8], to url: String, contentType: String
    ) throws(HTTPError) -> Response {
        try perform(url, body: body, headers: [("Content-Type", contentType)])
    }

    /// Refuses an address or headers that no request would be made with; makes none.
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

    /// A line break in a value would begin another header.
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
