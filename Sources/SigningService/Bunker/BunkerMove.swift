// SPDX-License-Identifier: Apache-2.0

package import NIP46
internal import SigningCodecs
package import SigningCore

/// When and from where a connection moved to other relays.
package struct BunkerMove: Hashable, Sendable {
    /// The relays that it was met at before.
    package let from: [RelayAddress]
    package let time: Timestamp
    /// Whether the client was told, which happens once: it asks by `switch_relays`.
    package var isTold = false

    /// How long it is met at both, in seconds.
    package static let bothSeconds: Int64 = 86_400

    init(from relays: [RelayAddress], _ time: Timestamp) {
        from = relays
        self.time = time
    }
}

extension BunkerMove {
    /// Reads what the vault keeps; nil for what this version did not write.
    init?(_ json: JSON) {
        guard let texts = json["from"]?.list?.compactMap(\.text), let time = json["time"],
            let seconds = time.integerValue, let isTold = json["told"]?.flag,
            let relays = try? RelayAddress.list(texts)
        else { return nil }
        self.init(from: relays, Timestamp(seconds: seconds))
        self.isTold = isTold
    }

    /// As the vault keeps it.
    var json: JSON {
        [
            "from": .array(from.map { .string($0.text) }), "time": .integer(time.seconds),
            "told": .bool(isTold),
        ]
    }
}
