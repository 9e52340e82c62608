// SPDX-License-Identifier: Apache-2.0

/// An error in a request, or in a frame that should be its reply.
///
/// A refusal of the provider is not an error: see `ARC27Client.Refusal`.
public enum ARC27ClientError: Error, Hashable, Sendable {
    /// Every provider must refuse the request.
    case invalidCall(String)
    /// The request does not fit one frame.
    case frameTooLarge(bytes: Int, bytesMax: Int)
    /// The frame replies to another request or to no request; this request is still open.
    case notForUs
    /// The frame cannot be read, so its request is unknown; this request is still open.
    case unreadable(String)
    /// The reply is malformed or does not match the request; do not use any part of it.
    case invalidReply(String)

    /// The error in plain words.
    public var text: String {
        switch self {
        case .invalidCall(let reason), .unreadable(let reason), .invalidReply(let reason): reason
        case .frameTooLarge(let bytes, let bytesMax):
            "the frame would have \(bytes) bytes, more than \(bytesMax); ask for less at a time"
        case .notForUs: "the frame does not belong to this request"
        }
    }
}
