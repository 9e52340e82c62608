// SPDX-License-Identifier: Apache-2.0

internal import Sandbox
internal import Synchronization

/// The manner in which a helper process gives a notice.
struct NoticeManner: Sendable {
    /// The status before the first notice.
    let atFirst: String
    /// The status while the helper process gives a notice; nil if the status before stays.
    let meanwhile: String?
    /// The beginning of each status that names a problem of the helper process.
    let beforeProblem: String
    /// The shortest time between two notices.
    let pause: Duration
    /// The longest time that the helper process takes for a notice.
    let secondsMax: Int32
    /// Reads the status, in words, from a reply of the helper process; nil for no new status.
    let status: @Sendable (_ reply: [UInt8]) -> String?

    init(
        atFirst: String, meanwhile: String? = nil, beforeProblem: String, pause: Duration,
        secondsMax: Int32,
        status: @escaping @Sendable (_ reply: [UInt8]) -> String?
    ) {
        self.atFirst = atFirst
        self.meanwhile = meanwhile
        self.beforeProblem = beforeProblem
        self.pause = pause
        self.secondsMax = secondsMax
        self.status = status
    }
}

/// Gives notice while something waits for a person or for the vault to be unlocked.
///
/// It names no client, amount or receiver: a notification may show on a locked screen, every
/// program of the user can read it, and its text is markup. It cannot be used to answer. A helper
/// process outside of the sandbox gives the notice and receives only numbers.
package final class QuestionNotice: Sendable {
    private let queue: QuestionQueue
    private let unanswered: @Sendable () -> Int
    private let line: HelperLine?
    private let manner: NoticeManner
    private let thread = BlockingThread("countersign.notice")
    private let statusText: Mutex<String>

    /// Creates a notice for the questions of a queue; `unanswered` counts clients that get no
    /// answer until the vault is unlocked.
    ///
    /// `line` leads to the helper process.
    init(
        of queue: QuestionQueue, over line: HelperLine?, _ manner: NoticeManner,
        _ unanswered: @escaping @Sendable () -> Int
    ) {
        self.queue = queue
        self.line = line
        self.manner = manner
        self.unanswered = unanswered
        statusText = Mutex(manner.atFirst)
    }

    /// The state of the notice, in words.
    package var text: String { statusText.withLock { $0 } }

    /// Gives the notice until the task is cancelled; the helper process takes it back when the
    /// agent ends.
    package func keep() async {
        guard let line else { return report("the helper process cannot be started") }
        var given = QuestionNews.nothing
        while !Task.isCancelled {
            let overview = queue.overview
            let unanswered = unanswered()
            let news = QuestionNews(
                overview.waiting.count, approvals: queue.approvalCount, unanswered: unanswered)
            if news != given {
                given = news
                await withTaskExecutorPreference(thread) { giveBlocking(news, line) }
            }
            // Requests that arrive together make one notice.
            try? await Task.sleep(for: manner.pause)
            let seconds = unanswered > 0 ? Self.lockedWaitSeconds : Self.waitSeconds
            if await !queue.wait(after: overview.revision, seconds: seconds) {
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func giveBlocking(_ news: QuestionNews, _ line: HelperLine) {
        // Discards a late reply to the previous message.
        while case .message = line.next(milliseconds: 0) {}
        guard line.send(news.message) else { return report("the helper process ended") }
        if let meanwhile = manner.meanwhile { statusText.withLock { $0 = meanwhile } }
        switch line.next(milliseconds: 1_000 * manner.secondsMax) {
        case .message(let bytes):
            if let text = manner.status(bytes) { statusText.withLock { $0 = text } }
        case .nothing: report("the helper process does not answer")
        case .over: report("the helper process ended")
        }
    }

    private func report(_ problem: String) {
        statusText.withLock { $0 = manner.beforeProblem + problem }
    }

    private static let waitSeconds: Int64 = 3_600
    /// Unlocking the vault does not wake this task.
    private static let lockedWaitSeconds: Int64 = 2
}
