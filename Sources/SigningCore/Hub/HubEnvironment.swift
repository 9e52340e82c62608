// SPDX-License-Identifier: Apache-2.0

/// The services of the machine that the hub needs; tests use fixed ones.
public protocol HubEnvironment: Sendable {
    /// The time of day.
    func now() -> Timestamp
    /// Returns the seconds by which the clock on the wall is ahead of UTC at a time.
    func secondsAheadOfUTC(at time: Timestamp) -> Int64
    /// The time since a fixed moment, including sleep; it cannot be set.
    func uptime() -> Duration
    /// Bytes from the system's cryptographic generator.
    func randomBytes(_ count: Int) -> [UInt8]
    /// SHA-256, 32 bytes.
    func sha256(_ bytes: Span<UInt8>) -> [UInt8]
    /// Returns the id and the party of a client with this claimed name.
    ///
    /// For a web address: its normal form and its registrable domain; otherwise the name for both.
    func identity(ofClaim claim: String) -> (id: String, party: String)
}

extension HubEnvironment {
    /// Zero: the wall shows UTC.
    public func secondsAheadOfUTC(at _: Timestamp) -> Int64 { 0 }
}
