// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningPolicy
internal import SigningPolicyTools
internal import SigningService

extension ExplainedFrame {
    /// The explanation of a hypothetical request, for a client.
    func json(usage: some LimitUsage, isLocked: Bool) -> JSON {
        let change = SmallestChange.find(for: explanation.request, policy, usage: usage)
        let stopped = explanation.stopped ?? (frozen == nil ? nil : Reason(.frozen, "frozen"))
        var members: [JSONObject.Member] = [
            .init(name: "verdict", value: .string(verdict)),
            .init(
                name: "reasons",
                value: .array(
                    ([stopped].compactMap { $0 } + trace.judgement.verdict.reasons).map {
                        $0.json(hasCode: verdict == "deny")
                    })),
            .init(name: "remembered", value: remembered),
            .init(
                name: "connected", value: .bool(explanation.rememberedAnswer == .connection)),
            .init(
                name: "would_be_allowed",
                value: change.map { .string($0.text) } ?? .null),
            .init(name: "allowed_at", value: Self.time(change)),
            .init(name: "locked", value: .bool(isLocked)),
            .init(name: "limits", value: .array(limits.map(\.json))),
            .init(name: "request", value: .string(Hex.encode(explanation.digest.span))),
        ]
        members.append(.init(name: "summary", value: .string(explanation.summary.text)))
        return .object(JSONObject(members))
    }

    /// The verdict: `allow`, `ask` or `deny`.
    private var verdict: String {
        if explanation.stopped != nil || frozen != nil { return "deny" }
        switch explanation.rememberedAnswer {
        case .nothing: return trace.judgement.verdict.name
        case .no: return "deny"
        case .yes, .connection:
            return trace.judgement.verdict.name == "deny" ? "deny" : "allow"
        }
    }

    /// The time at which the request would be allowed; null if waiting is not enough.
    private static func time(_ change: SmallestChange?) -> JSON {
        guard case .later(let time)? = change else { return .null }
        return .string(time.utcText)
    }

    private var remembered: JSON {
        switch explanation.rememberedAnswer {
        case .nothing: .null
        case .no: "no"
        case .yes, .connection: "yes"
        }
    }

    /// The limits of the rules that contributed to the verdict.
    private var limits: [LimitRow] {
        trace.rules.filter(\.fires).flatMap { rule in
            rule.limits.map { LimitRow(rule.rule, $0) }
        }
    }
}

extension Reason {
    /// The reason as JSON; only denials and failures have a code.
    fileprivate func json(hasCode: Bool) -> JSON {
        [
            "code": hasCode ? .string(code.rawValue) : .null, "text": .string(text),
            "rule": rule.map { .string($0) } ?? .null,
        ]
    }
}
