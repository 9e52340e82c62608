// SPDX-License-Identifier: Apache-2.0

/// A request judged without being carried out.
public struct Explanation: Sendable {
    /// What a person would be shown.
    public let summary: Summary
    /// The request as the policy saw it.
    public let request: JudgedRequest
    /// What the policy says; nil where the request stops before it is judged.
    public let judgement: Judgement?
    /// What people said before about it; `nothing` where it stops before it is judged.
    public let recollection: Recollection
    /// Why it stopped, if it did.
    public let stopped: Reason?
    /// SHA-256 of the frame.
    public let digest: [UInt8]
    /// Whether something made up stands for what would have been looked up.
    public let isMadeUp: Bool
}

extension SigningHub {
    /// Takes steps 3 to 5 and tells what they found; nothing is asked, recorded or signed.
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
        var recollection = Recollection.nothing
        do throws(Stop) {
            try understand(decoded.judged, as: adapter.schema.protocolID)
            let found = try judge(decoded.judged)
            judgement = found
            recollection = try recall(decoded, found)
        } catch {
            stopped = error.reason
        }
        return Explanation(
            summary: decoded.request.summary.completed(with: decoded.judged),
            request: decoded.judged, judgement: judgement, recollection: recollection,
            stopped: stopped,
            digest: decoded.digest, isMadeUp: isMadeUp)
    }
}
