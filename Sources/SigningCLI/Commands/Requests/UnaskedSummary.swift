// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningPolicy
import SigningService
import SigningStorage

/// The text of a request that was answered without a question, for a window.
enum UnaskedSummary {
    /// Returns the text; nil if a person was asked or if the request cannot be judged.
    ///
    /// It decodes the request again, so the event time may differ from the signed one if the client
    /// set none.
    static func text(
        of bytes: [UInt8], for adapter: any ProtocolAdapter, _ invocation: Invocation,
        _ workspace: Workspace, _ ledger: any Ledger, from peer: Peer
    ) -> String? {
        guard invocation.arguments.has("--wait") else { return nil }
        do throws(any Error) {
            let hub = SigningHub(
                policy: try workspace.attestedPolicy(), keyStore: workspace.vault, ledger: ledger,
                approval: NoApproval(), environment: SystemEnvironment())
            let frame = Frame(
                bytes: bytes,
                enclosure: invocation.arguments.has("--drop-box")
                    ? try Answering.dropBoxContent(of: bytes, for: adapter, invocation) : nil,
                peer: peer)
            let explanation = try hub.explain(frame, with: adapter)
            guard let basis = basis(explanation) else { return nil }
            return "\(basis), without a question:\n\(explanation.summary.text)"
        } catch {
            return nil
        }
    }

    private static func basis(_ explanation: Explanation) -> String? {
        switch explanation.rememberedAnswer {
        case .yes: return "an earlier answer allowed this"
        case .connection: return "this connection was allowed before"
        case .no, .nothing: break
        }
        guard case .allow? = explanation.judgement?.verdict else { return nil }
        return "a rule allowed this"
    }
}
