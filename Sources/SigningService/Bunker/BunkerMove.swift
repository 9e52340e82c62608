// SPDX-License-Identifier: Apache-2.0

package import NIP46
internal import SigningCodecs
package import SigningCore

/// The time and the origin of a move to other relays.
package struct BunkerMove: Hashable, Sendable {
    /// The relays before the move.
    package let from: [RelayAddress]
    package let time: Timestamp
    /// True if the client was notified; this happens once, when it asks by `switch_relays`.
    package var isNotified = false

    /// The time for listening on both sets of relays, in seconds.
    package static let bothSeconds: Int64 = 86_400

    init(from relays: [RelayAddress], _ time: Timestamp) {
        from = relays
        self.time = time
    }
}

extension BunkerMove {
    /// Parses a move that is stored in the vault; nil if the data has another form.
    init?(_ json: JSON) {
        guard let texts = json["from"]?.list?.compactMap(\.text), let time = json["time"],
            let seconds = time.integerValue, let isNotified = json["told"]?.flag,
            let relays = try? RelayAddress.list(texts)
        else { return nil }
        self.init(from: relays, Timestamp(seconds: seconds))
        self.isNotified = isNotified
    }

    /// The move as stored in the vault.
    var json: JSON {
        [
            "from": .array(from.map { .string($0.text) }), "time": .integer(time.seconds),
            "told": .bool(isNotified),
        ]
    }
}
