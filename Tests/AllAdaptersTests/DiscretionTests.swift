// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCore
import SigningTesting
import Testing

/// Replies do not name rules or say why a rule decided; only the owner learns that.
@Suite("Replies name no rule")
struct DiscretionTests {
    // A rule id of letters, which every encoding leaves as they are.
    static let rule = "zebracrossing"
    static let text = "quincejelly"

    private func replies<Adapter: ProtocolAdapter>(
        _ adapter: Adapter, _ name: String, _ reason: Reason
    ) throws -> [Reply] {
        // A NIP-155 request without `x-error` has no place for an error.
        let frame = Samples.frame(name) + (name == "nip155" ? "&x-error=myapp://err" : "").utf8
        let request = try adapter.decode(frame.span, in: try Samples.context(name))
        return [Outcome.denied(reason), .failed(reason)].map {
            adapter.finalReply($0, to: request)
        }
    }

    /// The answer, which for these frames is plain text.
    private func text(_ reply: Reply) throws -> String {
        guard case .message(let bytes) = reply else {
            throw StatementError("no answer: \(reply)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "no answer to any reason holds the rule or the reason's words",
        arguments: Samples.names, ReasonCode.allCases)
    func hidden(name: String, code: ReasonCode) throws {
        let adapter = try #require(Samples.adapters.adapter(named: name))
        let response = try replies(adapter, name, Reason(code, Self.text, rule: Self.rule))
        // The reply without a rule and with other words: a peer cannot distinguish the two.
        let plain = try replies(adapter, name, Reason(code, "other"))
        #expect(response == plain)
        for reply in response {
            let text = try text(reply).lowercased()
            #expect(text.contains("error") || text.contains("code="))
            #expect(!text.contains(Self.rule) && !text.contains(Self.text))
        }
    }
}
