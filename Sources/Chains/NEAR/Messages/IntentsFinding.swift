// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The orders in a message for NEAR Intents, which accepts signed messages as payment orders.
enum IntentsFinding: Hashable {
    /// The message has no orders.
    case none
    /// These orders, in the order of the message.
    case found([JSON])
    /// A grant to an agent that spends by itself, or the end of one.
    case consent(AgentConsent)
    /// A message on which contracts act with the authority of the account (NEP-641).
    case authorization(OffchainRecipient)
    /// Possible orders: the message is for NEAR Intents or resembles JSON, but cannot be read.
    case unreadable

    static let contract = "intents.near"
    private static let member = "intents"
    private static let limits = JSONLimits(
        bytesMax: MessageLimits.messageBytesMax, depthMax: 32, valuesMax: 4_096)

    /// Searches the whole message for orders of NEAR Intents and for consents, because contracts
    /// and services may wrap them.
    init(recipient: String, message: String) {
        let isForContract = recipient == Self.contract
        let others = OffchainRecipient(recipient).map { Self.authorization($0) } ?? .none
        guard let json = Self.json(in: message) else {
            self = isForContract || Self.mayHide(message) ? .unreadable : others
            return
        }
        var intents: [JSON]?
        Self.collect(from: json, into: &intents)
        switch (intents, AgentConsent(json)) {
        case (nil, nil):
            self = isForContract || Self.hasHidden(in: json) ? .unreadable : others
        case (let intents?, nil): self = .found(intents)
        case (nil, let consent?): self = .consent(consent)
        // No service reads a message that is both.
        case (_?, _?): self = .unreadable
        }
    }

    private static func collect(from json: JSON, into intents: inout [JSON]?) {
        switch json {
        case .object(let object):
            for entry in object.members {
                if entry.name == member, let list = entry.value.list {
                    intents = (intents ?? []) + list
                } else {
                    collect(from: entry.value, into: &intents)
                }
            }
        case .array(let elements):
            for element in elements { collect(from: element, into: &intents) }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    private static func json(in text: String) -> JSON? {
        guard let first = text.utf8.first(where: { $0 > 0x20 }), jsonStarts.contains(first) else {
            return nil
        }
        return try? JSON.parse(text.utf8.span, limits: limits)
    }

    private static let jsonStarts = Array("{[\"".utf8)

    /// True if a text that is not JSON may be an order or a consent for another parser.
    private static func mayHide(_ text: String) -> Bool {
        text.utf8.first { $0 > 0x20 } == UInt8(ascii: "{")
            || signs.contains { text.utf8.span.contains($0) }
    }

    /// The names of members with their quotation marks, also escaped ones, and the Agent API.
    private static let signs = [
        "\"intents\"", "\"intents\\", "\"purpose\"", "\"purpose\\", "near-intents-agent-api",
    ].map { Array($0.utf8) }

    /// True if a text inside of JSON is or may be an order or a consent.
    ///
    /// Each text is shorter than the one that contains it.
    private static func hasHidden(in json: JSON) -> Bool {
        switch json {
        case .object(let object): return object.members.contains { hasHidden(in: $0.value) }
        case .array(let elements): return elements.contains(where: hasHidden)
        case .string(let text):
            guard let inner = Self.json(in: text) else { return mayHide(text) }
            var intents: [JSON]?
            collect(from: inner, into: &intents)
            return intents != nil || AgentConsent(inner) != nil || hasHidden(in: inner)
        case .null, .bool, .integer, .number: return false
        }
    }
}

extension IntentsFinding {
    /// The kind of each intent; nil if one has no kind.
    var kinds: [String]? {
        switch self {
        case .none, .authorization, .unreadable: return nil
        case .consent(let consent): return [consent.purpose]
        case .found(let intents):
            let kinds = intents.compactMap { $0["intent"]?.text }
            return kinds.count == intents.count ? kinds : nil
        }
    }

    /// The orders; nil if one cannot be read, or there are none.
    var orders: [IntentOrder]? {
        guard case .found(let intents) = self else { return nil }
        let orders = intents.compactMap { IntentOrder($0) }
        return orders.count == intents.count ? orders : nil
    }

    /// The accounts that get something; nil if one of the orders does not say who does.
    ///
    /// An exchange gives to anyone, and a change of authority to the one who gets it.
    var receivers: [String]? {
        guard let orders, !orders.contains(where: \.hasOpenReceiver) else { return nil }
        return orders.compactMap(\.receiver)
    }

    /// The facts that are kept back, which rules must not take for absent.
    var undetermined: [String] {
        switch self {
        case .consent(let consent) where consent.isKnown: []
        case .none: []
        case .authorization, .unreadable, .consent: ["intents.receiver", "intents.tokens"]
        case .found:
            (receivers == nil ? ["intents.receiver"] : [])
                + (orders == nil ? ["intents.tokens"] : [])
        }
    }

    /// Returns true if the message is for NEAR Intents; nil if that is not known.
    func isKnown(recipient: String) -> Bool? {
        switch self {
        case .none: false
        case .consent(let consent): consent.isKnown ? true : nil
        case .found: true
        case .authorization, .unreadable: recipient == Self.contract ? true : nil
        }
    }

    /// The kinds that give no other party power over the balance.
    private static let spending: Set = [
        "transfer", "token_diff", "ft_withdraw", "nft_withdraw", "mt_withdraw",
        "native_withdraw", "storage_deposit", "remove_public_key",
    ]

    /// The effects of the orders; the worst effects if they cannot be read.
    var effects: [Effect] {
        switch self {
        case .none: []
        case .found:
            orders != nil && kinds.map { $0.allSatisfy(Self.spending.contains) } == true
                ? [.spends] : [.spends, .grantsAuthority]
        case .consent(let consent): consent.meaning.effects
        case .authorization, .unreadable: [.spends, .grantsAuthority]
        }
    }
}

extension Span<UInt8> {
    /// True if the bytes stand somewhere in these.
    fileprivate func contains(_ bytes: [UInt8]) -> Bool {
        guard count >= bytes.count else { return false }
        return (0...count - bytes.count).contains { start in
            bytes.indices.allSatisfy { self[start + $0] == bytes[$0] }
        }
    }
}
