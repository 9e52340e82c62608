// SPDX-License-Identifier: Apache-2.0

/// What the hub needs from the machine; tests give fixed ones.
public protocol HubEnvironment: Sendable {
    /// The time of day.
    func now() -> Timestamp
    /// What has gone by since some moment, also while the machine slept; nobody sets it.
    func uptime() -> Duration
    /// Bytes from the system's cryptographic generator.
    func randomBytes(_ count: Int) -> [UInt8]
    /// SHA-256, 32 bytes.
    func sha256(_ bytes: Span<UInt8>) -> [UInt8]
    /// What a client is called by rules, and what it is counted by, for a name that it claims:
    /// an address of the web in its normal form and its registrable domain, else the name twice.
    func identity(ofClaim claim: String) -> (id: String, party: String)
}
