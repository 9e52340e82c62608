// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// The answer to one frame, read from the agent's `AgentReply`.
///
/// A `ReportedGrant` describes a grant; the grant itself stays in the agent.
package struct AgentAnswer: Sendable {
    /// The answer, without grants.
    package let answer: Answer
    /// The grants that were recorded.
    package let remembered: [ReportedGrant]

    /// An answer that records nothing.
    init(_ answer: Answer) {
        self.answer = answer
        remembered = []
    }

    /// Reads the form in which the agent sends it; nil if it cannot be parsed.
    init?(_ json: JSON) {
        let reply = Self.reply(json)
        guard let ending = Self.ending(json, reply) else { return nil }
        answer = Answer.handledElsewhere(
            reply, ending,
            deliveries: (json["deliveries"]?.list ?? []).compactMap(Self.delivery))
        remembered = (json["grants"]?.list ?? []).compactMap(ReportedGrant.init)
    }

    private static func reply(_ json: JSON) -> Reply {
        if let text = json["reply"]?.text { return .message(Array(text.utf8)) }
        if let text = json["reply_base64"]?.text,
            let bytes = try? Base64.decode(text, countMax: .max)
        {
            return .message(bytes)
        }
        return .silence("the agent sent no reply")
    }

    private static func ending(_ json: JSON, _ reply: Reply) -> Answer.Result? {
        let text = json["reason"]?["text"]?.text ?? ""
        let word = json["reason"]?["code"]?.text ?? ""
        if json["decoded"] == false {
            return .refused(
                AdapterError(
                    code: word, reason: text, hint: json["reason"]?["hint"]?.text, reply: reply))
        }
        let code = ReasonCode(rawValue: word)
        let reason = code.map { Reason($0, text, rule: json["reason"]?["rule"]?.text) }
        switch json["state"]?.text {
        case "done": return .outcome(.done([]))
        case "denied": return reason.map { .outcome(.denied($0)) }
        case "failed": return reason.map { .outcome(.failed($0)) }
        default: return nil
        }
    }

    private static func delivery(_ json: JSON) -> Broadcast.Delivery? {
        guard let id = json["id"]?.text else { return nil }
        let text = json["text"]?.text ?? ""
        let result: Broadcast.Result? =
            switch json["result"]?.text {
            case "accepted": .accepted([])
            case "failed": .failed([])
            case "refused": .refused(name: "", text)
            case "declined": .declined(name: "", text)
            case "not_sent": .notSent(text)
            case "unknown": .unknown(text)
            default: nil
            }
        return result.map { .init(.init(id: id, sender: "", bytes: []), $0) }
    }
}
