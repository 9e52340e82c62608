// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Waits for a person while at least one client waits for the answer; returns whether one still
    /// does.
    ///
    /// If the first client leaves, which cancels the calling task, clients that joined still wait.
    /// A yes after the last client left does not count.
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
    /// The answer to a client that has left, which is not sent.
    static var withdrawn: Answer {
        Answer(
            reply: .silence(Reason.withdrawn.text), ending: .outcome(.denied(.withdrawn)),
            remembered: [])
    }
}

extension Reason {
    static let withdrawn = Reason(.withdrawn, "the client withdrew the request")
}
