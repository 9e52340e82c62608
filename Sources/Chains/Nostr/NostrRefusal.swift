// SPDX-License-Identifier: Apache-2.0

/// Why what a client wrote is no task for a Nostr key; each wire has its own words for it.
package enum NostrRefusal: Error, Hashable, Sendable {
    /// It is not what it should be; what is wrong and what to do, without payload.
    case invalid(String)
    /// It is larger than a limit, which the text names.
    case tooLarge(String)
    /// A ciphertext that does not decrypt; never says why.
    case undecryptable
    /// No key that signs events is held.
    case noAccount
    /// The account that the client names is not held.
    case notHeld
    /// The client names an account that it was not told of; whether it is held is not said.
    case notConnected
    /// The task is one that this signer does not do.
    case unsupported

    static func tooLarge(_ what: String, bytesMax: Int) -> Self {
        .tooLarge("\(what) is larger than \(bytesMax) bytes")
    }

    /// What is wrong, in one sentence.
    package var reason: String {
        switch self {
        case .invalid(let text), .tooLarge(let text): text
        case .undecryptable: "could not decrypt"
        case .noAccount: "this signer holds no Nostr key"
        case .notHeld, .notConnected: "permission denied"
        case .unsupported: "this signer does not offer this method"
        }
    }
}
