// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// A message of a relay (NIP-01, NIP-42).
enum RelayMessage {
    case event(subscription: String, JSONObject)
    case ok(id: String, isAccepted: Bool, text: String)
    /// The end of stored events; some relays do not name the subscription.
    case endOfStored(subscription: String?)
    case closed(subscription: String, text: String)
    case challenge(String)
    case notice(String)

    private static let limits = JSONLimits(bytesMax: 2 << 20, depthMax: 8, valuesMax: 10_000)
    private static let challengeBytesMax = 256

    /// Parses a message; nil for any other message.
    init?(_ bytes: [UInt8]) {
        guard let list = (try? JSON.parse(bytes.span, limits: Self.limits))?.list,
            let word = list.first?.text
        else { return nil }
        func text(_ place: Int) -> String? {
            list.indices.contains(place) ? list[place].text : nil
        }
        switch (word, list.count) {
        case ("EVENT", 3):
            guard let subscription = text(1), let event = list[2].object else { return nil }
            self = .event(subscription: subscription, event)
        case ("OK", 3...):
            guard let id = text(1), let isAccepted = list[2].flag else { return nil }
            self = .ok(id: id, isAccepted: isAccepted, text: text(3) ?? "")
        case ("EOSE", _): self = .endOfStored(subscription: text(1))
        case ("CLOSED", 2...):
            guard let subscription = text(1) else { return nil }
            self = .closed(subscription: subscription, text: text(2) ?? "")
        case ("AUTH", 2):
            guard let challenge = text(1), challenge.utf8.count <= Self.challengeBytesMax else {
                return nil
            }
            self = .challenge(challenge)
        case ("NOTICE", 2...):
            guard let words = text(1) else { return nil }
            self = .notice(words)
        default: return nil
        }
    }

    /// Returns the request for envelopes to some keys, which replaces the subscription of this
    /// name.
    static func subscribe(_ name: String, to keys: [String], since seconds: Int64) -> [UInt8] {
        let filter: JSON = [
            "kinds": [24_133], "#p": .array(keys.map { .string($0) }), "since": .integer(seconds),
        ]
        return JSON.array(["REQ", .string(name), filter]).write()
    }

    static func unsubscribe(_ name: String) -> [UInt8] {
        JSON.array(["CLOSE", .string(name)]).write()
    }

    /// Returns the message that publishes an event; its JSON is that of `NostrEvent.json`.
    static func publish(_ event: String) -> [UInt8] { Array("[\"EVENT\",\(event)]".utf8) }
    static func logIn(_ event: String) -> [UInt8] { Array("[\"AUTH\",\(event)]".utf8) }

    /// Returns true if a relay requires a login; some relays use the prefix for a failed login.
    static func wantsLogin(_ text: String) -> Bool {
        text.hasPrefix("auth-required:") || text.hasPrefix("restricted:")
    }
}
