// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Records a refusal and returns whether it is on record.
    ///
    /// Command-line requests are not turned away, and a loop of them would grow the record without
    /// end. They share the limit of one client of an agent, over all processes. Refusals by a
    /// person and refusals that cannot be counted are always recorded.
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
