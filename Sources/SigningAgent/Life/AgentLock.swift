// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import SigningCodecs
internal import SigningCore
package import SigningService
internal import SigningVault
internal import Synchronization

/// The time that an agent's vault stays unlocked.
package struct LockTimes: Hashable, Sendable {
    /// The time since the last use; nil for no limit other than `most`.
    package let idle: Duration?
    /// The time since the unlocking, which uses do not extend; nil for as long as the agent runs.
    package let most: Duration?

    /// Sets both times.
    package init(idle: Duration?, most: Duration?) {
        self.idle = idle
        self.most = most
    }

    /// Half an hour since the last use, and twelve hours in total.
    package static let standard = LockTimes(idle: .seconds(1_800), most: .seconds(43_200))
}

/// Locks the vault of an agent: on demand, on a signal, and when its time is over.
///
/// Its clock continues while the machine sleeps.
package final class AgentLock: Sendable {
    private struct State {
        /// The unlocking of the vault that the times belong to.
        var unlocking: Int?
        var unlocked = ContinuousClock.now
        var used = ContinuousClock.now
        var isSigning = false
    }

    private let home: OpenHome
    private let times: LockTimes
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sign: @Sendable () -> Void
    private let formatProblem: @Sendable () -> String?
    private let thread = DispatchQueue(label: "countersign.lock")
    private let signing = DispatchGroup()
    private let state = Mutex(State())

    /// Creates a lock for the vault of a home.
    package convenience init(of home: OpenHome, by signer: LocalSigner, after times: LockTimes) {
        // An error in signing shows up at the next unlocking.
        self.init(
            of: home, after: times, formatProblem: { signer.formatProblem },
            signing: { try? signer.finish() })
    }

    /// `sign` signs the head of the record; `formatProblem` returns the reason that this version
    /// can no longer use the files of the home.
    init(
        of home: OpenHome, after times: LockTimes,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        formatProblem: @escaping @Sendable () -> String? = { nil },
        signing sign: @escaping @Sendable () -> Void
    ) {
        self.home = home
        self.times = times
        self.now = now
        self.formatProblem = formatProblem
        self.sign = sign
    }

    /// Signs the head of the record and locks the vault.
    ///
    /// Signing has one second, as a shared log may be unreachable and the machine about to sleep.
    package func lock() {
        guard let unlocking = home.vault.unlocking else { return }
        let begins = state.withLock { state in
            guard !state.isSigning else { return false }
            state.isSigning = true
            signing.enter()
            return true
        }
        if begins {
            thread.async { [self] in
                sign()
                state.withLock { $0.isSigning = false }
                signing.leave()
            }
        }
        _ = signing.wait(timeout: .now() + Self.signingSeconds)
        // A vault that was unlocked again meanwhile stays unlocked.
        home.vault.lock(only: unlocking)
    }

    private static let signingSeconds = 1.0
    private static let lookAgain = Duration.seconds(1)
    private static let looksMax = 5

    /// Notes that a key was used.
    func noteUse() { state.withLock { $0.used = now() } }

    /// Locks the vault if its time is over, or if a newer version has changed the format of a file.
    ///
    /// Returns the reason if it did.
    func lockInTime() -> String? {
        guard let unlocking = home.vault.unlocking else { return nil }
        if let problem = formatProblem() {
            lock()
            return "\(problem): restart the agent"
        }
        let now = now()
        let reason: String? = state.withLock { state in
            if state.unlocking != unlocking {
                state.unlocking = unlocking
                state.unlocked = now
                state.used = now
            }
            if let idle = times.idle, now - max(state.used, state.unlocked) >= idle {
                return "it was idle for \(Self.text(idle))"
            }
            if let most = times.most, now - state.unlocked >= most {
                return "it was unlocked for \(Self.text(most))"
            }
            return nil
        }
        if reason != nil { lock() }
        return reason
    }

    private static func text(_ time: Duration) -> String {
        let seconds = time.components.seconds
        if seconds.isMultiple(of: 3_600) { return "\(seconds / 3_600) h" }
        return seconds.isMultiple(of: 60) ? "\(seconds / 60) min" : "\(seconds) s"
    }

    /// The time at which the vault will be locked if no key is used until then; nil for no limit.
    private var end: ContinuousClock.Instant? {
        guard let unlocking = home.vault.unlocking else { return nil }
        let left: Duration? = state.withLock { state in
            guard state.unlocking == unlocking else { return .zero }
            let ends = [
                times.idle.map { max(state.used, state.unlocked) + $0 },
                times.most.map { state.unlocked + $0 },
            ]
            return ends.compactMap { $0 }.min().map { $0 - now() }
        }
        return left.map { .now + $0 }
    }

    /// Locks the vault when its time is over, and on SIGUSR1, until the task is cancelled; reports
    /// the reason.
    func keep(_ watch: HomeWatch, _ report: @escaping @Sendable (String) -> Void) async {
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1)
        source.setEventHandler { [self] in
            lock()
            report("the agent got the signal SIGUSR1")
        }
        source.resume()
        defer { source.cancel() }
        var (checked, looks): (Int?, Int) = (nil, 0)
        while !Task.isCancelled {
            let seen = watch.revision
            if let reason = lockInTime() { report(reason) }
            // A file that is in use does not tell its format, so each change is looked at several
            // times.
            looks = seen == checked ? looks + 1 : 0
            checked = seen
            let again = looks < Self.looksMax ? ContinuousClock.now + Self.lookAgain : nil
            await watch.wait(after: seen, until: [end, again].compactMap(\.self).min())
        }
    }
}

/// The signer of a home that counts uses of its keys, which keep the vault unlocked.
struct UsedSigner: Signer {
    let signer: LocalSigner
    let lock: AgentLock
    var events: EventRing?

    func answer(_ frame: Frame, over wire: AdapterID?) async -> Answer {
        let answer = await signer.answer(frame, over: wire)
        // Denials, failures and requests for public keys do not count: clients could repeat them
        // forever.
        if case .outcome(.done(let results)) = answer.ending,
            results.contains(where: { if case .publicKey = $0 { false } else { true } })
        {
            lock.noteUse()
        }
        if !answer.isRepeated { publishChanges(of: answer) }
        return answer
    }

    private func publishChanges(of answer: Answer) {
        for change in answer.changes {
            switch change {
            case .opens(let connection):
                events?.publish(
                    "connected",
                    [
                        "id": .string(Hex.encode(connection.id.span)),
                        "protocol": .string(connection.protocolID.name),
                        "client": .string(connection.client.id),
                        "account": .string(connection.address),
                    ],
                    about: .init(client: connection.client.id, proof: connection.client.proof))
            case .ends(let id):
                events?.publish("disconnected", ["id": .string(Hex.encode(id.span))])
            case .forgets: break
            }
        }
        for grant in answer.remembered {
            let subject = EventRing.Subject(client: grant.scope.client, proof: grant.scope.proof)
            events?.publish(
                "remembered",
                ["id": .string(grant.idText), "answer": .string(grant.answer.rawValue)],
                about: grant.answer == .yes ? subject : nil)
        }
    }
}
