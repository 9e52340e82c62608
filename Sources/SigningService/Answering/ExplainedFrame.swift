// SPDX-License-Identifier: Apache-2.0

internal import AllAdapters
package import SigningCore
package import SigningPolicy
internal import SigningStorage

/// A frame judged by what is in force, without being carried out.
package struct ExplainedFrame: Sendable {
    /// What steps 3 to 5 found.
    package let explanation: Explanation
    /// The rules that judged it.
    package let policy: TOMLPolicy
    /// What became of each of them.
    package let trace: PolicyExplanation
    /// Why nothing is granted by itself just now; nil where it is.
    package let frozen: String?
}

extension LocalSigner {
    /// What `answer` would do with a frame, and why; nothing is asked, recorded, looked up or
    /// signed.
    package func explain(
        _ frame: Frame, over wire: AdapterID?
    ) throws(ServiceError) -> ExplainedFrame {
        let inForce = try home.inForce()
        let hub = hub.judging(by: inForce.policy)
        let explanation: Explanation
        do {
            let adapter = try inForce.adapters.choose(named: wire?.name, for: frame.bytes.span)
            let protocolID = adapter.schema.protocolID
            if let problem = scopeProblem(of: frame.peer, with: protocolID) { throw problem }
            explanation = try hub.explain(frame, with: adapter)
        } catch let error as ServiceError {
            throw error
        } catch let error as AdapterError {
            throw ServiceError(
                "the request is refused before it is judged: \(error.reason)",
                hint: error.hint ?? "the wire's error is \(error.code)")
        } catch {
            throw ServiceError("no wire is known to speak so", hint: "name one")
        }
        return try ServiceError.wrapping { () throws(LedgerError) in
            ExplainedFrame(
                explanation: explanation, policy: inForce.policy,
                trace: try inForce.policy.explain(explanation.request, usage: ledger),
                frozen: try ledger.freezeReason())
        }
    }
}
