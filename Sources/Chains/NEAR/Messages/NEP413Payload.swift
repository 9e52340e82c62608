// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// What a NEP-413 signature covers, in the order of its Borsh form.
package struct NEP413Payload: Hashable, Sendable {
    /// 2^31 + 413, which no transaction and no delegate action can begin with (NEP-461).
    package static let tag: UInt32 = 2_147_484_061
    /// The tag in little-endian bytes.
    package static let prefix: [UInt8] = [0x9d, 0x01, 0x00, 0x80]

    package var message: String
    package var nonce: [UInt8]
    package var recipient: String
    /// Absent and empty are two different things under the signature.
    package var callbackURL: String?

    /// The bytes that are hashed: the tag and the Borsh struct.
    package var preimage: [UInt8] {
        var writer = BorshWriter()
        writer.u32(Self.tag)
        writer.string(message)
        writer.append(nonce)
        writer.string(recipient)
        writer.option(callbackURL)
        return writer.bytes
    }

    /// Whether bytes are exactly one payload, within limits and in its only encoding.
    package static func isCanonical(_ preimage: [UInt8]) -> Bool {
        guard let payload = try? Self(preimage: preimage) else { return false }
        return payload.preimage == preimage
    }

    private init(preimage: [UInt8]) throws(CodecError) {
        var reader = BorshReader(preimage)
        guard try reader.u32() == Self.tag else { throw .malformed("wrong tag", at: 0) }
        message = try reader.string(countMax: MessageLimits.messageBytesMax)
        nonce = try reader.fixed(MessageLimits.nonceCount)
        recipient = try reader.string(countMax: MessageLimits.recipientBytesMax)
        callbackURL =
            try reader.option()
            ? reader.string(countMax: MessageLimits.callbackBytesMax) : nil
        try reader.finish()
    }

    /// Makes a payload of checked parts.
    package init(message: String, nonce: [UInt8], recipient: String, callbackURL: String?) {
        precondition(nonce.count == MessageLimits.nonceCount, "a nonce has 32 bytes")
        self.message = message
        self.nonce = nonce
        self.recipient = recipient
        self.callbackURL = callbackURL
    }
}
