// SPDX-License-Identifier: Apache-2.0

/// The limits of a remembered yes, and the older answers that it replaces.
extension Grant {
    /// True if the number of uses, or the amounts that leave, are limited.
    private var isLimited: Bool { usesMax != nil || !totals.isEmpty }

    /// True if this yes replaces an older yes to the same requests, so that their limits do not
    /// add up.
    ///
    /// A yes that counts in each period replaces every older limited one. A yes that counts once
    /// is an addition to one that counts in each period, or that lasts longer.
    public func replaces(_ older: Grant) -> Bool {
        guard answer == .yes, older.answer == .yes, id != older.id, scope == older.scope,
            isLimited, older.isLimited
        else { return false }
        if per != nil { return login == nil || older.login == nil || older.login == login }
        let (end, olderEnd) = (expires?.seconds ?? .max, older.expires?.seconds ?? .max)
        return older.per == nil && olderEnd <= end && (login == nil || older.login == login)
    }

    /// The limits in words, such as `20 times an hour`; nil if there are none.
    public var limitWords: String? {
        let times = usesMax.map { "\($0) \($0 == 1 ? "time" : "times")" }
        let amounts = totals.map { $0.outflow.asset.text(of: $0.outflow.amount) }
        let all = (times.map { [$0] } ?? []) + amounts
        guard !all.isEmpty else { return nil }
        let end = per?.words ?? (amounts.isEmpty ? "" : " in all")
        return all.joined(separator: " and ") + end
    }
}

extension Remembering.Period {
    /// The words after an amount or a number, with a space before them.
    public var words: String { self == .hour ? " an hour" : " a \(rawValue)" }
}

extension Grant.Scope {
    /// The text from which the name of a counter is derived; other scopes have another text.
    static func counterText(of scopes: [Grant.Scope]) -> String {
        Set(scopes.map(\.counterText)).sorted().map(\.measured).joined()
    }

    private var counterText: String {
        let parts = [client, proof.rawValue, key.text, protocolID.name, method, "\(isBroad)"]
        return (parts + facts.flatMap { [$0.name, $0.value.counterText] }).map(\.measured).joined()
    }
}

extension FactValue {
    fileprivate var counterText: String {
        switch self {
        case .bool(let bool): "bool \(bool)"
        case .integer(let number): "integer \(number)"
        case .text(let text): "text \(text)"
        case .bytes(let bytes): "bytes \(bytes.hexText)"
        case .time(let time): "time \(time.seconds)"
        case .list(let values): "list " + values.map(\.counterText.measured).joined()
        }
    }
}

extension String {
    /// The text after its length, so that joined texts can be told apart.
    fileprivate var measured: String { "\(utf8.count):\(self)" }
}
