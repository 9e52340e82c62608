// SPDX-License-Identifier: Apache-2.0

/// The result of judging a request without carrying it out.
public struct Explanation: Sendable {
    /// The summary that a person would see.
    public let summary: Summary
    /// The request as the policy saw it.
    public let request: JudgedRequest
    /// The policy's judgement; nil if the request stops before it is judged.
    public let judgement: Judgement?
    /// The remembered answer to the request; `nothing` if the request stops before.
    public let rememberedAnswer: RememberedAnswer
    /// The reason that the request stopped before the end of step 5; nil if it did not.
    public let stopped: Reason?
    /// SHA-256 of the frame.
    public let digest: [UInt8]
    /// True if placeholders were used in place of data from the network.
    public let isMadeUp: Bool
}

extension SigningHub {
    /// Takes steps 3 to 5 and returns the results; asks no person, records and signs nothing.
    public func explain(
        _ frame: Frame, with adapter: some ProtocolAdapter
    ) throws(AdapterError) -> Explanation {
        if let wire = adapter as? any LooksUp {
            return try explain(frame, lookingUpNothing: wire)
        }
        return explain(try decode(frame, with: adapter), with: adapter)
    }

    func explain<Adapter: ProtocolAdapter>(
        _ decoded: Decoded<Adapter.Request>, with adapter: Adapter, isMadeUp: Bool = false
    ) -> Explanation {
        var judgement: Judgement?
        var stopped: Reason?
        var rememberedAnswer = RememberedAnswer.nothing
        var usedUp: [Reason] = []
        do throws(Stop) {
            try understand(decoded.judged, as: adapter.schema.protocolID)
            let found = try judge(decoded.judged)
            judgement = found
            rememberedAnswer = try recall(decoded, found)
            if case .nothing = rememberedAnswer { usedUp = self.usedUp(decoded, found) }
        } catch {
            stopped = error.reason
        }
        return Explanation(
            summary: summary(of: decoded, (judgement?.budgets ?? []) + usedUp.map(\.text)),
            request: decoded.judged, judgement: judgement, rememberedAnswer: rememberedAnswer,
            stopped: stopped,
            digest: decoded.digest, isMadeUp: isMadeUp)
    }
}
