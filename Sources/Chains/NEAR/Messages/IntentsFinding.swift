// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// What a message asks of NEAR Intents, which takes signed messages as orders to pay.
enum IntentsFinding: Hashable {
    /// Nothing.
    case none
    /// These, in their order in the message.
    case found([JSON])
    /// Perhaps something: it is addressed there, or looks like JSON, and cannot be read.
    case unreadable

    private static let contract = "intents.near"
    private static let member = "intents"
    private static let limits = JSONLimits(
        bytesMax: MessageLimits.messageBytesMax, depthMax: 32, valuesMax: 4_096)

    /// Looks for intents anywhere in the message, because contracts may wrap the order.
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
    /// The kind of each intent, or nil where one does not tell.
    var kinds: [String]? {
        guard case .found(let intents) = self else { return nil }
        let kinds = intents.compactMap { $0["intent"]?.text }
        return kinds.count == intents.count ? kinds : nil
    }

    /// Whether the message is for NEAR Intents, or nil where that is not known.
    func isKnown(recipient: String) -> Bool? {
        switch self {
        case .none: false
        case .found: true
        case .unreadable: recipient == Self.contract ? true : nil
        }
    }

    /// What an order may do; the worst where it cannot be read.
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
