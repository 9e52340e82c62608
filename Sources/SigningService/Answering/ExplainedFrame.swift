// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningPolicy
internal import SigningStorage
internal import SigningWires

/// A frame judged under the policy in force, without being carried out.
package struct ExplainedFrame: Sendable {
    /// The result of steps 3 to 5.
    package let explanation: Explanation
    /// The policy that judged it.
    package let policy: TOMLPolicy
    /// The result of each rule.
    package let trace: PolicyExplanation
    /// The reason that automatic answers are suspended now; nil if they are not.
    package let frozen: String?
}

extension LocalSigner {
    /// Explains the answer that a frame would receive; it asks, records, looks up and signs
    /// nothing, and leaves a drop box as it is.
    package func explain(_ frame: Frame, over wire: AdapterID?) throws -> ExplainedFrame {
        let inForce = try home.inForce()
        let hub = hub.judging(by: inForce.policy, naming: inForce.names)
        let explanation: Explanation
        do {
            let adapter = try inForce.adapters.choose(named: wire?.name, for: frame.bytes.span)
            let protocolID = adapter.schema.protocolID
            if let problem = scopeProblem(of: frame.peer, with: protocolID) { throw problem }
            let box = try place(of: frame, for: adapter)
            let whole = Frame(
                bytes: frame.bytes, enclosure: try box?.look() ?? frame.enclosure,
                peer: frame.peer)
            explanation = try hub.explain(whole, with: adapter)
        } catch let error as ServiceError {
            throw error
        } catch let error as AdapterError {
            throw ServiceError(
                "the request is refused before the policy judges it: \(error.reason)",
                hint: error.hint ?? "the wire's error is \(error.code)")
        } catch {
            throw ServiceError("no wire reads this request", hint: "name the wire")
        }
        return ExplainedFrame(
            explanation: explanation, policy: inForce.policy,
            trace: try inForce.policy.explain(explanation.request, usage: ledger),
            frozen: try ledger.freezeReason())
    }
}
