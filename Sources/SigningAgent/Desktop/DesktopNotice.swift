// SPDX-License-Identifier: Apache-2.0

package import Sandbox
internal import Synchronization

/// Shows one desktop notification while something waits for a person or for the vault to be
/// unlocked.
///
/// It names no client, amount or receiver: it may show on a locked screen, every program of the
/// user can read it, and its text is markup. It cannot be used to answer. A helper process outside
/// of the sandbox shows it and receives only numbers.
package final class DesktopNotice: Sendable {
    private let queue: QuestionQueue
    private let unanswered: @Sendable () -> Int
    private let line: HelperLine?
    private let thread = BlockingThread("countersign.notice")
    private let statusText = Mutex("not yet: no request has waited")

    /// Creates a notice for the questions of a queue; `unanswered` counts clients that get no
    /// answer until the vault is unlocked.
    ///
    /// `line` leads to the helper process.
    package init(
        of queue: QuestionQueue, over line: HelperLine?,
        _ unanswered: @escaping @Sendable () -> Int = { 0 }
    ) {
        self.queue = queue
        self.line = line
        self.unanswered = unanswered
    }

    /// The state of the notice, in words.
    package var text: String { statusText.withLock { $0 } }

    /// Shows the notification until the task is cancelled.
    package func keep() async {
        guard let line else {
            return setStatus("no: the process that shows them cannot be started")
        }
        var shown = DesktopNews.nothing
        while !Task.isCancelled {
            let overview = queue.overview
            let unanswered = unanswered()
            let news = DesktopNews(
                overview.waiting.count, approvals: queue.approvalCount, unanswered: unanswered)
            shown = await show(news, after: shown, line)
            // Requests that arrive together make one notification.
            try? await Task.sleep(for: Self.pause)
            let seconds = unanswered > 0 ? Self.lockedWaitSeconds : Self.waitSeconds
            if await !queue.wait(after: overview.revision, seconds: seconds) {
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
        // Discards a late reply to the previous message.
        while case .message = line.next(milliseconds: 0) {}
        guard line.send(news.message) else {
            return setStatus("no: the process that shows them ended")
        }
        switch line.next(milliseconds: Self.patienceMilliseconds) {
        case .message(let bytes):
            if let status = DesktopStatus(bytes), status != .takenBack {
                setStatus(status.text)
            }
        case .nothing: setStatus("no: the session bus does not answer")
        case .over: setStatus("no: the process that shows them ended")
        }
    }

    private func setStatus(_ text: String) { statusText.withLock { $0 = text } }

    private static let pause = Duration.milliseconds(300)
    private static let waitSeconds: Int64 = 3_600
    /// Unlocking the vault does not wake this task.
    private static let lockedWaitSeconds: Int64 = 2
    /// Longer than the helper process waits for the bus.
    private static let patienceMilliseconds: Int32 = 10_000
}
