// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// What a transport looked up for a call before it is decoded; it lies beside the frame.
///
/// The frame stays what the client sent: a nonce in it is the client's word, one in here is not.
package struct NEARLookups: Hashable, Sendable {
    /// Fresh nonces of the access key, one for each that the call needs.
    package let nonces: [UInt64]
    /// A block that is final, 32 bytes.
    package let blockHash: [UInt8]
    /// The height of that block.
    package let blockHeight: UInt64

    /// Whether the nonces are far above the last one that the key was used with here.
    package let isNonceJump: Bool

    /// How long a delegate action is taken where the client names no height, in blocks.
    package static let delegateBlocks: UInt64 = 1_000

    /// Makes the lookups for one call.
    package init(
        nonces: [UInt64], blockHash: [UInt8], blockHeight: UInt64, isNonceJump: Bool = false
    ) {
        self.nonces = nonces
        self.blockHash = blockHash
        self.blockHeight = blockHeight
        self.isNonceJump = isNonceJump
    }
}

/// What a call needs to have looked up.
package struct NEARLookupNeed: Hashable, Sendable {
    /// The account that will sign.
    package let account: Account
    /// `mainnet` or `testnet`.
    package let network: String
    /// How many nonces are to be drawn; none where the client gave them all.
    package let nonceCount: Int
    /// What the key would be used for; it has to be allowed to by the chain.
    package let uses: [NEARKeyUse]

    package init(account: Account, network: String, nonceCount: Int, uses: [NEARKeyUse]) {
        self.account = account
        self.network = network
        self.nonceCount = nonceCount
        self.uses = uses
    }

    /// Whether it can be answered where there is no node: messages can.
    package var isOptional: Bool { uses == [.message] }

    /// The key as NEAR writes it.
    package var publicKey: String { KeyText.ed25519(account.publicKey) }
    /// The series that the nonces count in.
    package var series: String { NEARLookupNeed.series(network, account) }

    static func series(_ network: String, _ account: Account) -> String {
        "near/\(network)/\(account.address)/\(KeyText.ed25519(account.publicKey))"
    }
}

/// Why a call that has to have something looked up is not decoded; texts are for the owner.
package enum NEARLookupFailure: Error, Hashable, Sendable {
    /// No node of its network is known.
    case noNode(network: String)
    /// A node could not be asked, or its answer cannot be true.
    case failed(network: String, String)
    /// The chain does not let the key do this.
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
                    "looking up the key on \(network) failed; nothing was signed"), [text]
            )
        case .notPermitted(let text):
            (NEARRefusal(.keyNotPermitted, "the chain does not let the key do this"), [text])
        }
    }
}
