// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore
import SigningCrypto
import Synchronization

/// A machine whose clock stands still until a test moves it; hashing and randomness are real.
public final class FixedEnvironment: HubEnvironment {
    private let time: Mutex<Timestamp>
    private let slept = Mutex(Duration.zero)

    /// Makes a machine at the given time.
    public init(seconds: Int64 = 1_790_000_000) { time = Mutex(Timestamp(seconds: seconds)) }

    /// Moves the clock, also backwards.
    public func advance(seconds: Int64) {
        time.withLock { $0 = Timestamp(seconds: $0.seconds + seconds) }
    }

    /// The time it was set to.
    public func now() -> Timestamp { time.withLock { $0 } }

    /// Stands still, as a machine that is paused does: only the uptime goes on.
    public func pause(seconds: Int64) { slept.withLock { $0 += .seconds(seconds) } }

    /// What it stood still for.
    public func uptime() -> Duration { slept.withLock { $0 } }

    /// Random bytes.
    public func randomBytes(_ count: Int) -> [UInt8] { Randomness.bytes(count) }

    /// SHA-256.
    public func sha256(_ bytes: Span<UInt8>) -> [UInt8] { Digest.sha256(bytes) }

    /// As `ClientIdentity` makes it.
    public func identity(ofClaim claim: String) -> (id: String, party: String) {
        let identity = ClientIdentity(claim: claim)
        return (identity.id, identity.party)
    }
}

extension Client {
    /// Whom a hub makes of a name that is claimed; nil of none.
    public static func claiming(_ name: String?) -> Client? {
        Peer(channel: "test", claim: name).client(by: FixedEnvironment())
    }
}
