// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

extension NEP413Request {
    /// What a person is shown.
    public var summary: Summary {
        var lines = [Summary.Line("account", account.address)]
        if let network { lines.append(.init("network", network)) }
        lines += payload.summaryLines
        if let callbackOrigin { lines.append(.init("callback origin", callbackOrigin)) }
        if let state {
            lines.append(.init("state", "\(state.utf8.count) bytes, sent back, not signed"))
        }
        return Summary(title: title, lines: lines, warnings: warnings)
    }

    private var title: String {
        intents == .none
            ? "Sign a message that shows who you are"
            : "Sign an order that may move value through NEAR Intents"
    }

    private var warnings: [String] {
        var warnings = dangers.map(text(of:))
        if isNonceReused == true {
            warnings.append("this nonce was signed before: the message may be a repetition")
        }
        if let recipient = OffchainRecipient(payload.recipient) {
            warnings.append("contracts act on this message with the account's authority")
            if let network, network != recipient.network {
                warnings.append("the message names another network than the key or the request")
            }
        }
        return warnings
    }

    private func text(of danger: Danger) -> String {
        switch danger {
        case .intents:
            intents == .unreadable
                ? "the message may order payments and cannot be read in full"
                : "whoever holds the signature can carry out the intents in the message"
        case .unknownNetwork: "the key is for a network this hub does not know"
        case .oversize: "the message is unusually long; you may see only its beginning"
        case .controlCharacters: "the text holds hidden characters, shown as \\u{...}"
        default: danger.name
        }
    }
}

extension NEP413Payload {
    /// What the signature covers, one line per part.
    var summaryLines: [Summary.Line] {
        var lines = [Summary.Line("recipient", recipient, by: .client)]
        if let offchain = OffchainRecipient(recipient) { lines += Self.lines(offchain) }
        lines.append(.init("message", message, by: .client))
        let finding = IntentsFinding(recipient: recipient, message: message)
        if case .found(let intents) = finding { lines += Self.lines(intents) }
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

    /// Each intent in its own words, the kind first.
    private static func lines(_ intents: [JSON]) -> [Summary.Line] {
        var lines: [Summary.Line] = []
        for intent in intents {
            let members = intent.object?.members.filter { $0.name != "intent" } ?? []
            let kind = intent["intent"]?.text ?? "without a kind"
            let details = intent.object == nil ? intent : .object(JSONObject(members))
            let text = String(decoding: details.write(), as: UTF8.self)
            lines.append(.init("intent", "\(kind) \(text)", by: .client))
        }
        return lines
    }
}
