// SPDX-License-Identifier: Apache-2.0

/// The reasons that a call with a required lookup is not decoded; texts are for the owner.
public enum NEARLookupError: Error, Hashable, Sendable {
    /// The network has no configured node.
    case noNode(network: String)
    /// A node could not be reached, or its answer cannot be true.
    case failed(network: String, String)
    /// The chain does not permit this use of the key.
    case notPermitted(String)

    package var refusal: (NEARRefusal, detail: [String]) {
        switch self {
        case .noNode(let network):
            (
                NEARRefusal(
                    .networkUnavailable,
                    "no RPC URL is configured for \(network), and this call needs a node"), []
            )
        case .failed(let network, let text):
            (
                NEARRefusal(
                    .networkUnavailable,
                    "the key could not be looked up on \(network); nothing was signed"), [text]
            )
        case .notPermitted(let text):
            (NEARRefusal(.keyNotPermitted, "the chain does not allow the key to do this"), [text])
        }
    }
}
