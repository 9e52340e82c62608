// SPDX-License-Identifier: Apache-2.0

/// Collects an answer up to the limits; for one transfer on one thread.
final class HTTPReceiver {
    private(set) var body: [UInt8] = []
    /// The limit that was exceeded; nil if none was.
    private(set) var exceeded: Int?
    /// True if the headers have ended.
    ///
    /// libcurl accepts an answer that stops in the middle of them.
    private(set) var isHeadComplete = false
    /// The headers of the last answer that began.
    private(set) var headers: [HTTPClient.Response.Header] = []
    private let bodyCountMax: Int
    private var headersCount = 0

    /// The longest headers of an answer, in bytes.
    static let headersCountMax = 64 << 10

    init(bodyCountMax: Int) {
        self.bodyCountMax = bodyCountMax
    }

    /// Adds a piece of the body; false ends the transfer.
    func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count <= bodyCountMax - body.count else {
            exceeded = bodyCountMax
            return false
        }
        unsafe body.append(contentsOf: piece)
        return true
    }

    /// Adds a line of the headers; false ends the transfer.
    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.count <= Self.headersCountMax - headersCount else {
            exceeded = Self.headersCountMax
            return false
        }
        headersCount += line.count
        if unsafe line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8) {
            isHeadComplete = true
        } else if unsafe line.starts(with: "HTTP/".utf8) {
            // The earlier headers belong to a proxy or to an interim answer.
            isHeadComplete = false
            headers = []
        } else {
            let text = unsafe String(decoding: line, as: UTF8.self)
            let parts = text.split(separator: ":", maxSplits: 1)
            if parts.count == 2 {
                headers.append(
                    .init(
                        name: parts[0].lowercased(),
                        value: String(
                            parts[1].drop { $0 == " " || $0 == "\t" }
                                .prefix { !$0.isNewline })))
            }
        }
        return true
    }
}
