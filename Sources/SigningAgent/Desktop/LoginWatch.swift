// SPDX-License-Identifier: Apache-2.0

package import Sandbox
internal import Synchronization

/// Locks the vault when logind reports that the machine sleeps, the screen is locked, or the user's
/// last session ends.
///
/// It locks the vault on a shutdown too. No message can unlock the vault. A helper process outside
/// of the sandbox listens to logind.
package final class LoginWatch: Sendable {
    private let thread = BlockingThread("countersign.logind")
    private let line: HelperLine?
    private let statusText = Mutex("not yet: logind was not contacted")

    /// Creates a watch for the helper process at the other end of a line.
    package init(over line: HelperLine?) { self.line = line }

    /// The state of the watch, in words.
    package var text: String { statusText.withLock { $0 } }

    /// Calls `lock` with the reason, until the task is cancelled.
    package func keep(_ lock: @escaping @Sendable (_ reason: String) -> Void) async {
        guard let line else {
            return setStatus("no: the process that listens to logind cannot be started")
        }
        await withTaskCancellationHandler {
            await withTaskExecutorPreference(thread) { follow(line, lock) }
        } onCancel: {
            line.end()
        }
    }

    private func follow(_ line: HelperLine, _ lock: (String) -> Void) {
        while !Task.isCancelled {
            switch line.next(milliseconds: -1) {
            case .nothing: continue
            case .over: return setStatus("no: the process that listens to logind ended")
            case .message(let bytes):
                guard let news = LoginNews(bytes) else { continue }
                if let reason = news.reason {
                    lock(reason)
                    line.send([LoginNews.done])
                } else {
                    setStatus(news.statusText)
                }
            }
        }
    }

    private func setStatus(_ text: String) { statusText.withLock { $0 = text } }
}
