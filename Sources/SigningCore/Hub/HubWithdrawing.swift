// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Waits for a person as long as anybody waits for the answer, and tells whether somebody
    /// still does.
    ///
    /// Whoever asked first may leave, which cancels the task this is called from: those who joined
    /// still wait. A yes that comes after the last has left does not count.
    func whileAwaited<R: Sendable>(
        _ key: PendingRequests.Key?, _ wait: @escaping @Sendable () async -> R
    ) async -> (result: R, isAwaited: Bool) {
        let waiting = Task { await wait() }
        let result = await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            pending.leave(key) { waiting.cancel() }
        }
        return (result, !waiting.isCancelled)
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
    static let withdrawn = Reason(.withdrawn, "nobody waits for the answer any more")
}
