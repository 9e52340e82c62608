// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// SHA-256, which code, arguments and messages are known by.
typealias SHA256 = @Sendable (Span<UInt8>) -> [UInt8]

/// What a frame is decoded with.
struct WireContext {
    /// What the hub knows.
    let hub: DecodingContext
    let sha256: SHA256
}
