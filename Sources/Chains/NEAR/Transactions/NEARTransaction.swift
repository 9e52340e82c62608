// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// An unsigned transaction.
package struct NEARTransaction: Hashable, Sendable {
    /// The version of the wire format.
    package enum Version: Hashable {
        /// The format without a tag.
        case v0
        /// NEP-611: a nonce that may have an index, and a mode.
        case v1(nonceIndex: UInt16?, isStrict: Bool)
    }

    package let version: Version
    package let signer: String
    package let key: KeyText
    package let nonce: UInt64
    package let receiver: String
    package let blockHash: [UInt8]
    package let actions: [NEARAction]

    /// The length of a block hash, in bytes.
    package static let hashCount = 32
    /// The space reserved for a transaction with one plain action, in bytes.
    private static let usualCount = 256

    /// The bytes that are hashed and signed; their SHA-256 is the transaction hash.
    package var preimage: [UInt8] {
        var writer = BorshWriter(expecting: Self.usualCount)
        if case .v1 = version { writer.u8(1) }
        writer.string(signer)
        writer.key(key)
        if case .v1(let index, _) = version {
            writer.nonceAndIndex(nonce, index)
        } else {
            writer.u64(nonce)
        }
        writer.string(receiver)
        writer.append(blockHash)
        writer.actions(actions)
        if case .v1(_, let isStrict) = version { writer.u8(isStrict ? 1 : 0) }
        return writer.bytes
    }

    /// The positions of nonce and block hash in the preimage of version 0.
    var places: (nonce: Range<Int>, blockHash: Range<Int>) {
        let nonce = 4 + signer.utf8.count + 1 + key.bytes.count
        let block = nonce + 8 + 4 + receiver.utf8.count
        return (nonce..<nonce + 8, block..<block + Self.hashCount)
    }

    /// Reads a whole transaction.
    package init(_ bytes: [UInt8]) throws(NEARRefusal) {
        guard bytes.count <= TransactionLimits.bytesMax else {
            throw .tooLarge("the transaction", bytesMax: TransactionLimits.bytesMax)
        }
        var reader = TransactionReader(bytes)
        try self.init(from: &reader, isV1: Self.isV1(bytes))
        try reader.finish()
    }

    /// The second byte of version 0 belongs to a length of at most 64, so it is zero.
    static func isV1(_ bytes: [UInt8]) throws(NEARRefusal) -> Bool {
        guard bytes.count > 1, bytes[1] != 0 else { return false }
        guard bytes[0] == 1 else {
            throw NEARRefusal(.unsupportedVersion, "the version of the transaction is unknown")
        }
        return true
    }

    init(from reader: inout TransactionReader, isV1: Bool) throws(NEARRefusal) {
        if isV1 { _ = try reader.u8() }
        signer = try reader.accountID("the signer")
        key = try reader.key()
        var index: UInt16?
        if isV1 { (nonce, index) = try reader.nonceAndIndex() } else { nonce = try reader.u64() }
        receiver = try reader.accountID("the receiver")
        blockHash = try reader.fixed(Self.hashCount)
        actions = try reader.actions()
        guard isV1 else {
            version = .v0
            return
        }
        let mode = try reader.u8()
        guard mode <= 1 else { throw .invalid("the nonce mode of the transaction is unknown") }
        version = .v1(nonceIndex: index, isStrict: mode == 1)
    }

    /// Creates a transaction of version 0 from checked parts.
    package init(
        signer: String, key: KeyText, nonce: UInt64, receiver: String, blockHash: [UInt8],
        actions: [NEARAction]
    ) {
        version = .v0
        self.signer = signer
        self.key = key
        self.nonce = nonce
        self.receiver = receiver
        self.blockHash = blockHash
        self.actions = actions
    }

    /// True if the bytes are exactly one transaction of version 0 that this Ed25519 key signs.
    package static func isSignable(_ preimage: [UInt8], by publicKey: [UInt8]) -> Bool {
        // This check is cheap and comes first: preimages of other domains fail it.
        guard preimage.count > 3, preimage[1] == 0, preimage[2] == 0, preimage[3] == 0,
            let transaction = try? Self(preimage)
        else { return false }
        return transaction.version == .v0
            && transaction.key == KeyText(curve: .ed25519, bytes: publicKey)
            && transaction.preimage == preimage
    }
}

/// A signature with its curve.
package struct NEARSignature: Hashable {
    package let curve: KeyText.Curve
    package let bytes: [UInt8]

    package init(curve: KeyText.Curve, bytes: [UInt8]) {
        self.curve = curve
        self.bytes = bytes
    }
}

extension BorshWriter {
    /// Writes a nonce of NEP-611: alone, or with the index of a gas key.
    mutating func nonceAndIndex(_ nonce: UInt64, _ index: UInt16?) {
        u8(index == nil ? 0 : 1)
        u64(nonce)
        if let index { u16(index) }
    }
}

extension TransactionReader {
    /// Reads a nonce of NEP-611.
    mutating func nonceAndIndex() throws(NEARRefusal) -> (UInt64, UInt16?) {
        switch try u8() {
        case 0: return (try u64(), nil)
        case 1: return (try u64(), try u16())
        default: throw .invalid("the kind of a nonce is unknown")
        }
    }
}

/// The limits of a transaction; all lengths are bytes.
package enum TransactionLimits {
    /// The maximum size of a transaction, in Borsh (NEP-645).
    package static let bytesMax = 4 << 20
    package static let actionsMax = 100
    package static let textBytesMax = 2_048
    package static let methodsMax = 256
    package static let stateEntriesMax = 4_096
    /// The maximum number of transactions or delegate actions in one request.
    package static let requestMax = 16
}
