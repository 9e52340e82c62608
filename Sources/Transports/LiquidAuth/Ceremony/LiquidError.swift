// SPDX-License-Identifier: Apache-2.0

/// The reasons that a login failed.
public enum LiquidError: Error, Hashable, Sendable {
    /// The server would be reached without encryption, which is not allowed.
    case insecure
    /// The server cannot be reached or its certificate is not trusted; the reason in visible ASCII.
    case unreachable(String)
    /// The server sent an answer that Liquid Auth does not define; the details in visible ASCII.
    case unexpected(String)
    /// The server refused the login; its reason in visible ASCII.
    case refused(String)
    /// The server does not know the held passkey.
    case notFound
    /// Neither the server's challenge nor its second challenge may be signed.
    case challenge(String)
    /// The signer gave no answer that can be posted; the message of the signer.
    case notSigned(String)
    /// The caller was cancelled.
    case cancelled

    /// The error in plain words.
    public var text: String {
        switch self {
        case .insecure: "the URI leads to the server without encryption"
        case .unreachable(let text): "the server cannot be reached: \(text)"
        case .unexpected(let text): "the server does not follow Liquid Auth: \(text)"
        case .refused(let text): "the server refuses: \(text)"
        case .notFound: "the server does not know the passkey of this home"
        case .challenge(let text): "the server's challenge was not signed: \(text)"
        case .notSigned(let text): text
        case .cancelled: "the login was ended"
        }
    }
}
