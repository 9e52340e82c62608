// SPDX-License-Identifier: Apache-2.0

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
