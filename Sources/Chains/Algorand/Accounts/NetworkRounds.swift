// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension AlgorandNetwork {
    /// Returns a round that the network has certainly not reached; nil for an unknown network.
    ///
    /// Both public networks were below round 60,000,000 at 2025-07-01T00:00:00Z. Every block takes
    /// at least two seconds.
    package func unreachedRound(at time: Timestamp) -> UInt64? {
        guard isBuiltIn else { return nil }
        let seconds = time.seconds > Self.knownTime ? time.seconds - Self.knownTime : 0
        return Self.knownRound + UInt64(seconds) / Self.blockSecondsMin
    }

    private static let knownTime: Int64 = 1_751_328_000
    private static let knownRound: UInt64 = 60_000_000
    private static let blockSecondsMin: UInt64 = 2
}
