// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
package import SigningCore

// A counter identifies a key by its public key: a name can be given to another key, and each hub of
// a team has its own ids. Earlier versions counted by the name.

extension Account {
    /// The identity of the key in counters.
    ///
    /// It is the same under every name and in every hub. A removed key in a record has an id only.
    package var counterID: String {
        let key = publicKey.isEmpty ? id.text : Hex.encode(publicKey.span)
        return "\(protocolID.name):\(key)"
    }
}

extension PolicyField {
    /// True for the field with the name of the key.
    var isKey: Bool { name == EngineFact.key.rawValue }
}

extension CompiledLimit {
    /// True if each key has a counter of its own.
    package var countsKeys: Bool { limit.scope.contains(where: \.isKey) }

    /// A claim of nothing on a counter, which has the name of its key in `named`.
    package func claim(
        _ counter: String, as named: String, at time: Timestamp
    ) -> LimitClaim {
        LimitClaim(
            counter: counter, window: window(at: time),
            maximum: maximum(of: named) ?? limit.maximum, amount: 0)
    }

    /// The counter with this value of `key` in place of its own; `value` returns nil to keep it.
    package static func counter(
        _ counter: String, replacingKey value: (Substring) -> String?
    ) -> String {
        guard let bracket = counter.firstIndex(of: "[") else { return counter }
        let prefix = "\(EngineFact.key.rawValue)="
        let parts = counter[bracket...].dropFirst().dropLast().split(separator: ",").map { part in
            guard part.hasPrefix(prefix), let new = value(part.dropFirst(prefix.count)) else {
                return String(part)
            }
            return prefix + new
        }
        return "\(counter[..<bracket])[\(parts.joined(separator: ","))]"
    }

    /// The escaped value of `key` in a counter; nil if the counter has none.
    package static func key(of counter: String) -> String? {
        var found: String?
        _ = Self.counter(counter) {
            found = String($0)
            return nil
        }
        return found
    }
}
