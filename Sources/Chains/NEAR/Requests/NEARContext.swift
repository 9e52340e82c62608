// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// SHA-256, which code, arguments and messages are known by.
package typealias SHA256 = @Sendable (Span<UInt8>) -> [UInt8]

/// What a request is made with.
package struct NEARContext {
    /// What the hub knows.
    package let hub: DecodingContext
    /// What was looked up, if anything was.
    package let lookups: NEARLookups?
    package let sha256: SHA256

    package init(
        hub: DecodingContext, lookups: NEARLookups?, sha256: @escaping SHA256
    ) {
        self.hub = hub
        self.lookups = lookups
        self.sha256 = sha256
    }
}
