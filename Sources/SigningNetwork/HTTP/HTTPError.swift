// SPDX-License-Identifier: Apache-2.0

/// An error of a request that got no complete answer.
///
/// `mayHaveBeenSent` separates requests that were certainly not sent from those that a server may
/// have executed.
package enum HTTPError: Error, Hashable, Sendable {
    /// The client does not open this address.
    case invalidURL(_ reason: String)
    /// The name or the value of a header is not valid in HTTP.
    case invalidHeader(name: String)
    /// The connection failed; the request was not sent.
    case connectionFailed(_ text: String)
    /// The encrypted connection failed, or led to another server; the request was not sent.
    case tls(_ text: String)
    /// The time ended, before or after the first byte of the request was passed to the system.
    case timedOut(afterSending: Bool)
    /// The answer is longer than the limit.
    case tooLarge(limit: Int)
    /// The request was sent, but the answer is incomplete.
    case lostConnection(_ text: String)
}

extension HTTPError {
    /// True if a server may have received the request.
    package var mayHaveBeenSent: Bool {
        switch self {
        case .invalidURL, .invalidHeader, .connectionFailed, .tls: false
        case .timedOut(let afterSending): afterSending
        case .tooLarge, .lostConnection: true
        }
    }

    /// The error in plain words.
    package var text: String {
        switch self {
        case .invalidURL(let reason): "the address cannot be used: \(reason)"
        case .invalidHeader(let name): "the header \"\(name)\" cannot be sent"
        case .connectionFailed(let text): "the connection failed: \(text)"
        case .tls(let text): "no trusted connection could be made: \(text)"
        case .timedOut(afterSending: false): "no connection in time"
        case .timedOut(afterSending: true): "no answer in time"
        case .tooLarge(let limit): "the answer is longer than the limit of \(limit) bytes"
        case .lostConnection(let text): "no complete answer: \(text)"
        }
    }
}
