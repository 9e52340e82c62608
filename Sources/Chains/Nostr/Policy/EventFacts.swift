// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension NostrEvent {
    /// The longest content a rule may search.
    package static let searchableBytesMax = 16 << 10

    /// What rules may ask about an event; `skew` is nil where the hub itself set the time.
    package func facts(skewSeconds: Int64?, isKeyReplaced: Bool) -> [Fact] {
        let bytes = content.utf8.count
        var facts = [
            Fact("kind", .integer(Int128(kind.number))),
            Fact("content.bytes", .integer(Int128(bytes))),
            Fact("tag_count", .integer(Int128(tags.count))),
            Fact("pubkey_mismatch", .bool(isKeyReplaced)),
        ]
        if let boundTags { facts.append(Fact("bound_tags", .text(boundTags))) }
        if !kind.isProse { facts.append(Fact("bound_content", .text(content))) }
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
    ///
    /// A tag without a value has an empty one where others of its name have values, so that it
    /// does not hide behind them.
    private func appendTagFacts(to facts: inout [Fact]) {
        guard !tags.isEmpty else { return }
        // By bytes: two names that only look the same to Unicode stay two.
        var places: [[UInt8]: Int] = [:]
        var lists: [(name: String, values: [FactValue?])] = []
        for tag in tags where !tag[0].isEmpty {
            let place = places[Array(tag[0].utf8), default: lists.count]
            if place == lists.count {
                places[Array(tag[0].utf8)] = place
                lists.append(("tag." + tag[0], []))
            }
            let name = lists[place].name
            lists[place].values.append(
                tag.count > 1 ? NostrChain.brought(tag[1], toFormOf: name) : nil)
        }
        facts += lists.map { list in
            let hasValues = list.values.contains { $0 != nil }
            return Fact(list.name, .list(hasValues ? list.values.map { $0 ?? .text("") } : []))
        }
    }

    /// What a login event is good for; absent where the event names more than one place.
    private func appendAuthenticationFacts(to facts: inout [Fact]) {
        switch kind {
        case .relayAuthentication:
            if let relay = onlyValue(of: "relay").flatMap(Self.relayHost) {
                facts.append(Fact("relay", .text(relay)))
            }
        case .httpAuthentication:
            if let url = onlyValue(of: "u").flatMap(Self.address) {
                facts.append(Fact("url", .text(url)))
            }
            if let method = onlyValue(of: "method") {
                facts.append(Fact("method", NostrChain.brought(method, toFormOf: "method")))
            }
        default: break
        }
    }

    /// The names of facts about a login that are missing, or could be one of several.
    package func undetermined(given facts: [Fact]) -> [String] {
        let needed =
            switch kind {
            case .relayAuthentication: ["relay"]
            case .httpAuthentication: ["url", "method"]
            default: [String]()
            }
        return needed.filter { name in !facts.contains { $0.name == name } }
    }

    /// Whether its time is one that it would not have if it were for now.
    package func isOddlyDated(skewSeconds: Int64) -> Bool {
        if skewSeconds > Self.futureSecondsMax { return true }
        guard let secondsMax = kind.loginSecondsMax else { return false }
        if kind == .mediaAuthorization, !isShortLived { return true }
        return skewSeconds.magnitude > secondsMax.magnitude
    }

    /// The last second at which the event is what its time says: of a login that which others take,
    /// and of each event the one before its only `expiration`; nil where it has none, or it is over
    /// by then.
    package func lastSecond(at now: Timestamp) -> Timestamp? {
        var ends = kind.loginSecondsMax.map { [createdAt.addingSafely($0)] } ?? []
        if let text = onlyValue(of: "expiration"), let expires = Int64(text) {
            ends.append(expires.addingSafely(-1))
        }
        return ends.filter { $0 >= now.seconds }.min().map { Timestamp(seconds: $0) }
    }

    /// Further ahead an event hides what its author publishes until then (NIP-01).
    private static let futureSecondsMax: Int64 = 900
    /// The longest time from its date that leave at a media server may last.
    private static let leaveSecondsMax: Int64 = 86_400

    /// Whether the only `expiration` tag ends it soon after its date.
    private var isShortLived: Bool {
        guard let text = onlyValue(of: "expiration"), let expires = Int64(text) else {
            return false
        }
        return expires - createdAt <= Self.leaveSecondsMax
    }

    /// A web address with its origin in the normal form and a path; nil where readers may differ
    /// about it.
    package static func address(_ url: String) -> String? {
        guard let origin = try? WebOrigin(url), origin.isPage,
            let mark = url.firstRange(of: "://")
        else { return nil }
        let rest = url[mark.upperBound...]
        let end = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let path = rest[end...]
        return origin.text + (path.hasPrefix("/") ? "" : "/") + path
    }

    /// Host and port of a relay URL, in their normal form and without the scheme's own port.
    package static func relayHost(_ url: String) -> String? {
        guard let origin = try? WebOrigin(url), ["wss", "ws"].contains(origin.scheme) else {
            return nil
        }
        return origin.place
    }
}

extension Int64 {
    /// The sum, or the nearest number there is.
    fileprivate func addingSafely(_ other: Int64) -> Int64 {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? (other > 0 ? .max : .min) : sum
    }
}
