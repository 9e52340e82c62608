// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
package import SigningCore

/// A limit with the slots of the facts that it counts.
package struct CompiledLimit: Sendable {
    /// The longest value of a field in `by`, in bytes.
    ///
    /// A longer value is not counted, so the rule does not allow the operation.
    static let scopeValueMax = 512

    package let limit: PolicyLimit
    /// The budget of the limit; nil for a limit of a rule.
    package let budget: PolicyBudget?
    /// The counter's name without the values of `by`.
    ///
    /// The name does not contain the window, so a limit whose window was edited still counts the
    /// earlier uses.
    package let base: String
    private let amountSlot: Int?
    private let scope: [(field: PolicyField, slot: Int)]
    /// The maxima of a table, by counter with names of keys; nil for a limit with one maximum.
    private let maxima: [String: Int128]?

    /// Compiles a limit; `owner` is the id of its rule or the name of its budget.
    init(
        _ limit: PolicyLimit, of owner: String, budget: PolicyBudget? = nil, in slots: FactSlots
    ) {
        self.limit = limit
        self.budget = budget
        // Amounts in a common unit do not mix with amounts of an asset after an edit.
        let unit = limit.commonUnit.map { " in \($0.symbol)" } ?? ""
        base = "\(owner)#" + (limit.summed.map { "sum(\($0.name)\(unit))" } ?? "count")
        amountSlot = limit.summed.flatMap { slots.slot(of: $0.name) }
        scope = limit.scope.compactMap { field in slots.slot(of: field.name).map { (field, $0) } }
        let (base, fields) = (base, limit.scope)
        maxima = limit.table.map { table in
            Dictionary(
                table.maxima.map { (Self.counter(base, fields, [$0.key.value]), $0.value) },
                uniquingKeysWith: min)
        }
    }

    func isCountable(in view: FactView) -> Bool {
        amount(in: view) != nil && scope.allSatisfy { Self.isCountable($0.field, view[$0.slot]) }
            && (maxima == nil || maximum(of: namedCounter(in: view)) != nil)
    }

    /// The most that one of the limit's counters may reach; nil if a table does not list it.
    ///
    /// `counter` has names of keys.
    package func maximum(of counter: String) -> Int128? {
        guard let maxima else { return limit.maximum }
        return maxima[counter]
    }

    private static func isCountable(_ field: PolicyField, _ value: FactValue?) -> Bool {
        value.map(field.accepts) ?? false && text(of: value).utf8.count <= scopeValueMax
    }

    /// The names of the fields that this limit needs to count an operation and cannot count by.
    func missingFields(in view: FactView) -> [String] {
        var names = scope.filter { !Self.isCountable($0.field, view[$0.slot]) }.map(\.field.name)
        guard let field = limit.summed, amount(in: view) == nil else { return names }
        let unpriced = view.outflows.first { outflow in
            !limit.rates.isEmpty && limit.rate(of: outflow.asset, in: view.protocolName) == nil
        }
        names.append(
            unpriced.map { RuleTrace.missingRate + VisibleText.quotable($0.asset.id) }
                ?? field.name)
        return names
    }

    /// The amount that one operation uses of the limit; nil if it is unknown.
    func claim(in view: FactView, at time: Timestamp) -> LimitClaim? {
        guard isCountable(in: view), let amount = amount(in: view) else { return nil }
        guard let maximum = maximum(of: namedCounter(in: view)) else { return nil }
        return LimitClaim(
            counter: counter(in: view), window: window(at: time), maximum: maximum, amount: amount)
    }

    /// A claim of nothing on the counter with the key's name; nil if keys share one counter.
    func claimByName(in view: FactView, at time: Timestamp) -> LimitClaim? {
        guard countsKeys else { return nil }
        let counter = namedCounter(in: view)
        return claim(counter, as: counter, at: time)
    }

    /// The window in the ledger's terms.
    package func window(at time: Timestamp) -> LimitWindow {
        switch limit.window {
        case .sliding(let seconds): .sliding(seconds: seconds)
        case .calendar(let unit, let zone): .since(unit.start(at: time, in: zone))
        case .ever: .ever
        }
    }

    private func amount(in view: FactView) -> Int128? {
        guard let amountSlot, let field = limit.summed else { return 1 }
        guard case .integer(let amount) = view[amountSlot], amount >= 0 else { return nil }
        guard field.name == PolicyField.outflowName else {
            if view.isUnbounded { return .max }
            return limit.rates.isEmpty ? amount : limit.rates[view.protocolName]?.converted(amount)
        }
        return limit.rates.isEmpty ? amount : limit.worth(of: view.outflows, in: view.protocolName)
    }

    private func counter(in view: FactView) -> String {
        guard countsKeys, let account = view.account else { return namedCounter(in: view) }
        let key = FactValue.text(account.counterID)
        return Self.counter(
            base, scope.map(\.field), scope.map { $0.field.isKey ? key : view[$0.slot] })
    }

    private func namedCounter(in view: FactView) -> String {
        Self.counter(base, scope.map(\.field), scope.map { view[$0.slot] })
    }

    private static func counter(
        _ base: String, _ fields: [PolicyField], _ values: [FactValue?]
    ) -> String {
        guard !fields.isEmpty else { return base }
        let parts = zip(fields, values).map { "\($0.name)=\(text(of: $1))" }
        return "\(base)[\(parts.joined(separator: ","))]"
    }

    /// A value in one form, with separators inside the value written as `%XX`.
    static func text(of value: FactValue?) -> String {
        switch value {
        case .bool(let bool): bool ? "true" : "false"
        case .integer(let number): String(number)
        case .time(let time): String(time.seconds)
        case .bytes(let bytes): Hex.encode(bytes.span)
        case .text(let text): escaped(text)
        case .list, nil: ""
        }
    }

    package static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte <= 0x20 || byte >= 0x7F || "%,=[]".utf8.contains(byte) {
                bytes.append(UInt8(ascii: "%"))
                bytes += Array(Hex.encode([byte].span).utf8)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
