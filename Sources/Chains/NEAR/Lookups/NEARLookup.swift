// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// What a call needs to have looked up, and for whom.
public struct NEARLookupNeed: Hashable, Sendable {
    /// The account that will sign.
    public let account: Account
    /// `mainnet` or `testnet`.
    public let network: String
    /// How many nonces are to be drawn; none where the client gave them all.
    public let nonceCount: Int
    /// What the key would be used for; it has to be allowed to by the chain.
    package let uses: [NEARKeyUse]

    /// Chooses account and network of a call; nil where a message names no network, which it needs
    /// none for.
    package init?(
        _ countedClient: NEARClientContext, nonceCount: Int, uses: [NEARKeyUse],
        in context: DecodingContext
    ) throws(NEARRefusal) {
        account = try countedClient.account(in: context)
        self.nonceCount = nonceCount
        self.uses = uses
        if uses == [.message] {
            guard let network = countedClient.network ?? account.network else { return nil }
            self.network = network
        } else {
            network = try countedClient.network(or: account)
        }
    }

    /// Whether it can be answered where there is no node: messages can.
    package var isOptional: Bool { uses == [.message] }

    /// The key as NEAR writes it.
    package var publicKey: String { KeyText.ed25519(account.publicKey) }
    /// The series that the nonces count in.
    public var series: String { Self.series(network, account) }

    static func series(_ network: String, _ account: Account) -> String {
        "near/\(network)/\(account.address)/\(KeyText.ed25519(account.publicKey))"
    }
}

/// What a courier looked up for one call before it is decoded.
///
/// The frame stays what the client sent: a nonce in it is the client's word, one in here is not.
public struct NEARLookup: LookedUp, Hashable {
    /// Account, network and use of the key.
    public typealias Need = NEARLookupNeed
    /// In words for the owner.
    public typealias Failure = NEARLookupError

    /// Whose key was looked up, where, and what for.
    public let need: NEARLookupNeed
    /// What a node said; nil where a message is signed without.
    public let found: Found?

    /// What a transaction or delegate action is made with.
    public struct Found: Hashable, Sendable {
        /// Nonces of the access key, one for each that the call needs: until they are drawn, the
        /// next ones as far as can be told.
        public let nonces: [UInt64]
        /// A block that is final, 32 bytes.
        public let blockHash: [UInt8]
        /// The height of that block.
        public let blockHeight: UInt64
        /// Whether the nonces are far above the last one that the key was used with here.
        public let isNonceJump: Bool
        /// The nonce of the key on the chain.
        package let keyNonce: UInt64
        /// When the node was asked.
        package let time: Timestamp

        /// Makes it of checked parts.
        public init(
            nonces: [UInt64], blockHash: [UInt8], blockHeight: UInt64, isNonceJump: Bool = false
        ) {
            self.init(
                nonces: nonces, blockHash: blockHash, blockHeight: blockHeight,
                isNonceJump: isNonceJump, keyNonce: 0, at: Timestamp(seconds: 0))
        }

        /// Makes it of what a node said.
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

        /// The same with these nonces.
        package func drawing(_ nonces: [UInt64]) -> Found {
            Found(
                nonces: nonces, blockHash: blockHash, blockHeight: blockHeight,
                isNonceJump: isNonceJump, keyNonce: keyNonce, at: time)
        }
    }

    /// How long a delegate action is taken where the client names no height, in blocks.
    package static let delegateBlocks: UInt64 = 1_000

    /// Makes the lookup for one call.
    public init(for need: NEARLookupNeed, found: Found?) {
        self.need = need
        self.found = found
    }

    /// The series, and whether a node was asked; nonces and blocks age.
    public var digested: [UInt8]? {
        var writer = BorshWriter()
        writer.string(need.series)
        writer.u8(found == nil ? 0 : 1)
        return writer.bytes
    }

    /// The series of the nonces.
    public var lane: String? { found == nil ? nil : need.series }

    /// Stands for a lookup where nobody is asked; nil where a call can do without.
    package init?(madeUpFor need: NEARLookupNeed) {
        guard !need.isOptional else { return nil }
        self.init(
            for: need,
            found: Found(
                nonces: (0..<UInt64(need.nonceCount)).map { $0 },
                blockHash: [UInt8](repeating: 0, count: 32), blockHeight: 0))
    }

    /// Refuses what was looked up for another key or network than those that are chosen now.
    ///
    /// A connection may have begun or ended meanwhile; a nonce of one series is none of another.
    func check(isFor account: Account, on network: String?) throws(NEARRefusal) {
        guard need.account == account, need.network == network else {
            throw NEARRefusal(
                .unavailable,
                "the account or the network of this client has just changed; send it again")
        }
    }
}
