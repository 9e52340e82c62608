// SPDX-License-Identifier: Apache-2.0

/// What a frame may hold besides what the chain bounds; all lengths are UTF-8 bytes.
enum NEP413Limits {
    /// A transaction of the largest size in Base64, and what stands around it.
    static let frameBytesMax = 6 << 20
    /// A bare message.
    static let messageFrameBytesMax = 64 << 10
    static let stateBytesMax = 2_048
    static let networkBytesMax = 16
    /// The longest that is read is shorter; one of ML-DSA-65 has to be told by its name.
    static let keyBytesMax = 4_096
    static let signatureBytesMax = 512

    /// The arguments of calls may be nested.
    static let frameDepthMax = 32
    /// Contract code may be written as one number a byte, up to 256 KiB.
    static let frameValuesMax = 300_000
}
