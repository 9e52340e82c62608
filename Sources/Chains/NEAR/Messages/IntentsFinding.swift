// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The orders in a message for NEAR Intents, which accepts signed messages as payment orders.
enum IntentsFinding: Hashable {
    /// The message has no orders.
    case none
    /// These orders, in the order of the message.
    case found([JSON])
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
        var isReadable = recipient != Self.contract
        if first == UInt8(ascii: "{") {
            let json = try? JSON.parse(message.utf8.span, limits: Self.limits)
            isReadable = isReadable && json != nil
            if let json { Self.collect(from: json, into: &intents) }
        }
        if let intents {
            self = .found(intents)
        } else {
            self = isReadable ? .none : .unreadable
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
        guard case .found(let intents) = self else { return nil }
        let kinds = intents.compactMap { $0["intent"]?.text }
        return kinds.count == intents.count ? kinds : nil
    }

    /// Returns true if the message is for NEAR Intents; nil if that is not known.
    func isKnown(recipient: String) -> Bool? {
        switch self {
        case .none: false
        case .found: true
        case .unreadable: recipient == Self.contract ? true : nil
        }
    }

    /// The effects of the orders; the worst effects if they cannot be read.
    var effects: [Effect] {
        switch self {
        case .none: []
        case .found:
            kinds?.contains("add_public_key") == false
                ? [.spends] : [.spends, .grantsAuthority]
        case .unreadable: [.spends, .grantsAuthority]
        }
    }
}
