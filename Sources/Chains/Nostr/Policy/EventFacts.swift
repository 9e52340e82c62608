// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension NostrEvent {
    /// The maximum length of a content that rules can search, in bytes.
    package static let searchableBytesMax = 16 << 10

    /// Returns the facts about an event; `skew` is nil if the hub set the time.
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
        if let zapAmount { facts.append(Fact("zap.amount", .integer(Int128(zapAmount)))) }
        appendTagFacts(to: &facts)
        appendAuthenticationFacts(to: &facts)
        return facts
    }

    /// The millisatoshi that a zap request asks to pay (NIP-57); nil if there is no one amount, or
    /// for other events.
    var zapAmount: UInt64? {
        guard kind.number == Zap.requestKind, let text = onlyValue(of: "amount"),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return UInt64(text)
    }

    /// Adds one list for each tag name, in the order of first occurrence.
    ///
    /// A tag without a value counts as empty if other tags of its name have values; so it cannot
    /// hide.
    private func appendTagFacts(to facts: inout [Fact]) {
        guard !tags.isEmpty else { return }
        // Names are compared by bytes, so look-alikes in Unicode differ.
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
                tag.count > 1 ? NostrChain.normalized(tag[1], toFormOf: name) : nil)
        }
        facts += lists.map { list in
            let hasValues = list.values.contains { $0 != nil }
            return Fact(list.name, .list(hasValues ? list.values.map { $0 ?? .text("") } : []))
        }
    }

    /// Adds the place that a login event is for; no fact if the event names several places.
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
                facts.append(Fact("method", NostrChain.normalized(method, toFormOf: "method")))
            }
        default: break
        }
    }

    /// Returns the names of the login facts that are missing or ambiguous.
    package func undetermined(given facts: [Fact]) -> [String] {
        let needed =
            switch kind {
            case .relayAuthentication: ["relay"]
            case .httpAuthentication: ["url", "method"]
            default: [String]()
            }
        return needed.filter { name in !facts.contains { $0.name == name } }
    }

    /// True if the date is wrong for an event that is meant to be used now.
    package func isOddlyDated(skewSeconds: Int64) -> Bool {
        if skewSeconds > Self.futureSecondsMax { return true }
        guard let secondsMax = kind.loginSecondsMax else { return false }
        if kind == .mediaAuthorization, !isShortLived { return true }
        return skewSeconds.magnitude > secondsMax.magnitude
    }

    /// Returns the last second at which the event is valid; nil if it has no end or is already
    /// over.
    ///
    /// A login ends when servers stop accepting its date. Any event ends one second before its only
    /// `expiration`.
    package func lastSecond(at now: Timestamp) -> Timestamp? {
        var ends = kind.loginSecondsMax.map { [createdAt.addingSafely($0)] } ?? []
        if let text = onlyValue(of: "expiration"), let expires = Int64(text) {
            ends.append(expires.addingSafely(-1))
        }
        return ends.filter { $0 >= now.seconds }.min().map { Timestamp(seconds: $0) }
    }

    /// The maximum date in the future, in seconds.
    ///
    /// Relays would keep a later event in place of those that its author publishes until then
    /// (NIP-01).
    private static let futureSecondsMax: Int64 = 900
    /// The maximum validity of an authorization for a media server, in seconds after its date.
    private static let leaveSecondsMax: Int64 = 86_400

    /// True if the only `expiration` tag ends the event soon after its date.
    private var isShortLived: Bool {
        guard let text = onlyValue(of: "expiration"), let expires = Int64(text) else {
            return false
        }
        return expires - createdAt <= Self.leaveSecondsMax
    }

    /// Returns a web address with a normalized origin and a path; nil if it is ambiguous.
    package static func address(_ url: String) -> String? {
        guard let origin = try? WebOrigin(url), origin.isPage,
            let mark = url.firstRange(of: "://")
        else { return nil }
        let rest = url[mark.upperBound...]
        let end = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let path = rest[end...]
        return origin.text + (path.hasPrefix("/") ? "" : "/") + path
    }

    /// Returns the host and port of a relay URL, normalized and without the default port.
    package static func relayHost(_ url: String) -> String? {
        guard let origin = try? WebOrigin(url), ["wss", "ws"].contains(origin.scheme) else {
            return nil
        }
        return origin.place
    }
}

extension Int64 {
    /// Returns the sum, limited to the range of integers.
    fileprivate func addingSafely(_ other: Int64) -> Int64 {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? (other > 0 ? .max : .min) : sum
    }
}
