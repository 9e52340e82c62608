// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService
internal import SigningStorage

/// The search of `GET /v1/audit`.
struct RecordSearch {
    /// The most entries in one answer, and the default.
    static let countMax: Int64 = 200
    private static let countDefault: Int64 = 50
    private static let textMax = 256
    static let outcomes = ["done", "denied", "failed", "not_used"]
    /// The facts whose amounts are compared.
    static let amounts = [
        "amount", "asset.amount", "token.amount", "deposit", "outflow", "stake", "allowance",
    ]

    private(set) var limit = Int(countDefault)
    private(set) var before = Int64.max
    /// The first and last moment of the entries, in seconds since 1970.
    private(set) var times = Int64.min...Int64.max
    private(set) var text: String?
    private var client: String?
    private var key: String?
    private var outcome: String?
    private var amount: ComparedAmount?

    /// Reads a query; nil if a value is malformed.
    init?(_ query: [(name: String, value: String)]) {
        var (since, until) = (Int64.min, Int64.max)
        for (name, value) in query {
            guard value.utf8.count <= Self.textMax else { return nil }
            let number = Int64(value)
            switch name {
            case "limit":
                guard let number, (1...Self.countMax).contains(number) else { return nil }
                limit = Int(number)
            case "before":
                guard let number, number > 0 else { return nil }
                before = number
            case "since":
                guard let number, number >= 0 else { return nil }
                since = number
            case "until":
                guard let number, number >= 0 else { return nil }
                until = number
            case "client": client = value
            case "key": key = value
            case "amount":
                amount = ComparedAmount(value)
                guard amount != nil else { return nil }
            case "outcome":
                guard Self.outcomes.contains(value) else { return nil }
                outcome = value
            default: text = value.lowercased()
            }
        }
        guard since <= until else { return nil }
        times = since...until
    }

    /// True if whole requests are searched, and not single entries.
    var isForRequests: Bool {
        client != nil || key != nil || outcome != nil || amount != nil
    }

    /// True if the search means the keys and the outcome of a request; `results` are the entries
    /// about its end.
    func means(_ request: JSON, _ results: [JSON]) -> Bool {
        if let key, request["keys"]?.list?.contains(where: { $0.text == key }) != true {
            return false
        }
        let ends = ([request] + results).lazy.compactMap { $0["outcome"]?.text }
        return outcome == nil || ends.first == outcome
    }

    /// True if the search means the client and an amount of a request, from its row in words.
    func means(row: JSON) -> Bool {
        let names = [row["body"]?["client"]?["id"]?.text, row["called"]?.text]
        if let client, !names.contains(client) { return false }
        guard let amount else { return true }
        return (row["facts"]?.list ?? []).lazy.flatMap { $0.list ?? [] }.contains { fact in
            Self.amounts.contains(fact["name"]?.text ?? "")
                && ComparedAmount.all(in: fact["value"]?.text ?? "").contains(where: amount.isMet)
        }
    }
}

/// An amount with or without a unit: `5`, `0.25 NEAR`; compared without rounding.
struct ComparedAmount {
    private let digits: String
    private let fraction: String
    private let unit: String?

    /// Reads an amount; nil for other texts.
    init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ")
        guard let number = words.first, words.count <= 2 else { return nil }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        digits = String(parts[0].drop { $0 == "0" })
        let decimals = parts.count == 2 ? parts[1] : ""
        let last = decimals.lastIndex { $0 != "0" }
        fraction = last.map { String(decimals[...$0]) } ?? ""
        unit = words.count == 2 ? words[1].lowercased() : nil
    }

    /// The amounts in the words of a fact, which may be a list in brackets.
    static func all(in words: String) -> [ComparedAmount] {
        words.split { "[],".contains($0) }.compactMap { ComparedAmount($0) }
    }

    /// True if another amount of the same unit, or of any unit if this one has none, is at least as
    /// large.
    func isMet(by other: ComparedAmount) -> Bool {
        guard unit == nil || unit == other.unit else { return false }
        return (digits.utf8.count, digits, fraction)
            <= (other.digits.utf8.count, other.digits, other.fraction)
    }
}
