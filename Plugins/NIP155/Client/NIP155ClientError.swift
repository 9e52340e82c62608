// SPDX-License-Identifier: Apache-2.0

/// Why a client cannot ask, or cannot take what was opened for an answer.
public enum NIP155ClientError: Error, Hashable, Sendable {
    /// A callback, the scheme or the homepage is one a signer must refuse.
    case invalidClient(String)
    /// What is asked is one a signer must refuse.
    case invalidCall(String)
    /// The request does not fit a URL.
    case urlTooLong(bytes: Int, bytesMax: Int)
    /// The URL leads elsewhere or answers another request; this one is still open.
    case notForThisRequest
    /// The result lies in the drop box: read again with its content.
    case dropBoxUnread
    /// What came back is not an answer to what was asked; nothing of it may be used.
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
        case .dropBoxUnread: "the result lies in the drop box"
        }
    }
}

extension NIP155ClientError {
    /// Runs a check the signer makes, as a check of what is asked.
    static func asked<Value>(
        _ check: @autoclosure () throws(NIP155Refusal) -> Value
    ) throws(NIP155ClientError) -> Value {
        do throws(NIP155Refusal) { return try check() } catch { throw .invalidCall(error.reason) }
    }

    /// Runs a check the signer makes, as a check of what came back.
    static func answered<Value>(
        _ check: @autoclosure () throws(NIP155Refusal) -> Value
    ) throws(NIP155ClientError) -> Value {
        do throws(NIP155Refusal) { return try check() } catch { throw .invalidAnswer(error.reason) }
    }
}
