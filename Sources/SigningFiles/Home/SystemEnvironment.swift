// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCodecs
package import SigningCore
internal import SigningCrypto

/// The clock and the random generator of the machine.
package struct SystemEnvironment: HubEnvironment {
    /// Creates the environment.
    package init() {}

    /// The current time.
    package func now() -> Timestamp {
        var time = timespec()
        let status = unsafe clock_gettime(CLOCK_REALTIME, &time)
        precondition(status == 0, "the system clock cannot be read")
        return Timestamp(seconds: Int64(time.tv_sec))
    }

    /// The offset of the system's time zone, which the variable TZ or /etc/localtime names.
    package func secondsAheadOfUTC(at time: Timestamp) -> Int64 {
        var clock = time_t(time.seconds)
        var parts = unsafe tm()
        guard unsafe localtime_r(&clock, &parts) != nil else { return 0 }
        return Int64(unsafe parts.tm_gmtoff)
    }

    /// The time since the machine started, including sleep.
    package func uptime() -> Duration {
        var time = timespec()
        let status = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        precondition(status == 0, "the system's running time cannot be read")
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Random bytes from the system's cryptographic generator.
    package func randomBytes(_ count: Int) -> [UInt8] {
        Randomness.bytes(count)
    }

    /// SHA-256, 32 bytes.
    package func sha256(_ bytes: Span<UInt8>) -> [UInt8] {
        Digest.sha256(bytes)
    }

    /// The client id and the party that `ClientIdentity` derives from a client's claim.
    package func identity(ofClaim claim: String) -> (id: String, party: String) {
        let identity = ClientIdentity(claim: claim)
        return (identity.id, identity.party)
    }
}
