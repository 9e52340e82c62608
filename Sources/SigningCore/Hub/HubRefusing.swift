// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Records a refusal and returns whether it is on record.
    ///
    /// Transports limit the refusals of each client, but requests by commands bypass them. So that
    /// a loop of commands does not fill the disk, all commands share one limit here. A refusal by a
    /// person, or one that cannot be counted, is always recorded.
    func record(_ refusal: Refusal, of peer: Peer) async -> Bool {
        if peer.channel == .commandLine, refusal.reason.code != .personDenied {
            let tally = QuestionTally(
                about: environment.sha256("refusals of commands".utf8.span),
                maximum: RateLimit.burst, seconds: Int64(RateLimit.burst) * RateLimit.seconds)
            if await (try? ledger.count(tally, at: environment.now())) == false { return false }
        }
        return await (try? ledger.record(refusal)) != nil
    }
}
