// SPDX-License-Identifier: Apache-2.0

/// The reasons that a request for a Nostr key is refused; each wire has its own words for them.
package enum NostrRefusal: Error, Hashable, Sendable {
    /// The content is invalid; the text says what is wrong and what to do, without payload.
    case invalid(String)
    /// The content exceeds a limit, which the text names.
    case tooLarge(String)
    /// The ciphertext does not decrypt; the reason is not given.
    case undecryptable
    /// The home holds no key that signs events.
    case noAccount
    /// The home does not hold the account that the client names.
    case notHeld
    /// The client names an account that it is not connected to; the reply does not say if it is
    /// held.
    case notConnected
    /// This signer does not support the task.
    case unsupported

    static func tooLarge(_ what: String, bytesMax: Int) -> Self {
        .tooLarge("\(what) is larger than \(bytesMax) bytes")
    }

    /// The reason in one sentence.
    package var reason: String {
        switch self {
        case .invalid(let text), .tooLarge(let text): text
        case .undecryptable: "could not decrypt"
        case .noAccount: "this signer has no Nostr key"
        case .notHeld, .notConnected: "permission denied"
        case .unsupported: "this signer does not support this method"
        }
    }
}
