// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningFiles
package import SigningService
internal import SigningStorage
internal import SigningVault
internal import Synchronization

/// An unlocked home that serves transports until it is stopped.
package struct Agent: Sendable {
    private let home: OpenHome
    private let signer: LocalSigner
    private let lock: AgentLock
    private let watch: HomeWatch
    private let events: EventRing?
    private let checkpointPause: Duration

    /// Creates an agent.
    ///
    /// `signer`, `lock` and `watch` belong to the home; new grants are published to `events`; the
    /// head of the record is signed at least every `checkpointPause`.
    package init(
        of home: OpenHome, by signer: LocalSigner, lockedBy lock: AgentLock,
        following watch: HomeWatch, reportingTo events: EventRing? = nil,
        checkpointPause: Duration = .seconds(60)
    ) {
        self.home = home
        self.signer = signer
        self.lock = lock
        self.watch = watch
        self.events = events
        self.checkpointPause = checkpointPause
    }

    /// The thread that reads the record outside of requests: a log on an unreachable server blocks
    /// it.
    private let recordThread = BlockingThread("countersign.record")

    /// The pause before a transport is started again, in seconds; it doubles each time.
    private static let pauseSeconds: ClosedRange<Int64> = 1...60

    /// Serves until the task is cancelled; then waits for requests in flight, signs the head of the
    /// record and locks the vault.
    ///
    /// Throws if the first transport never opened. A transport that was open is started again; so
    /// are the other transports, independently.
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
            Task { await lock.keep(watch, whenLocked) },
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

    /// Runs a transport until the task is cancelled and starts it again after a failure; a failure
    /// that repeats is reported once.
    private func serve(
        _ transport: some Transport, by signer: some Signer,
        _ report: @escaping @Sendable (TransportError) -> Void
    ) async {
        var pause = Self.pauseSeconds.lowerBound
        var reported: TransportError?
        while !Task.isCancelled {
            do throws(TransportError) {
                try await transport.run(signer) { _ in }
                return
            } catch {
                if reported != error { report(error) }
                reported = error
                try? await Task.sleep(for: .seconds(pause))
                pause = min(2 * pause, Self.pauseSeconds.upperBound)
            }
        }
    }

    /// Signs the head of the record regularly, so that a crash leaves only the newest entries
    /// unsigned.
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

    /// Copies entries of other hubs regularly, so that requests are judged by recent uses.
    ///
    /// An error that repeats is reported once.
    private func keepCopied(
        _ report: @Sendable (Result<TransportState, TransportError>) -> Void
    ) async {
        var reported: ServiceError?
        while (try? await Task.sleep(for: Self.copyPause)) != nil {
            let ledger = signer.ledger
            let result = await withTaskExecutorPreference(recordThread) {
                Result { () throws(LedgerError) in try ledger.catchUp() }
            }
            do throws(LedgerError) {
                guard try result.get() else { return }
                reported = nil
            } catch {
                let error = error.explained
                if reported?.message != error.message {
                    let hint = error.hint ?? "see \"countersign doctor\""
                    report(.failure(TransportError(error.message, hint: hint)))
                }
                reported = error
            }
        }
    }

    /// The largest age of the copy that requests are judged by, if the record is shared.
    private static let copyPause = Duration.seconds(1)

    /// The reason that signing is not possible; nil if it is possible.
    package static func obstacle(in home: OpenHome, _ signer: LocalSigner) -> String? {
        guard home.vault.isUnlocked else { return "the vault is locked" }
        do throws(ServiceError) {
            guard try home.isPolicyMarked(in: signer.ledger) else {
                return "the record names another policy as the one in force"
            }
        } catch {
            return error.message
        }
        do throws(LedgerError) {
            try signer.ledger.flush()
            if let reason = try signer.ledger.freezeReason() {
                return "frozen: the owner stopped all signing (\(reason))"
            }
            if let problem = OpenHome.contradiction(in: try signer.ledger.comparedHubs()) {
                return problem.message
            }
        } catch {
            return "the record cannot be used: \(error.explained.message)"
        }
        var disk = statvfs()
        guard unsafe access(home.home.path, W_OK) == 0,
            unsafe access(home.home.ledgerPath, W_OK) == 0,
            unsafe statvfs(home.home.path, &disk) == 0
        else { return "the home cannot be written" }
        let free = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
        return free < diskBytesMin ? "the disk is full" : nil
    }

    /// The free space that the record needs to grow, in bytes.
    private static let diskBytesMin: UInt64 = 1 << 20
}
