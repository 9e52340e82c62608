// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Puts a refusal on record, and tells whether it is there.
    ///
    /// Commands are turned away by nobody, and a loop of them would grow the record without end: as
    /// many go there as of one caller of an agent, over all processes. What a person refused
    /// always does, and what cannot be counted.
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
