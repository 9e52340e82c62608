// SPDX-License-Identifier: Apache-2.0

package import Sandbox
internal import Synchronization

/// Says on the desktop that something waits for a person, or for the vault to be unlocked: one
/// notification for all of it, which goes when nothing waits any more.
///
/// It names no client, no amount and no receiver: it may stand on a locked screen, any program of
/// the user can read it, and what it says is markup. Nothing can be answered by it. A process
/// outside of the sandbox shows it, which is told numbers alone.
package final class DesktopNotice: Sendable {
    private let board: QuestionQueue
    private let unanswered: @Sendable () -> Int
    private let line: HelperLine?
    private let thread = BlockingThread("countersign.notice")
    private let standing = Mutex("not yet: nothing has waited")

    /// Tells of what waits on a board, and of so many clients that get no answer until the vault is
    /// unlocked, by what speaks with the desktop at the other end of a line.
    package init(
        of board: QuestionQueue, over line: HelperLine?,
        _ unanswered: @escaping @Sendable () -> Int = { 0 }
    ) {
        self.board = board
        self.line = line
        self.unanswered = unanswered
    }

    /// Whether it does, in words.
    package var text: String { standing.withLock { $0 } }

    /// Tells of it until the task is cancelled.
    package func keep() async {
        guard let line else { return tell("no: the process that shows them cannot be started") }
        var shown = DesktopNews.nothing
        while !Task.isCancelled {
            let overview = board.overview
            let unanswered = unanswered()
            shown = await show(DesktopNews(overview.waiting.count, unanswered), after: shown, line)
            // Many that come at once are one notification.
            try? await Task.sleep(for: Self.pause)
            let seconds = unanswered > 0 ? Self.lockedWaitSeconds : Self.waitSeconds
            if await !board.wait(after: overview.revision, seconds: seconds) {
                try? await Task.sleep(for: .seconds(1))
            }
        }
        _ = await show(.nothing, after: shown, line)
    }

    private func show(
        _ news: DesktopNews, after shown: DesktopNews, _ line: HelperLine
    ) async -> DesktopNews {
        guard news != shown else { return shown }
        await withTaskExecutorPreference(thread) { showBlocking(news, line) }
        return news
    }

    private func showBlocking(_ news: DesktopNews, _ line: HelperLine) {
        // What came too late for the last one.
        while case .message = line.next(milliseconds: 0) {}
        guard line.send(news.message) else { return tell("no: the process that shows them ended") }
        switch line.next(milliseconds: Self.patienceMilliseconds) {
        case .message(let bytes):
            if let standing = DesktopStanding(bytes), standing != .takenBack {
                tell(standing.text)
            }
        case .nothing: tell("no: the session bus does not answer")
        case .over: tell("no: the process that shows them ended")
        }
    }

    private func tell(_ text: String) { standing.withLock { $0 = text } }

    private static let pause = Duration.milliseconds(300)
    private static let waitSeconds: Int64 = 3_600
    /// Nobody tells that the vault was unlocked.
    private static let lockedWaitSeconds: Int64 = 2
    /// Longer than the bus is waited for.
    private static let patienceMilliseconds: Int32 = 10_000
}
