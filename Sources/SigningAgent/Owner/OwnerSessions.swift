// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCrypto
internal import SigningDigests
package import Socket
internal import Synchronization

/// The limits of owner sessions.
package struct OwnerLimits: Sendable {
    /// The time after which an unused session ends.
    package var idle = Duration.seconds(15 * 60)
    /// The longest time that a session lasts.
    package var whole = Duration.seconds(8 * 3_600)
    /// The most sessions at one time that the passphrase opened, and that each terminal session
    /// opened; a new one replaces the one of these unused for longest.
    package var sessionsMax = 4

    /// The default limits.
    package init() {}
}

/// The sessions of clients that proved to be the owner, each with a token that only its client
/// received.
///
/// Only digests of tokens are kept. All sessions end when the vault is locked.
package final class OwnerSessions: Sendable {
    /// The length of a token in bytes, before it is written in hexadecimal digits.
    package static let tokenCount = 32

    private struct Session {
        let digest: [UInt8]
        /// The unlocking of the vault for which the session is valid.
        let unlocking: Int
        /// The number of the terminal session that opened it; nil if the passphrase did.
        let terminal: Int?
        let end: ContinuousClock.Instant
        var used: ContinuousClock.Instant
    }

    private let limits: OwnerLimits
    private let terminals: OwnerTerminals?
    private let vault: @Sendable () -> Int?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex<[Session]>([])

    /// Creates an empty list; `vault` returns the number of the current unlocking, nil while the
    /// vault is locked.
    ///
    /// A session that a terminal session opened ends with it, and only its processes can use it.
    package init(
        _ limits: OwnerLimits = OwnerLimits(), endingWith terminals: OwnerTerminals? = nil,
        vault: @escaping @Sendable () -> Int?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limits = limits
        self.terminals = terminals
        self.vault = vault
        self.now = now
    }

    /// The number of the current unlocking of the vault; nil while it is locked.
    package var unlocking: Int? { vault() }

    /// Opens a session after a correct passphrase, or for a remembered terminal session with this
    /// number and time, and returns its token; nil if the vault was locked since `unlocking` was
    /// read.
    package func open(since unlocking: Int?, by terminal: (id: Int, left: Duration)? = nil)
        -> String?
    {
        guard let unlocking, vault() == unlocking else { return nil }
        let token = Hex.encode(Randomness.bytes(Self.tokenCount).span)
        let (time, live) = (now(), terminals?.ids)
        state.withLock { sessions in
            forgetOld(&sessions, time, unlocking, live)
            let rivals = sessions.indices.filter { sessions[$0].terminal == terminal?.id }
            let oldest = rivals.min { sessions[$0].used < sessions[$1].used }
            if let oldest, rivals.count >= limits.sessionsMax { sessions.remove(at: oldest) }
            sessions.append(
                Session(
                    digest: Self.digest(of: token), unlocking: unlocking, terminal: terminal?.id,
                    end: time + min(limits.whole, terminal?.left ?? limits.whole), used: time))
        }
        return token
    }

    /// True if the token's session is open for a client in this terminal session; a use extends it.
    package func isOpen(
        _ token: String, in caller: TerminalSession? = nil, isUse: Bool = true
    ) -> Bool {
        let digest = Self.digest(of: token)
        let (time, unlocking, live) = (now(), vault(), terminals?.ids)
        return state.withLock { sessions in
            forgetOld(&sessions, time, unlocking, live)
            guard let place = Self.place(of: digest, in: sessions) else { return false }
            if let terminal = sessions[place].terminal {
                guard let caller, live?[caller] == terminal else { return false }
            }
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

    /// The number of open sessions.
    package var count: Int {
        let (time, unlocking, live) = (now(), vault(), terminals?.ids)
        return state.withLock { sessions in
            forgetOld(&sessions, time, unlocking, live)
            return sessions.count
        }
    }

    private static func digest(of token: String) -> [UInt8] { Digest.sha256(token.utf8.span) }

    private static func place(of digest: [UInt8], in sessions: [Session]) -> Int? {
        var found: Int?
        // Every session is compared, so that the time does not reveal which one matched.
        for (place, session) in sessions.enumerated()
        where ConstantTime.isEqual(session.digest.span, digest.span) {
            found = place
        }
        return found
    }

    private func forgetOld(
        _ sessions: inout [Session], _ now: ContinuousClock.Instant, _ unlocking: Int?,
        _ live: [TerminalSession: Int]?
    ) {
        sessions.removeAll { session in
            if let terminal = session.terminal, live?.values.contains(terminal) != true {
                return true
            }
            return session.unlocking != unlocking || now - session.used >= limits.idle
                || now >= session.end
        }
    }

    /// The limits of a session in seconds: unused, and in total.
    package var seconds: (idle: Int64, whole: Int64) {
        (limits.idle.components.seconds, limits.whole.components.seconds)
    }
}
