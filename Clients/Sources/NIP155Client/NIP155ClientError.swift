// SPDX-License-Identifier: Apache-2.0

import NIP155Messages

/// An error in a request, or in a URL that was opened as its answer.
public enum NIP155ClientError: Error, Hashable, Sendable {
    /// A signer must refuse the callback, the scheme or the homepage.
    case invalidClient(String)
    /// A signer must refuse the request.
    case invalidCall(String)
    /// The request is too long for a URL.
    case urlTooLong(bytes: Int, bytesMax: Int)
    /// The URL has another destination or answers another request; this request is still open.
    case notForThisRequest
    /// The result is in the drop box: read again with its content.
    case dropBoxUnread
    /// The URL does not answer this request; do not use any part of it.
    case invalidAnswer(String)

    /// The error in plain words.
    public var text: String {
        switch self {
        case .invalidClient(let reason), .invalidCall(let reason), .invalidAnswer(let reason):
            reason
        case .urlTooLong(let bytes, let bytesMax):
            """
            the URL would have \(bytes) bytes, more than \(bytesMax); \
            compress it or lay the payload into a drop box (pb)
            """
        case .notForThisRequest: "the callback does not belong to this request"
        case .dropBoxUnread: "the result is in the drop box"
        }
    }
}

extension NIP155ClientError {
    /// Runs a check of the signer and converts its error to `invalidCall`.
    static func asked<Value>(
        _ check: @autoclosure () throws(NIP155Refusal) -> Value
    ) throws(NIP155ClientError) -> Value {
        do throws(NIP155Refusal) { return try check() } catch { throw .invalidCall(error.reason) }
    }

    /// Runs a check of the signer and converts its error to `invalidAnswer`.
    static func answered<Value>(
        _ check: @autoclosure () throws(NIP155Refusal) -> Value
    ) throws(NIP155ClientError) -> Value {
        do throws(NIP155Refusal) { return try check() } catch { throw .invalidAnswer(error.reason) }
    }
}
