// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningService
internal import SigningStorage
internal import Synchronization

/// An unlocked home that serves a transport until it is told to stop.
package struct Agent: Sendable {
    private let home: OpenHome
    private let signer: LocalSigner
    private let lock: AgentLock
    private let events: EventRing?
    private let checkpointPause: Duration

    /// `signer` is that of the home, and `lock` as well; what is remembered is told to `events`;
    /// the newest state of the record stays unsigned no longer than `checkpointPause`.
    package init(
        of home: OpenHome, by signer: LocalSigner, lockedBy lock: AgentLock,
        telling events: EventRing? = nil,
        checkpointPause: Duration = .seconds(60)
    ) {
        self.home = home
        self.signer = signer
        self.lock = lock
        self.events = events
        self.checkpointPause = checkpointPause
    }

    /// Where the record is looked at beside requests: a log that is away holds it.
    private let recordThread = BlockingThread("countersign.record")

    /// How long it waits before it starts a transport again, in seconds: twice as long each time.
    private static let pauseSeconds: ClosedRange<Int64> = 1...60

    /// Serves until the task is cancelled; then what is in flight has its time, the newest state
    /// of the record is signed, and the vault is locked.
    ///
    /// A transport that never opened ends it with an error; one that was open is started again,
    /// and so are those beside it, whatever becomes of them.
    package func run(
        _ transport: some Transport, beside others: [any Transport] = [],
        _ report: @escaping @Sendable (Result<TransportState, TransportError>) -> Void,
        whenLocked: @escaping @Sendable (_ reason: String) -> Void = { _ in }
    ) async throws(ServiceError) {
        let hasOpened = Mutex(false)
        var failure: TransportError?
        var pause = Self.pauseSeconds.lowerBound
        let keepers = [
            Task { await keepSigned(report) }, Task { await keepCopied(report) },
            Task { await lock.keep(whenLocked) },
        ]
        defer { for keeper in keepers { keeper.cancel() } }
        let signer = UsedSigner(signer: self.signer, lock: lock, events: events)
        let beside = others.map { other in
            Task { await serve(other, by: signer) { report(.failure($0)) } }
        }
        while !Task.isCancelled, failure == nil {
            do throws(TransportError) {
                try await transport.run(signer) { state in
                    if case .open = state { hasOpened.withLock { $0 = true } }
                    report(.success(state))
                }
            } catch {
                report(.failure(error))
                if hasOpened.withLock({ $0 }) {
                    try? await Task.sleep(for: .seconds(pause))
                    pause = min(2 * pause, Self.pauseSeconds.upperBound)
                } else {
                    failure = error
                }
            }
        }
        for task in beside { task.cancel() }
        for task in beside { await task.value }
        defer { home.vault.lock() }
        try self.signer.finish()
        if let failure { throw ServiceError(failure.message, hint: failure.hint) }
    }

    /// Has a transport serve until the task is cancelled, and starts it again when it fails; the
    /// same failure is told once.
    private func serve(
        _ transport: some Transport, by signer: some Signer,
        _ report: @escaping @Sendable (TransportError) -> Void
    ) async {
        var pause = Self.pauseSeconds.lowerBound
        var told: TransportError?
        while !Task.isCancelled {
            do throws(TransportError) {
                try await transport.run(signer) { _ in }
                return
            } catch {
                if told != error { report(error) }
                told = error
                try? await Task.sleep(for: .seconds(pause))
                pause = min(2 * pause, Self.pauseSeconds.upperBound)
            }
        }
    }

    /// Signs where the record stands, again and again: what a crash leaves unsigned is what came
    /// last.
    private func keepSigned(
        _ report: @Sendable (Result<TransportState, TransportError>) -> Void
    ) async {
        while (try? await Task.sleep(for: checkpointPause)) != nil {
            let result = await withTaskExecutorPreference(recordThread) {
                Result { () throws(ServiceError) in try signer.finish() }
            }
            do throws(ServiceError) { try result.get() } catch {
                let hint = error.hint ?? "see \"countersign doctor\""
                report(.failure(TransportError(error.message, hint: hint)))
            }
        }
    }

    /// Takes in what other hubs wrote, again and again, so that nothing is judged by what is long
    /// over; what is wrong is told once.
    private func keepCopied(
        _ report: @Sendable (Result<TransportState, TransportError>) -> Void
    ) async {
        var told: ServiceError?
        while (try? await Task.sleep(for: Self.copyPause)) != nil {
            let ledger = signer.ledger
            let result = await withTaskExecutorPreference(recordThread) {
                Result { () throws(LedgerError) in try ledger.catchUp() }
            }
            do throws(LedgerError) {
                guard try result.get() else { return }
                told = nil
            } catch {
                let error = error.explained
                if told?.message != error.message {
                    let hint = error.hint ?? "see \"countersign doctor\""
                    report(.failure(TransportError(error.message, hint: hint)))
                }
                told = error
            }
        }
    }

    /// How old what is judged by may be, where the record is shared.
    private static let copyPause = Duration.seconds(1)

    /// Why nothing can be signed; nil where all is well.
    package static func obstacle(in home: OpenHome, _ signer: LocalSigner) -> String? {
        guard home.vault.isUnlocked else { return "the vault is locked" }
        do throws(ServiceError) { _ = try home.inForce() } catch { return error.message }
        do throws(LedgerError) {
            try signer.ledger.flush()
            _ = try signer.ledger.freezeReason()
            if let problem = OpenHome.contradiction(in: try signer.ledger.heardHubs()) {
                return problem.message
            }
        } catch {
            return "the record cannot be read and written"
        }
        var disk = statvfs()
        guard unsafe access(home.home.path, W_OK) == 0,
            unsafe access(home.home.ledgerPath, W_OK) == 0,
            unsafe statvfs(home.home.path, &disk) == 0
        else { return "the home cannot be written" }
        let free = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
        return free < diskBytesMin ? "the disk is full" : nil
    }

    /// What the record needs at least to grow, in bytes.
    private static let diskBytesMin: UInt64 = 1 << 20
}
