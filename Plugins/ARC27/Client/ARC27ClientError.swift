// SPDX-License-Identifier: Apache-2.0

/// Why a client cannot ask, or cannot take a frame for its reply.
///
/// That a provider refuses is no error: see `ARC27Client.Refusal`.
public enum ARC27ClientError: Error, Hashable, Sendable {
    /// What is asked is something every provider has to refuse.
    case invalidCall(String)
    /// The request does not fit one frame.
    case frameTooLarge(bytes: Int, bytesMax: Int)
    /// The frame replies to another request or to none; this one is still open.
    case notForUs
    /// The frame cannot be read, so nobody knows whose it is; the request is still open.
    case unreadable(String)
    /// The reply to this request is malformed or not what was asked; nothing of it may be used.
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
