// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// What a transport looked up for a call before it is decoded; it lies beside the frame.
///
/// The frame stays what the client sent: a nonce in it is the client's word, one in here is not.
public struct NEARLookups: Hashable, Sendable {
    /// Fresh nonces of the access key, one for each that the call needs.
    public let nonces: [UInt64]
    /// A block that is final, 32 bytes.
    public let blockHash: [UInt8]
    /// The height of that block.
    public let blockHeight: UInt64

    /// How long a delegate action is taken where the client names no height, in blocks.
    public static let delegateBlocks: UInt64 = 1_000

    /// Makes the lookups for one call.
    public init(nonces: [UInt64], blockHash: [UInt8], blockHeight: UInt64) {
        self.nonces = nonces
        self.blockHash = blockHash
        self.blockHeight = blockHeight
    }

    /// The bytes to lay beside the frame.
    public var attachment: [UInt8] {
        let json: JSON = [
            "nonces": .array(nonces.map { .string(String($0)) }),
            "blockHash": .string(Base58.encode(blockHash.span)),
            "blockHeight": .string(String(blockHeight)),
        ]
        return json.write()
    }

    init(_ attachment: [UInt8]) throws(NEARRefusal) {
        guard let object = (try? JSON.parse(attachment.span))?.object else {
            throw .invalid("what was looked up is not readable")
        }
        let members = NEP413Members(object)
        var nonces: [UInt64] = []
        for json in members.value("nonces")?.list ?? [] {
            nonces.append(try NEARNumber.u64(json, "nonce"))
        }
        self.nonces = nonces
        blockHash = try NEARNumber.hash(members.value("blockHash"), "blockHash")
        blockHeight = try NEARNumber.u64(members.value("blockHeight"), "blockHeight")
    }
}

/// What a call needs to have looked up.
public struct NEARLookupNeed: Hashable, Sendable {
    /// The account that will sign.
    public let account: Account
    /// `mainnet` or `testnet`.
    public let network: String
    /// How many nonces are to be drawn; none where the client gave them all.
    public let nonceCount: Int

    /// The key as NEAR writes it.
    public var publicKey: String { KeyText.ed25519(account.publicKey) }
    /// The series that the nonces count in.
    public var series: String { NEARLookupNeed.series(network, account) }

    static func series(_ network: String, _ account: Account) -> String {
        "near/\(network)/\(account.address)/\(KeyText.ed25519(account.publicKey))"
    }
}
