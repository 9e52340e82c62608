// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension NostrEvent {
    /// The longest content a rule may search.
    static let searchableBytesMax = 16 << 10

    /// What rules may ask about an event; `skew` is nil where the hub itself set the time.
    func facts(skewSeconds: Int64?, isKeyReplaced: Bool) -> [Fact] {
        let bytes = content.utf8.count
        var facts = [
            Fact("kind", .integer(Int128(kind.number))),
            Fact("content.bytes", .integer(Int128(bytes))),
            Fact("tag_count", .integer(Int128(tags.count))),
            Fact("pubkey_mismatch", .bool(isKeyReplaced)),
        ]
        if bytes <= Self.searchableBytesMax {
            facts.append(Fact("content.contains", .text(content)))
        }
        if let skewSeconds {
            facts.append(Fact("created_at.skew", .integer(Int128(skewSeconds))))
        }
        appendTagFacts(to: &facts)
        appendAuthenticationFacts(to: &facts)
        return facts
    }

    /// One list per tag name, in the order the names first appear.
    private func appendTagFacts(to facts: inout [Fact]) {
        guard !tags.isEmpty else { return }
        // By bytes: two names that only look the same to Unicode stay two.
        var places: [[UInt8]: Int] = [:]
        var lists: [(name: String, values: [FactValue])] = []
        for tag in tags where !tag[0].isEmpty {
            let place = places[Array(tag[0].utf8), default: lists.count]
            if place == lists.count {
                places[Array(tag[0].utf8)] = place
                lists.append((tag[0], []))
            }
            lists[place].values += tag.dropFirst().prefix(1).map { .text($0) }
        }
        facts += lists.map { Fact("tag.\($0.name)", .list($0.values)) }
    }

    /// What a login event is good for; absent where the event names more than one place.
    private func appendAuthenticationFacts(to facts: inout [Fact]) {
        switch kind {
        case .relayAuthentication:
            if let relay = onlyValue(of: "relay").flatMap(Self.relayHost) {
                facts.append(Fact("relay", .text(relay)))
            }
        case .httpAuthentication:
            if let url = onlyValue(of: "u") { facts.append(Fact("url", .text(url))) }
            if let method = onlyValue(of: "method") {
                facts.append(Fact("method", .text(method)))
            }
        default: break
        }
    }

    /// Host and port of a relay URL, in their normal form and without the scheme's own port.
    static func relayHost(_ url: String) -> String? {
        guard let origin = try? WebOrigin(url), ["wss", "ws"].contains(origin.scheme) else {
            return nil
        }
        return origin.place
    }
}
