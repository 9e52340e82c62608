// SPDX-License-Identifier: Apache-2.0

/// What a message may hold; all lengths are UTF-8 bytes.
package enum MessageLimits {
    package static let messageBytesMax = 32 << 10
    package static let recipientBytesMax = 256
    package static let callbackBytesMax = 2_048
    /// Length of a nonce.
    package static let nonceCount = 32
    /// Messages beyond this are not log-ins.
    static let messageBytesUsual = 8 << 10
}
