// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension NEP413Payload {
    /// The content that the signature covers, one line for each part.
    ///
    /// `isOwn` says that the reader is the one who signs.
    func summaryLines(isOwn: Bool) -> [Summary.Line] {
        var lines = [Summary.Line("recipient", recipient, by: .client)]
        if let offchain = OffchainRecipient(recipient) { lines += Self.lines(offchain) }
        lines.append(.init("message", message, by: .client))
        let finding = IntentsFinding(recipient: recipient, message: message)
        lines += finding.lines(isOwn: isOwn)
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

extension IntentsFinding {
    /// The orders or the grant, in words and in the text of the client.
    ///
    /// `isOwn` says that the reader is the one who signs; a warning tells signers of text that
    /// cannot be read.
    func lines(isOwn: Bool) -> [Summary.Line] {
        switch self {
        case .none, .authorization: []
        case .unreadable: isOwn ? [] : [Self.unreadableLine]
        case .found(let intents):
            intents.isEmpty && !isOwn
                ? [.init("order", "it has no intents")]
                : IntentOrder.lines(intents, isOwn: isOwn)
        case .consent(let consent): consent.lines(isOwn: isOwn)
        }
    }

    static let unreadableLine = Summary.Line(
        "order", "cannot be read here: it is not known what it does")

    /// The effect of each order or of the grant.
    var headlines: [Summary.Headline] {
        switch self {
        case .none, .unreadable: []
        case .authorization(let recipient):
            [
                .init(
                    .authority,
                    "contracts act on this message with the authority of \(recipient.account), "
                        + "and it is not known what they do")
            ]
        case .found(let intents): intents.map(IntentOrder.headline)
        case .consent(let consent): [consent.headline]
        }
    }

    /// The reason why a message with orders is dangerous.
    var danger: String {
        switch self {
        case .authorization:
            "contracts act on this message with the account's authority, and it is not known what "
                + "they do"
        case .none, .unreadable: "the message may order payments and cannot be read in full"
        case .found where orders == nil:
            "anyone who has the signature can carry out the intents in the message; they may order "
                + "payments, and one of them cannot be read here"
        case .found: "anyone who has the signature can carry out the intents in the message"
        case .consent(let consent) where !consent.isKnown:
            "the service with the signature may act on it as your consent, and what it does is not "
                + "known"
        case .consent: "the service with the signature acts on it as your consent"
        }
    }

    /// The consequence of the message, for its title; nil if it has none.
    var title: String? {
        switch self {
        case .none: nil
        case .authorization: "Contracts may act for your account: sign a message"
        case .consent(let consent):
            "\(consent.meaning.title): sign a \(consent.isKnown ? "consent" : "message")"
        case .found, .unreadable:
            headlines.contains { $0.gravity >= .authority }
                ? "Power over your balance changes: sign an order for NEAR Intents"
                : "Value may leave your account: sign an order for NEAR Intents"
        }
    }
}

extension IntentOrder {
    static func headline(_ intent: JSON) -> Summary.Headline {
        guard let order = IntentOrder(intent) else {
            let kind = intent["intent"]?.text.map { "\($0.shown): " } ?? ""
            return .init(.authority, "\(kind)it is not known what this order does")
        }
        return .init(order.gravity, order.phrase)
    }

    /// Returns each order in words and in its original text, the kind first.
    ///
    /// Words that speak to the signer are left out if the reader is not the signer.
    static func lines(_ intents: [JSON], isOwn: Bool) -> [Summary.Line] {
        intents.flatMap { intent in
            let members = intent.object?.members.filter { $0.name != "intent" } ?? []
            let kind = intent["intent"]?.text ?? "without a kind"
            let details = intent.object == nil ? intent : .object(JSONObject(members))
            let text = String(decoding: details.write(), as: UTF8.self)
            let words = IntentOrder(intent)?.phrase ?? unreadable
            let order = isOwn || !words.addressesSigner ? [Summary.Line("order", words)] : []
            return order + [Summary.Line("intent", "\(kind) \(text)", by: .client)]
        }
    }

    private static let unreadable = "cannot be put in words here: read the intent"
}
