// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// The values that a call needs from a node, and the account they are for.
public struct NEARLookupNeed: Hashable, Sendable {
    /// The account that will sign.
    public let account: Account
    /// The name of the network, such as `testnet`.
    public let network: String
    /// The number of nonces to draw; 0 if the client supplied all of them.
    public let nonceCount: Int
    /// The uses of the key, which its permissions on the chain must allow.
    package let uses: [NEARKeyUse]

    /// Chooses the account and network of a call.
    ///
    /// Nil for a message that names no network, as it needs none.
    package init?(
        _ clientContext: NEARClientContext, nonceCount: Int, uses: [NEARKeyUse],
        in context: DecodingContext
    ) throws(NEARRefusal) {
        account = try clientContext.account(in: context)
        self.nonceCount = nonceCount
        self.uses = uses
        if uses == [.message] {
            guard let network = clientContext.network ?? account.network else { return nil }
            self.network = network
        } else {
            network = try clientContext.network(or: account)
        }
    }

    /// True if the call can be answered without a node, as messages can.
    package var isOptional: Bool { uses == [.message] }

    /// The public key in the text form of NEAR.
    package var publicKey: String { KeyText.ed25519(account.publicKey) }
    /// The name of the sequence that the nonces belong to.
    public var series: String { Self.series(network, account) }

    static func series(_ network: String, _ account: Account) -> String {
        "near/\(network)/\(account.address)/\(KeyText.ed25519(account.publicKey))"
    }
}

/// The values that a courier looked up for one call before it is decoded.
///
/// The frame stays as the client sent it. Nonces in the frame are claims of the client; nonces here
/// are not.
public struct NEARLookup: LookedUp, Hashable {
    /// The account, network and uses of the key.
    public typealias Need = NEARLookupNeed
    /// The reason that a lookup failed, in words for the owner.
    public typealias Failure = NEARLookupError

    /// The need that the lookup answers.
    public let need: NEARLookupNeed
    /// The answer of the node; nil for a message signed without one.
    public let found: Found?

    /// The values that a transaction or delegate action is made with.
    public struct Found: Hashable, Sendable {
        /// The nonces of the access key, one for each that the call needs.
        ///
        /// Until they are drawn, these are estimates of the next nonces.
        public let nonces: [UInt64]
        /// The hash of a final block, 32 bytes.
        public let blockHash: [UInt8]
        /// The height of that block.
        public let blockHeight: UInt64
        /// True if the nonces are far above the last one used here.
        public let isNonceJump: Bool
        /// The nonce of the key on the chain.
        package let keyNonce: UInt64
        /// The time of the query.
        package let time: Timestamp

        /// Creates the values from checked parts.
        public init(
            nonces: [UInt64], blockHash: [UInt8], blockHeight: UInt64, isNonceJump: Bool = false
        ) {
            self.init(
                nonces: nonces, blockHash: blockHash, blockHeight: blockHeight,
                isNonceJump: isNonceJump, keyNonce: 0, at: Timestamp(seconds: 0))
        }

        /// Creates the values from the answer of a node.
        package init(
            nonces: [UInt64], blockHash: [UInt8], blockHeight: UInt64, isNonceJump: Bool,
            keyNonce: UInt64, at time: Timestamp
        ) {
            self.keyNonce = keyNonce
            self.time = time
            self.nonces = nonces
            self.blockHash = blockHash
            self.blockHeight = blockHeight
            self.isNonceJump = isNonceJump
        }

        /// Returns a copy with the drawn nonces.
        package func drawing(_ nonces: [UInt64]) -> Found {
            Found(
                nonces: nonces, blockHash: blockHash, blockHeight: blockHeight,
                isNonceJump: isNonceJump, keyNonce: keyNonce, at: time)
        }
    }

    /// The validity of a delegate action if the client names no height, in blocks.
    package static let delegateBlocks: UInt64 = 1_000

    /// Creates the lookup for one call.
    public init(for need: NEARLookupNeed, found: Found?) {
        self.need = need
        self.found = found
    }

    /// The sequence, and whether a node was asked; nonces and blocks are left out because they age.
    public var digested: [UInt8]? {
        var writer = BorshWriter()
        writer.string(need.series)
        writer.u8(found == nil ? 0 : 1)
        return writer.bytes
    }

    /// The sequence of the nonces; nil if no node was asked.
    public var lane: String? { found == nil ? nil : need.series }

    /// Creates a placeholder without asking a node; nil for a call that can do without a lookup.
    package init?(placeholderFor need: NEARLookupNeed) {
        guard !need.isOptional else { return nil }
        self.init(
            for: need,
            found: Found(
                nonces: (0..<UInt64(need.nonceCount)).map { $0 },
                blockHash: [UInt8](repeating: 0, count: 32), blockHeight: 0))
    }

    /// Throws if the lookup is for another account or network than those chosen now.
    ///
    /// A connection may have begun or ended meanwhile, and each key has its own sequence of nonces.
    func check(isFor account: Account, on network: String?) throws(NEARRefusal) {
        guard need.account == account, need.network == network else {
            throw NEARRefusal(
                .unavailable,
                "the account or the network of this client has just changed; send it again")
        }
    }
}
