// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// An answer in the form in which the agent sends it.
struct AgentAnswer {
    private let json: JSON
    /// Looks up a grant by its id; nil if it is not on record.
    private let grant: (String) -> Grant?

    init(_ json: JSON, grant: @escaping (String) -> Grant?) {
        self.json = json
        self.grant = grant
    }

    /// The answer; nil if it cannot be parsed.
    var answer: Answer? {
        guard let ending else { return nil }
        let remembered = json["remembered"]?.list ?? []
        return Answer.handledElsewhere(
            reply, ending, remembered: remembered.compactMap { $0.text.flatMap(grant) },
            deliveries: (json["deliveries"]?.list ?? []).compactMap(Self.delivery))
    }

    private var reply: Reply {
        if let text = json["reply"]?.text { return .message(Array(text.utf8)) }
        if let text = json["reply_base64"]?.text,
            let bytes = try? Base64.decode(text, countMax: .max)
        {
            return .message(bytes)
        }
        return .silence("the agent sent no reply")
    }

    private var ending: Answer.Result? {
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
