// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The content that a NEP-413 signature covers, in the order of its Borsh form.
package struct NEP413Payload: Hashable, Sendable {
    /// The tag 2^31 + 413, which no transaction and no delegate action can begin with (NEP-461).
    package static let tag: UInt32 = 2_147_484_061
    /// The tag in little-endian bytes.
    package static let prefix: [UInt8] = [0x9d, 0x01, 0x00, 0x80]

    package var message: String
    package var nonce: [UInt8]
    package var recipient: String
    /// The callback URL; a missing and an empty one are signed differently.
    package var callbackURL: String?

    /// The bytes that are hashed: the tag and the Borsh structure.
    package var preimage: [UInt8] {
        var writer = BorshWriter()
        writer.u32(Self.tag)
        writer.string(message)
        writer.append(nonce)
        writer.string(recipient)
        writer.option(callbackURL)
        return writer.bytes
    }

    /// True if the bytes are exactly one payload, within limits and in its only encoding.
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

    /// Creates a payload from checked parts.
    package init(message: String, nonce: [UInt8], recipient: String, callbackURL: String?) {
        precondition(nonce.count == MessageLimits.nonceCount, "the nonce is not 32 bytes")
        self.message = message
        self.nonce = nonce
        self.recipient = recipient
        self.callbackURL = callbackURL
    }
}

/// The limits of a message; all lengths are UTF-8 bytes.
package enum MessageLimits {
    package static let messageBytesMax = 32 << 10
    package static let recipientBytesMax = 256
    package static let callbackBytesMax = 2_048
    /// The length of a nonce, in bytes.
    package static let nonceCount = 32
    /// The usual maximum length of a login message, in bytes.
    static let messageBytesUsual = 8 << 10
}
