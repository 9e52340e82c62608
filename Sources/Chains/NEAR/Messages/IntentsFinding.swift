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
    /// Possible orders: the message is for NEAR Intents or resembles JSON, but cannot be read.
    case unreadable

    static let contract = "intents.near"
    private static let member = "intents"
    private static let limits = JSONLimits(
        bytesMax: MessageLimits.messageBytesMax, depthMax: 32, valuesMax: 4_096)

    /// Searches the whole message for orders of NEAR Intents, because contracts may wrap them.
    init(recipient: String, message: String) {
        let first = message.utf8.first { $0 > 0x20 }
        var intents: [JSON]?
        var consent: AgentConsent?
        var isReadable = recipient != Self.contract
        if first == UInt8(ascii: "{") {
            let json = try? JSON.parse(message.utf8.span, limits: Self.limits)
            isReadable = isReadable && json != nil
            if let json {
                Self.collect(from: json, into: &intents)
                consent = AgentConsent(json)
            }
        }
        switch (intents, consent) {
        case (nil, nil): self = isReadable ? .none : .unreadable
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
}

extension IntentsFinding {
    /// The kind of each intent; nil if one has no kind.
    var kinds: [String]? {
        switch self {
        case .none, .unreadable: return nil
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
        case .none, .consent: []
        case .unreadable: ["intents.receiver", "intents.tokens"]
        case .found:
            (receivers == nil ? ["intents.receiver"] : [])
                + (orders == nil ? ["intents.tokens"] : [])
        }
    }

    /// Returns true if the message is for NEAR Intents; nil if that is not known.
    func isKnown(recipient: String) -> Bool? {
        switch self {
        case .none: false
        case .found, .consent: true
        case .unreadable: recipient == Self.contract ? true : nil
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
        case .consent(let consent): consent.isGrant ? [.spends, .grantsAuthority] : []
        case .unreadable: [.spends, .grantsAuthority]
        }
    }
}
