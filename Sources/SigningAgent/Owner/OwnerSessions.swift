// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCrypto
internal import SigningDigests
internal import Synchronization

/// Who has shown to be the owner of the home, by a token that only they were told.
///
/// Only digests of tokens are kept, and none outlives the locking of the vault.
package final class OwnerSessions: Sendable {
    /// The length of a token in bytes, before it is written in hexadecimal digits.
    package static let tokenCount = 32

    private struct Session {
        let digest: [UInt8]
        /// The unlocking of the vault that it is good for.
        let unlocking: Int
        let opened: ContinuousClock.Instant
        var used: ContinuousClock.Instant
    }

    private let limits: OwnerLimits
    private let vault: @Sendable () -> Int?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex<[Session]>([])

    /// There is none yet; `vault` tells which unlocking of it this is, nil while it is locked.
    package init(
        _ limits: OwnerLimits = OwnerLimits(), vault: @escaping @Sendable () -> Int?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limits = limits
        self.vault = vault
        self.now = now
    }

    /// Which unlocking of the vault this is; nil while it is locked.
    package var unlocking: Int? { vault() }

    /// Begins one for whoever gave the passphrase; the token, nil where the vault was locked since
    /// `unlocking` was looked at.
    package func open(since unlocking: Int?) -> String? {
        guard let unlocking, vault() == unlocking else { return nil }
        let token = Hex.encode(Randomness.bytes(Self.tokenCount).span)
        let time = now()
        state.withLock { sessions in
            forgetOld(&sessions, time, unlocking)
            while sessions.count >= limits.sessionsMax {
                let oldest = sessions.indices.min { sessions[$0].used < sessions[$1].used }
                guard let oldest else { break }
                sessions.remove(at: oldest)
            }
            sessions.append(
                Session(
                    digest: Self.digest(of: token), unlocking: unlocking, opened: time, used: time))
        }
        return token
    }

    /// Whether a token is that of a session, which lasts longer by a use.
    package func isOpen(_ token: String, isUse: Bool = true) -> Bool {
        let digest = Self.digest(of: token)
        let (time, unlocking) = (now(), vault())
        return state.withLock { sessions in
            forgetOld(&sessions, time, unlocking)
            guard let place = Self.place(of: digest, in: sessions) else { return false }
            if isUse { sessions[place].used = time }
            return true
        }
    }

    /// Ends the session of a token.
    package func close(_ token: String) {
        let digest = Self.digest(of: token)
        state.withLock { sessions in
            if let place = Self.place(of: digest, in: sessions) { sessions.remove(at: place) }
        }
    }

    /// How many there are.
    package var count: Int {
        let (time, unlocking) = (now(), vault())
        return state.withLock { sessions in
            forgetOld(&sessions, time, unlocking)
            return sessions.count
        }
    }

    private static func digest(of token: String) -> [UInt8] { Digest.sha256(token.utf8.span) }

    private static func place(of digest: [UInt8], in sessions: [Session]) -> Int? {
        var found: Int?
        // All are looked at: how long it takes says nothing of which.
        for (place, session) in sessions.enumerated()
        where ConstantTime.isEqual(session.digest.span, digest.span) {
            found = place
        }
        return found
    }

    private func forgetOld(
        _ sessions: inout [Session], _ now: ContinuousClock.Instant, _ unlocking: Int?
    ) {
        sessions.removeAll {
            $0.unlocking != unlocking || now - $0.used >= limits.idle
                || now - $0.opened >= limits.whole
        }
    }

    /// How long a session lasts unused, and at most, in seconds.
    package var seconds: (idle: Int64, whole: Int64) {
        (limits.idle.components.seconds, limits.whole.components.seconds)
    }
}
