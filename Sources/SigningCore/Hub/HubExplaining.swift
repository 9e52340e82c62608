// SPDX-License-Identifier: Apache-2.0

/// The judgement of a request that is not carried out.
public struct Explanation: Sendable {
    /// The summary that a person would see.
    public let summary: Summary
    /// The request as the policy saw it.
    public let request: JudgedRequest
    /// The policy's judgement; nil if the request stops before it is judged.
    public let judgement: Judgement?
    /// The remembered answer to it; `nothing` if the request stops before it is judged.
    public let rememberedAnswer: RememberedAnswer
    /// The reason that it stopped, if it did.
    public let stopped: Reason?
    /// SHA-256 of the frame.
    public let digest: [UInt8]
    /// True if placeholder values replace the lookup.
    public let isMadeUp: Bool
}

extension SigningHub {
    /// Takes steps 3 to 5 and returns the results; it asks, records and signs nothing.
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
        do throws(Stop) {
            try understand(decoded.judged, as: adapter.schema.protocolID)
            let found = try judge(decoded.judged)
            judgement = found
            rememberedAnswer = try recall(decoded, found)
        } catch {
            stopped = error.reason
        }
        return Explanation(
            summary: decoded.request.summary.completed(with: decoded.judged),
            request: decoded.judged, judgement: judgement, rememberedAnswer: rememberedAnswer,
            stopped: stopped,
            digest: decoded.digest, isMadeUp: isMadeUp)
    }
}
