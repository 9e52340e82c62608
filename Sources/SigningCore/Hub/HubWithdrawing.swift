// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Runs `wait` as long as a client waits for the answer; `isAwaited` is false if no client does
    /// at the end.
    ///
    /// The first client cancels the calling task when it leaves. Clients that sent the same request
    /// may still wait; `wait` is cancelled once the last one has left.
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
