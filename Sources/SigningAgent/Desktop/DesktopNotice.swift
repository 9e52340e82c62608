// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Says on the desktop that something waits for a person, or for the vault to be unlocked: one
/// notification for all of it, which goes when nothing waits any more.
///
/// It names no client, no amount and no receiver: it may stand on a locked screen, any program of
/// the user can read it, and what it says is markup. Nothing can be answered by it.
package final class DesktopNotice: Sendable {
    private let board: QuestionBoard
    private let unanswered: @Sendable () -> Int
    private let thread = BlockingThread("countersign.notice")
    private let standing = Mutex("not yet: nothing has waited")

    /// Tells of what waits on a board, and of so many clients that get no answer until the vault is
    /// unlocked.
    package init(
        of board: QuestionBoard, _ unanswered: @escaping @Sendable () -> Int = { 0 }
    ) {
        self.board = board
        self.unanswered = unanswered
    }

    /// Whether it does, in words.
    package var text: String { standing.withLock { $0 } }

    /// Tells of it until the task is cancelled.
    package func keep() async {
        var shown = Shown()
        while !Task.isCancelled {
            let overview = board.overview
            let unanswered = unanswered()
            shown = await show(Self.body(overview.waiting.count, unanswered), after: shown)
            // Many that come at once are one notification.
            try? await Task.sleep(for: Self.pause)
            let seconds = unanswered > 0 ? Self.lockedWaitSeconds : Self.waitSeconds
            if await !board.wait(after: overview.revision, seconds: seconds) {
                try? await Task.sleep(for: .seconds(1))
            }
        }
        _ = await show(nil, after: shown)
    }

    private struct Shown {
        var bus: SystemdBus?
        var number: UInt32 = 0
        var body: String?
    }

    private func show(_ body: String?, after shown: Shown) async -> Shown {
        guard body != shown.body else { return shown }
        return await withTaskExecutorPreference(thread) { showBlocking(body, after: shown) }
    }

    private func showBlocking(_ body: String?, after shown: Shown) -> Shown {
        var next = shown
        next.body = body
        guard SystemdBus.isReady else {
            tell("no: libsystemd is not on this machine")
            return next
        }
        guard let body else {
            if next.number != 0 { next.bus?.takeBack(next.number) }
            next.number = 0
            return next
        }
        next.bus = shown.bus ?? .ofSession()
        guard let bus = next.bus else {
            tell("no: there is no session bus")
            return next
        }
        guard let number = bus.notify(Self.summary, body, replacing: next.number) else {
            tell("no: nobody on the session bus shows them")
            return Shown(body: body)
        }
        tell("on the desktop")
        next.number = number
        return next
    }

    private static let summary = "Countersign"

    static func body(_ count: Int, _ unanswered: Int) -> String? {
        if count == 0 {
            return unanswered > 0
                ? "Clients over relays get no answer: countersign agent unlock" : nil
        }
        let what = count == 1 ? "One request waits" : "\(count) requests wait"
        return "\(what) for your answer: countersign inbox"
    }

    private func tell(_ text: String) { standing.withLock { $0 = text } }

    private static let pause = Duration.milliseconds(300)
    private static let waitSeconds: Int64 = 3_600
    /// Nobody tells that the vault was unlocked.
    private static let lockedWaitSeconds: Int64 = 2
}
