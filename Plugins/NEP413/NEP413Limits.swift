// SPDX-License-Identifier: Apache-2.0

/// The limits of NEP-413 frames.
///
/// `MessageLimits` has those of the message itself.
///
/// All lengths are in bytes of UTF-8.
enum NEP413Limits {
    /// The maximum size of a frame: the largest transaction in Base64 and its envelope.
    static let frameBytesMax = 6 << 20
    /// The maximum size of a frame that contains only a message, not a wallet call.
    static let messageFrameBytesMax = 64 << 10
    static let stateBytesMax = 2_048
    static let networkBytesMax = 16
    /// The maximum length of a key; long enough to recognize ML-DSA-65 keys by their prefix.
    static let keyBytesMax = 4_096
    static let signatureBytesMax = 512

    /// The maximum depth of the JSON; arguments of calls may be nested.
    static let frameDepthMax = 32
    /// The maximum number of JSON values: code may be one number for each byte, up to 256 KiB.
    static let frameValuesMax = 300_000
}
