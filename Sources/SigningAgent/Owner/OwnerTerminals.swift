// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import Socket
internal import Synchronization

/// The terminal sessions in which the owner gave the passphrase a short time ago, like the time
/// stamps of sudo.
///
/// They exist in memory only. Each ends by time, which uses do not extend, when its leader ends or
/// loses the terminal, when the vault is locked, by a freeze, and on demand.
package final class OwnerTerminals: Sendable {
    private struct Stamp {
        let id: Int
        let session: TerminalSession
        /// The unlocking of the vault for which the stamp is valid.
        let unlocking: Int
        /// The newest freeze on record when the passphrase was given.
        let freeze: Int64
        let given: ContinuousClock.Instant
    }

    private struct State {
        var stamps: [Stamp] = []
        var lastID = 0
    }

    /// The time that a terminal session is remembered unless the owner chooses another, in
    /// minutes.
    package static let minutesDefault = 15
    /// The longest time that the owner can choose, in minutes.
    package static let minutesMax = 60
    /// The most terminal sessions at one time; a new one replaces the oldest.
    static let countMax = 8

    /// The time that a terminal session is remembered, in minutes; 0 for never.
    let minutes: Int
    private let vault: @Sendable () -> Int?
    private let freeze: @Sendable () -> Int64?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let isLive: @Sendable (TerminalSession) -> Bool
    private let state = Mutex(State())

    /// Creates an empty list.
    ///
    /// `vault` returns the number of the current unlocking, nil while the vault is locked. `freeze`
    /// returns the number of the newest freeze on record, nil while signing is frozen.
    package init(
        minutes: Int = minutesDefault, vault: @escaping @Sendable () -> Int?,
        freeze: @escaping @Sendable () -> Int64?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        isLive: @escaping @Sendable (TerminalSession) -> Bool = { $0.isLive }
    ) {
        self.minutes = minutes
        self.vault = vault
        self.freeze = freeze
        self.now = now
        self.isLive = isLive
    }

    /// Remembers a terminal session after a correct passphrase, unless the vault was locked since
    /// `unlocking` was read.
    func remember(_ session: TerminalSession, since unlocking: Int?) {
        guard minutes > 0, let unlocking, vault() == unlocking, let freeze = freeze() else {
            return
        }
        let time = now()
        state.withLock { state in
            forgetOld(&state, time, unlocking, freeze)
            // Owner sessions that this terminal opened go on, each until its own end.
            let known = state.stamps.first { $0.session == session }?.id
            state.stamps.removeAll { $0.session == session }
            if state.stamps.count >= Self.countMax { state.stamps.removeFirst() }
            state.lastID += 1
            state.stamps.append(
                Stamp(
                    id: known ?? state.lastID, session: session, unlocking: unlocking,
                    freeze: freeze, given: time))
        }
    }

    /// Remembers the sender's terminal session if the body of its correct passphrase wants that.
    func remember(_ body: OwnerBody, of request: HTTPRequest, since unlocking: Int? = nil) {
        guard body.json["terminal"]?.flag == true,
            let session = request.terminalSession(inForeground: true)
        else { return }
        remember(session, since: unlocking ?? vault())
    }

    /// The number of a remembered terminal session and the time until its end; nil for others.
    func find(_ session: TerminalSession) -> (id: Int, left: Duration)? {
        read { stamps, time in
            stamps.first { $0.session == session }.map { ($0.id, whole - (time - $0.given)) }
        }
    }

    /// The remembered terminal sessions with their numbers.
    var ids: [TerminalSession: Int] {
        read { stamps, _ in Dictionary(uniqueKeysWithValues: stamps.map { ($0.session, $0.id) }) }
    }

    /// Forgets all terminal sessions and returns how many there were.
    func forget() -> Int {
        let count = ids.count
        state.withLock { $0.stamps = [] }
        return count
    }

    private var whole: Duration { .seconds(60 * minutes) }

    private func read<R>(_ body: ([Stamp], ContinuousClock.Instant) -> R) -> R {
        let (time, unlocking, freeze) = (now(), vault(), freeze())
        return state.withLock { state in
            forgetOld(&state, time, unlocking, freeze)
            return body(state.stamps, time)
        }
    }

    private func forgetOld(
        _ state: inout State, _ now: ContinuousClock.Instant, _ unlocking: Int?, _ freeze: Int64?
    ) {
        state.stamps.removeAll {
            $0.unlocking != unlocking || $0.freeze != freeze || now - $0.given >= whole
                || !isLive($0.session)
        }
    }
}
