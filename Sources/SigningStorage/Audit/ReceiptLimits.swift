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
        guard let body = try? JSON.parse(Array(intent.body.utf8).span),
            let claims = body["claims"]?.list
        else { return nil }
        guard !claims.isEmpty else { return [] }
        guard let used = body["used"]?.list, used.count == claims.count else { return nil }
        var limits: [(limit: ReceiptLimit, use: LimitUse)] = []
        for (claim, used) in zip(claims, used) {
            guard let counter = claim["counter"]?.text,
                let amount = claim["amount"]?.text.flatMap({ Int128($0) }),
                let maximum = claim["maximum"]?.text.flatMap({ Int128($0) }),
                let before = used.text.flatMap({ Int128($0) }), amount >= 0, before >= 0
            else { return nil }
            let window = claim["window"]?.integerValue
            let since = claim["since"]?.integerValue
            limits.append(
                (
                    ReceiptLimit(
                        counter: counter, maximum: maximum, before: before, after: before,
                        window: window, since: since.map { Timestamp(seconds: $0) }),
                    LimitUse(counter: counter, window: "\([window, since])", amount: amount)
                ))
        }
        return zip(limits, LimitUse.totals(of: limits.map(\.use))).map { item, total in
            let (after, isTooLarge) = item.limit.before.addingReportingOverflow(total)
            return item.limit.reaching(isTooLarge ? .max : after)
        }
    }
}

extension ReceiptLimit {
    fileprivate func reaching(_ after: Int128) -> ReceiptLimit {
        ReceiptLimit(
            counter: counter, maximum: maximum, before: before, after: after, window: window,
            since: since)
    }

    /// The limit in one line, such as `pay#count: 30 before, 35 after, of 100 in 3600 s`.
    package var text: String {
        let span = window.map { " in \($0) s" } ?? since.map { " since \($0.utcText)" } ?? ""
        return "\(counter): \(before) before, \(after) after, of \(maximum)\(span)"
    }
}
