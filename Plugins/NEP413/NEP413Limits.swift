// SPDX-License-Identifier: Apache-2.0

/// What a request may hold; all lengths are UTF-8 bytes.
enum NEP413Limits {
    static let frameBytesMax = 64 << 10
    static let messageBytesMax = 32 << 10
    static let recipientBytesMax = 256
    static let callbackBytesMax = 2_048
    static let stateBytesMax = 2_048
    static let networkBytesMax = 16
    static let accountBytesMax = 64
    static let keyBytesMax = 160
    static let signatureBytesMax = 512

    /// Length of a nonce.
    static let nonceCount = 32
    /// Messages beyond this are not log-ins.
    static let messageBytesUsual = 8 << 10

    /// The object, the nonce as an object, and its data.
    static let frameDepthMax = 3
    /// Every member, and a nonce of 32 numbers.
    static let frameValuesMax = 64
}
