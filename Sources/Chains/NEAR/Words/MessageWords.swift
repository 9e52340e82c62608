// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension NEP413Payload {
    /// The content that the signature covers, one line for each part.
    var summaryLines: [Summary.Line] {
        var lines = [Summary.Line("recipient", recipient, by: .client)]
        if let offchain = OffchainRecipient(recipient) { lines += Self.lines(offchain) }
        lines.append(.init("message", message, by: .client))
        let finding = IntentsFinding(recipient: recipient, message: message)
        if case .found(let intents) = finding { lines += IntentOrder.lines(intents) }
        if let callbackURL { lines.append(.init("callback", callbackURL, by: .client)) }
        lines.append(.init("nonce", Hex.encode(nonce.span)))
        return lines
    }

    private static func lines(_ recipient: OffchainRecipient) -> [Summary.Line] {
        var lines = [
            Summary.Line("NEP-641 network", recipient.network),
            Summary.Line("NEP-641 account", recipient.account),
        ]
        if !recipient.path.isEmpty {
            lines.append(.init("NEP-641 path", recipient.path.joined(separator: " -> ")))
        }
        lines.append(.init("NEP-641 time", recipient.time))
        return lines
    }
}

extension IntentOrder {
    /// Returns each order in words and in its original text, the kind first.
    static func lines(_ intents: [JSON]) -> [Summary.Line] {
        intents.flatMap { intent in
            let members = intent.object?.members.filter { $0.name != "intent" } ?? []
            let kind = intent["intent"]?.text ?? "without a kind"
            let details = intent.object == nil ? intent : .object(JSONObject(members))
            let text = String(decoding: details.write(), as: UTF8.self)
            return [
                Summary.Line("order", IntentOrder(intent)?.phrase ?? unreadable),
                Summary.Line("intent", "\(kind) \(text)", by: .client),
            ]
        }
    }

    private static let unreadable = "cannot be put in words here: read the intent"
}
