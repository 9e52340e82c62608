// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCodecs
public import SigningCore
internal import SigningCrypto

/// The machine's own clock and randomness.
public struct SystemEnvironment: HubEnvironment {
    /// Makes it.
    public init() {}

    /// The time of day.
    public func now() -> Timestamp {
        var time = timespec()
        let status = unsafe clock_gettime(CLOCK_REALTIME, &time)
        precondition(status == 0, "The system has a time of day.")
        return Timestamp(seconds: Int64(time.tv_sec))
    }

    /// Bytes from the system's cryptographic generator.
    public func randomBytes(_ count: Int) -> [UInt8] {
        Randomness.bytes(count)
    }

    /// SHA-256, 32 bytes.
    public func sha256(_ bytes: Span<UInt8>) -> [UInt8] {
        Digest.sha256(bytes)
    }

    /// As `ClientIdentity` makes it.
    public func identity(ofClaim claim: String) -> (id: String, party: String) {
        let identity = ClientIdentity(claim: claim)
        return (identity.id, identity.party)
    }
}
