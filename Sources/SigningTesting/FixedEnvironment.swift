// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore
import SigningCrypto
import Synchronization

/// A machine whose clock moves only when a test moves it; hashing and randomness are real.
public final class FixedEnvironment: HubEnvironment {
    private let time: Mutex<Timestamp>
    private let slept = Mutex(Duration.zero)

    /// Creates a machine at the given time.
    public init(seconds: Int64 = 1_790_000_000) { time = Mutex(Timestamp(seconds: seconds)) }

    /// Moves the clock forwards, or backwards for a negative number.
    public func advance(seconds: Int64) {
        time.withLock { $0 = Timestamp(seconds: $0.seconds + seconds) }
    }

    /// The time of the clock.
    public func now() -> Timestamp { time.withLock { $0 } }

    /// Simulates a suspended machine: only the uptime increases.
    public func pause(seconds: Int64) { slept.withLock { $0 += .seconds(seconds) } }

    /// The total time of suspensions.
    public func uptime() -> Duration { slept.withLock { $0 } }

    /// Random bytes.
    public func randomBytes(_ count: Int) -> [UInt8] { Randomness.bytes(count) }

    /// SHA-256.
    public func sha256(_ bytes: Span<UInt8>) -> [UInt8] { Digest.sha256(bytes) }

    /// The identity of a claim, as made by `ClientIdentity`.
    public func identity(ofClaim claim: String) -> (id: String, party: String) {
        let identity = ClientIdentity(claim: claim)
        return (identity.id, identity.party)
    }
}

extension Client {
    /// The client that a hub makes from a claimed name; nil for nil.
    public static func claiming(_ name: String?) -> Client? {
        Peer(channel: "test", claim: name).client(by: FixedEnvironment())
    }
}
