// SPDX-License-Identifier: Apache-2.0

/// Why a request got no whole answer.
///
/// `mayHaveBeenSent` tells apart what certainly stayed here from what a server may have acted on.
package enum HTTPError: Error, Hashable, Sendable {
    /// The address is none this client opens.
    case invalidURL(_ reason: String)
    /// A header has a name or a value that HTTP cannot carry.
    case invalidHeader(name: String)
    /// No connection came about; the request was not sent.
    case connectionFailed(_ text: String)
    /// No encrypted connection to the right server came about; the request was not sent.
    case tls(_ text: String)
    /// The time ran out, before or after the first byte of the request was handed over.
    case timedOut(afterSending: Bool)
    /// The answer is longer than the limit.
    case tooLarge(limit: Int)
    /// The request was handed over, but no whole answer came back.
    case lostConnection(_ text: String)
}

extension HTTPError {
    /// Whether a server may have received the request.
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
        case .connectionFailed(let text): "no connection: \(text)"
        case .tls(let text): "no trusted connection: \(text)"
        case .timedOut(afterSending: false): "no connection in time"
        case .timedOut(afterSending: true): "no answer in time"
        case .tooLarge(let limit): "the answer is longer than the limit of \(limit) bytes"
        case .lostConnection(let text): "no answer: \(text)"
        }
    }
}
