// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Waits for a person as long as anybody waits for the answer; nil where all have left.
    ///
    /// Whoever asked first may leave, which cancels the task this is called from: those who joined
    /// still wait. What comes after the last has left does not count.
    func whileAwaited<R: Sendable>(
        _ key: PendingRequests.Key?, _ wait: @escaping @Sendable () async -> R
    ) async -> R? {
        let waiting = Task { await wait() }
        let result = await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            pending.leave(key) { waiting.cancel() }
        }
        return waiting.isCancelled ? nil : result
    }
}

extension Answer {
    /// For somebody who has left: there is nobody to tell.
    static var unheard: Answer {
        Answer(
            reply: .silence(Reason.withdrawn.text), ending: .outcome(.denied(.withdrawn)),
            remembered: [])
    }
}

extension Reason {
    static let withdrawn = Reason(.approvalTimedOut, "whoever asked has left")
}
