// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningFiles

/// A key in a receipt, with the properties that rules can use.
package struct ReceiptKey: Hashable, Sendable {
    package let id: KeyID
    /// The owner's name for the key.
    package let name: String
    package let tags: [String]

    init(id: KeyID, name: String, tags: [String]) {
        self.id = id
        self.name = name
        self.tags = tags
    }

    init?(_ json: JSON) {
        guard let id = json["id"]?.text, let name = json["name"]?.text,
            let tags = json["tags"]?.list
        else { return nil }
        self.init(id: KeyID(id), name: name, tags: tags.compactMap(\.text))
    }

    var json: JSON {
        .sorted([
            "id": .string(id.text), "name": .string(name),
            "tags": .array(tags.map { .string($0) }),
        ])
    }
}

/// The used amount of a limit before and after a request, as counted when the request was recorded.
package struct ReceiptLimit: Hashable, Sendable {
    package let counter: String
    package let maximum: Int128
    package let before: Int128
    package let after: Int128
    /// The length of a sliding window in seconds; nil if the window began at `since` or the limit
    /// has no window.
    package let window: Int64?
    package let since: Timestamp?
}

extension Receipt {
    /// The limits that the request was charged to; nil if the entry does not state the earlier
    /// uses, which is so for entries of old versions.
    package var limits: [ReceiptLimit]? {
        guard case .intent(let stated)? = intent.change else { return nil }
        let claims = stated.claims
        guard stated.used.count == claims.count,
            claims.allSatisfy({ $0.amount >= 0 }), stated.used.allSatisfy({ $0 >= 0 })
        else { return nil }
        return zip(zip(claims, stated.used), LimitClaim.totals(of: claims)).map { item, total in
            let (claim, before) = item
            let (after, isTooLarge) = before.addingReportingOverflow(total)
            return ReceiptLimit(claim, before: before, after: isTooLarge ? .max : after)
        }
    }
}

extension ReceiptLimit {
    fileprivate init(_ claim: LimitClaim, before: Int128, after: Int128) {
        var window: Int64?
        var since: Timestamp?
        switch claim.window {
        case .sliding(let seconds): window = seconds
        case .since(let start): since = start
        case .ever: break
        }
        self.init(
            counter: claim.counter, maximum: claim.maximum, before: before, after: after,
            window: window, since: since)
    }

    /// The limit in one line, such as `pay#count: 30 before, 35 after, of 100 in 3600 s`.
    package var text: String {
        let span = window.map { " in \($0) s" } ?? since.map { " since \($0.utcText)" } ?? ""
        return "\(counter): \(before) before, \(after) after, of \(maximum)\(span)"
    }
}
