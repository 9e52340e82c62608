// SPDX-License-Identifier: Apache-2.0

/// Why a login did not come about.
public enum LiquidError: Error, Hashable, Sendable {
    /// The server is to be reached without encryption, which was not allowed.
    case insecure
    /// The server cannot be reached, or not be trusted; why, in visible ASCII.
    case unreachable(String)
    /// The server answered what no server of Liquid Auth does; what, in visible ASCII.
    case unexpected(String)
    /// The server refuses; its reason, in visible ASCII.
    case refused(String)
    /// The server does not know the passkey that is held.
    case notFound
    /// The server's challenge is not one that is signed, nor was its second.
    case challenge(String)
    /// The signer gave no answer that can be posted; its own words.
    case notSigned(String)
    /// Whoever asked for it has left.
    case cancelled

    /// The error in plain words.
    public var text: String {
        switch self {
        case .insecure: "the server is to be reached without encryption"
        case .unreachable(let text): "the server cannot be reached: \(text)"
        case .unexpected(let text): "the server is none of Liquid Auth: \(text)"
        case .refused(let text): "the server refuses: \(text)"
        case .notFound: "the server does not know the passkey that is held"
        case .challenge(let text): "the server's challenge is not signed: \(text)"
        case .notSigned(let text): text
        case .cancelled: "the login was ended"
        }
    }
}
