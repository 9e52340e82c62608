// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Says on the desktop that something waits for a person: one notification for all of it, which
/// goes when nothing waits any more.
///
/// It names no client, no amount and no receiver: it may stand on a locked screen, any program of
/// the user can read it, and what it says is markup. Nothing can be answered by it.
package final class DesktopNotice: Sendable {
    private let board: QuestionBoard
    private let thread = BlockingThread("countersign.notice")
    private let standing = Mutex("not yet: nothing has waited")

    /// Tells of what waits on a board.
    package init(of board: QuestionBoard) { self.board = board }

    /// Whether it does, in words.
    package var text: String { standing.withLock { $0 } }

    /// Tells of it until the task is cancelled.
    package func keep() async {
        var shown = Shown()
        while !Task.isCancelled {
            let overview = board.overview
            shown = await show(overview.waiting.count, after: shown)
            // Many that come at once are one notification.
            try? await Task.sleep(for: Self.pause)
            if await !board.wait(after: overview.revision, seconds: Self.waitSeconds) {
                try? await Task.sleep(for: .seconds(1))
            }
        }
        _ = await show(0, after: shown)
    }

    private struct Shown {
        var bus: SystemdBus?
        var number: UInt32 = 0
        var count = 0
    }

    private func show(_ count: Int, after shown: Shown) async -> Shown {
        guard count != shown.count else { return shown }
        return await withTaskExecutorPreference(thread) { showBlocking(count, after: shown) }
    }

    private func showBlocking(_ count: Int, after shown: Shown) -> Shown {
        var next = shown
        next.count = count
        guard SystemdBus.isReady else {
            tell("no: libsystemd is not on this machine")
            return next
        }
        if count == 0 {
            if next.number != 0 { next.bus?.takeBack(next.number) }
            next.number = 0
            return next
        }
        next.bus = shown.bus ?? .ofSession()
        guard let bus = next.bus else {
            tell("no: there is no session bus")
            return next
        }
        guard let number = bus.notify(Self.summary, Self.body(count), replacing: next.number) else {
            tell("no: nobody on the session bus shows them")
            return Shown(count: count)
        }
        tell("on the desktop")
        next.number = number
        return next
    }

    private static let summary = "Countersign"

    static func body(_ count: Int) -> String {
        let what = count == 1 ? "One request waits" : "\(count) requests wait"
        return "\(what) for your answer: countersign inbox"
    }

    private func tell(_ text: String) { standing.withLock { $0 = text } }

    private static let pause = Duration.milliseconds(300)
    private static let waitSeconds: Int64 = 3_600
}
