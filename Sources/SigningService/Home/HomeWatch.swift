// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import SigningFiles
package import SigningStorage
internal import SigningVault
internal import Synchronization

/// Notices the changes of a home: commits of any process to its databases, files that come and go
/// in its folders, and locks and unlockings of its vault in this process.
///
/// The tasks of an agent wait for it instead of looking at the files at intervals. A task takes
/// `revision`, looks at what it needs, and waits for a later revision. What decides about a request
/// is not left to the watch: it is read again with each request.
package final class HomeWatch: Sendable {
    private struct State {
        var revision = 1
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastNumber = 0
        var hasThread = false
    }

    /// The values that change with every change of the files.
    private struct Marks: Hashable {
        let commits: [FileStamp?]
        let folders: [PathMark?]
    }

    private let vault: Vault
    private let records: [SQLiteLedger]
    private let events: FolderEvents
    private let state = Mutex(State())

    /// Creates a watch for a home, its record and the records of its teams; starts no thread.
    package init(
        of home: OpenHome, records: [SQLiteLedger], by events: FolderEvents? = nil
    ) {
        vault = home.vault
        self.records = records
        self.events = events ?? FolderEvents(of: home)
        vault.whenLockChanges { [weak self] in self?.announce() }
    }

    /// The number of the latest change.
    package var revision: Int { state.withLock { $0.revision } }

    /// Returns once the latest change is not `revision`, at the time `until`, or when the task is
    /// cancelled.
    package func wait(after revision: Int, until: ContinuousClock.Instant? = nil) async {
        guard let until else { return await change(after: revision) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.change(after: revision) }
            group.addTask { try? await Task.sleep(until: until, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
    }

    private func change(after revision: Int) async {
        let (number, isFirst) = state.withLock { state in
            state.lastNumber += 1
            defer { state.hasThread = true }
            return (state.lastNumber, !state.hasThread)
        }
        if isFirst { startThread() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.revision == revision, !Task.isCancelled else { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }

    private func announce() {
        let waiting = state.withLock { state in
            state.revision += 1
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}

// MARK: The thread

extension HomeWatch {
    /// The interval of comparisons after an event: a commit is complete some time after its last
    /// write, which no event reports.
    private static let shortMilliseconds: Int32 = 250
    /// The time after an event for which the files are compared at short intervals.
    private static let stir = Duration.seconds(3)
    /// The interval of comparisons otherwise: for a slower disk, and for moves of a folder above.
    private static let longMilliseconds: Int32 = 10_000
    /// The interval of comparisons if the kernel reports no events.
    private static let unreportedMilliseconds: Int32 = 1_000

    /// Compares the files on a thread of its own, as long as the watch exists.
    private func startThread() {
        let (events, first) = (events, marks)
        announce()
        DispatchQueue(label: "countersign.home").async { [weak self] in
            var known = first
            var stirred: ContinuousClock.Instant?
            while self != nil {
                if let start = stirred, .now - start < Self.stir {
                    usleep(useconds_t(1_000 * Self.shortMilliseconds))
                    if events.wait(milliseconds: 0) { stirred = .now }
                } else {
                    let isEvent = events.wait(
                        milliseconds: events.areReported
                            ? Self.longMilliseconds : Self.unreportedMilliseconds)
                    stirred = isEvent ? .now : nil
                }
                guard let marks = self?.marks else { return }
                if marks != known { self?.announce() }
                known = marks
            }
        }
    }

    private var marks: Marks {
        Marks(
            commits: [vault.stamp] + records.map(\.stamp),
            folders: events.folders.map { PathMark($0) })
    }
}
