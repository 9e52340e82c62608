// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import SigningCodecs
internal import SigningCore
package import SigningService
internal import SigningStorage
internal import Synchronization

/// How long the vault of an agent stays unlocked.
package struct LockTimes: Hashable, Sendable {
    /// How long after the last use; nil for as long as it may at most.
    package let idle: Duration?
    /// How long at most, which no use extends; nil for as long as the agent runs.
    package let most: Duration?

    /// Sets the times.
    package init(idle: Duration?, most: Duration?) {
        self.idle = idle
        self.most = most
    }

    /// Half an hour after the last use, and after twelve hours in any case.
    package static let standard = LockTimes(idle: .seconds(1_800), most: .seconds(43_200))
}

/// Locks the vault of an agent: on demand, on a signal, and when its time is over.
///
/// The clock goes on while the machine sleeps.
package final class AgentLock: Sendable {
    private struct State {
        /// The unlocking of the vault that the times are of.
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

    /// Locks the vault of a home.
    package convenience init(of home: OpenHome, by signer: LocalSigner, after times: LockTimes) {
        // What hinders it shows at the next unlocking.
        self.init(
            of: home, after: times, formatProblem: { signer.formatProblem },
            signing: { try? signer.finish() })
    }

    /// `sign` signs where the record stands; `formatProblem` says why this version can no longer
    /// work with the files of the home.
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

    /// Locks it; the record is signed as far as that goes within a second: a log that others
    /// share may be away, and the machine about to sleep.
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
        // What was opened meanwhile stays open.
        home.vault.lock(only: unlocking)
    }

    private static let signingSeconds = 1.0

    /// Notes that a key was used.
    func noteUse() { state.withLock { $0.used = now() } }

    /// Locks it where its time is over, or where a newer version has changed the format of a file;
    /// why, where it did.
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
                return "it was not used for \(Self.text(idle))"
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

    /// Locks it when it is time, and on SIGUSR1, until the task is cancelled; tells why.
    func keep(_ tell: @escaping @Sendable (String) -> Void) async {
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1)
        source.setEventHandler { [self] in
            lock()
            tell("a signal asked for it")
        }
        source.resume()
        defer { source.cancel() }
        repeat {
            if let reason = lockInTime() { tell(reason) }
        } while (try? await Task.sleep(for: Self.pause)) != nil
    }

    /// How late it may be.
    private static let pause = Duration.seconds(1)
}

/// The signer of a home, whose uses keep the vault unlocked.
struct UsedSigner: Signer {
    let signer: LocalSigner
    let lock: AgentLock
    var events: EventRing?

    func answer(_ frame: Frame, over wire: AdapterID?) async -> Answer {
        let answer = await signer.answer(frame, over: wire)
        // What is denied or fails, or only names keys, could be asked for again and again.
        if case .outcome(.done(let results)) = answer.ending,
            results.contains(where: { if case .publicKey = $0 { false } else { true } })
        {
            lock.noteUse()
        }
        if !answer.isRepeated { tell(answer) }
        return answer
    }

    private func tell(_ answer: Answer) {
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
            let whom = EventRing.Whom(client: grant.scope.client, proof: grant.scope.proof)
            events?.publish(
                "remembered",
                ["id": .string(grant.idText), "answer": .string(grant.answer.rawValue)],
                about: grant.answer == .yes ? whom : nil)
        }
    }
}
