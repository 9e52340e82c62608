// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// Actions that a relayer submits to the chain and pays the gas of (NEP-366, NEP-611).
package struct DelegateAction: Hashable, Sendable {
    /// The tag 2^30 + 366, which no transaction and no message can begin with (NEP-461).
    package static let tag: UInt32 = 1_073_742_190
    package static let prefix: [UInt8] = [0x6e, 0x01, 0x00, 0x40]
    /// The tag 2^30 + 611, and the number of the payload version.
    package static let prefixV2: [UInt8] = [0x63, 0x02, 0x00, 0x40, 0x00]

    package let isV2: Bool
    package let sender: String
    package let receiver: String
    package let actions: [NEARAction]
    package let nonce: UInt64
    /// The index of the nonce of a gas key; only in version 2.
    package let nonceIndex: UInt16?
    /// The first height at which the action is no longer valid.
    package let maxBlockHeight: UInt64
    package let key: KeyText

    /// The bytes that are hashed and signed.
    package var preimage: [UInt8] {
        var writer = BorshWriter()
        writer.append(isV2 ? Self.prefixV2 : Self.prefix)
        writer.delegate(self)
        return writer.bytes
    }

    /// Returns the positions of nonce and height in a preimage of version 1 with `count` bytes.
    ///
    /// Both are before the key, at the end of the preimage.
    func places(in count: Int) -> (nonce: Range<Int>, height: Range<Int>) {
        let height = count - 1 - key.bytes.count - 8
        return (height - 8..<height, height..<height + 8)
    }

    /// Creates a delegate action of version 1 from checked parts.
    package init(
        sender: String, receiver: String, actions: [NEARAction], nonce: UInt64,
        maxBlockHeight: UInt64, key: KeyText
    ) {
        isV2 = false
        self.sender = sender
        self.receiver = receiver
        self.actions = actions
        self.nonce = nonce
        nonceIndex = nil
        self.maxBlockHeight = maxBlockHeight
        self.key = key
    }

    init(from reader: inout TransactionReader, isV2: Bool) throws(NEARRefusal) {
        guard !reader.isInDelegate else {
            throw NEARRefusal(.nestedDelegate, "a delegate action cannot contain another one")
        }
        reader.isInDelegate = true
        self.isV2 = isV2
        sender = try reader.accountID("the sender of a delegate action")
        receiver = try reader.accountID("the receiver of a delegate action")
        actions = try reader.actions()
        (nonce, nonceIndex) = isV2 ? try reader.nonceAndIndex() : (try reader.u64(), nil)
        maxBlockHeight = try reader.u64()
        key = try reader.key()
        reader.isInDelegate = false
    }

    /// True if the bytes are exactly one delegate action of version 1 that this Ed25519 key signs.
    package static func isSignable(_ preimage: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard preimage.starts(with: prefix), preimage.count <= TransactionLimits.bytesMax else {
            return false
        }
        var reader = TransactionReader(preimage)
        guard (try? reader.u32()) == tag, let action = try? Self(from: &reader, isV2: false),
            (try? reader.finish()) != nil
        else { return false }
        return action.key == KeyText(curve: .ed25519, bytes: publicKey)
            && action.preimage == preimage
    }
}

/// A delegate action with the signature of its sender.
package struct SignedDelegate: Hashable, Sendable {
    package let action: DelegateAction
    package let signature: NEARSignature

    /// The Borsh form for relayers.
    package var bytes: [UInt8] {
        var writer = BorshWriter()
        writer.signedDelegate(self)
        return writer.bytes
    }

    /// Reads a whole signed action; `isV2` if it begins with the payload number of version 2.
    package init(_ bytes: [UInt8], isV2: Bool = false) throws(NEARRefusal) {
        guard bytes.count <= TransactionLimits.bytesMax else {
            throw .tooLarge("the delegate action", bytesMax: TransactionLimits.bytesMax)
        }
        var reader = TransactionReader(bytes)
        self = try reader.signedDelegate(isV2: isV2)
        try reader.finish()
    }

    package init(_ action: DelegateAction, _ signature: NEARSignature) {
        self.action = action
        self.signature = signature
    }
}

extension BorshWriter {
    fileprivate mutating func delegate(_ action: DelegateAction) {
        string(action.sender)
        string(action.receiver)
        actions(action.actions)
        if action.isV2 { nonceAndIndex(action.nonce, action.nonceIndex) } else { u64(action.nonce) }
        u64(action.maxBlockHeight)
        key(action.key)
    }

    mutating func signedDelegate(_ signed: SignedDelegate) {
        if signed.action.isV2 { u8(0) }
        delegate(signed.action)
        signature(signed.signature)
    }
}

extension TransactionReader {
    mutating func signedDelegate(isV2: Bool) throws(NEARRefusal) -> SignedDelegate {
        if isV2 {
            guard try u8() == 0 else {
                throw .invalid("the payload of a delegate action is unknown")
            }
        }
        return SignedDelegate(
            try DelegateAction(from: &self, isV2: isV2), try signature())
    }
}
