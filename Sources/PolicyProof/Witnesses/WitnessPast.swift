// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Earlier uses of limits: each counter was used once, by one amount at one time.
struct WitnessPast: LimitUsage {
    /// The request, whose values say when its counterparties were first used.
    private let request: WitnessRequest?

    init(of request: WitnessRequest? = nil) { self.request = request }

    func usedByName(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

    func firstUse(of party: Counterparty) throws(LedgerError) -> FirstUse {
        request?.firstUse(of: party) ?? .unknown
    }

    struct Use: Hashable {
        let amount: Int128
        let secondsAgo: Int64
    }

    /// The uses by counter, without the values of `by`.
    var uses: [String: Use] = [:]
    /// A limit of each counter, for its words.
    private var limits: [String: CompiledLimit] = [:]

    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        guard let use = uses[Self.shape(of: claim.counter)] else { return 0 }
        let (moment, isTooEarly) = now.seconds.subtractingReportingOverflow(use.secondsAgo)
        let isCounted = isTooEarly || moment > claim.window.lastUncounted(before: now)
        return isCounted ? use.amount : 0
    }

    /// The uses for people; nil if there are none.
    var text: String? {
        let words = uses.filter { $0.value.amount > 0 }.sorted { $0.key < $1.key }.map {
            shape, use in
            guard use != Self.everything else { return "\(owner(of: shape)) used up" }
            var amount = use.amount == 1 ? "1 operation" : "\(use.amount) operations"
            if let field = limits[shape]?.limit.shownField {
                amount = "\(field.shown(.integer(use.amount))) of \(field.name)"
            }
            let before = use.secondsAgo > 0 ? " \(use.secondsAgo) seconds before" : ""
            return "\(amount) used of \(owner(of: shape))\(before)"
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// The budget or rule whose limit counts, in words.
    private func owner(of shape: String) -> String {
        limits[shape]?.budget.map { "the budget \"\($0.name)\"" }
            ?? "the limits of the rule \"\(shape.prefix { $0 != "#" })\""
    }

    /// More than any limit leaves.
    static let everything = Use(amount: .max / 2, secondsAgo: 0)

    /// `r#count[key]` for `r#count[key=alice]`.
    private static func shape(of counter: String) -> String {
        guard let bracket = counter.firstIndex(of: "[") else { return counter }
        let fields = counter[bracket...].dropFirst().dropLast().split(separator: ",").map { part in
            part.prefix { $0 != "=" }
        }
        return "\(counter[..<bracket])[\(fields.joined(separator: ","))]"
    }

    static func shape(of limit: CompiledLimit) -> String {
        let fields = limit.limit.scope.map(\.name)
        return fields.isEmpty ? limit.base : "\(limit.base)[\(fields.joined(separator: ","))]"
    }
}

extension WitnessPast {
    /// The most histories that are tried for one request.
    private static let triedMax = 400

    /// Histories after which limits have room as wanted, as far as that is possible.
    ///
    /// `rooms` says for each limited rule of either policy whether its limits have room.
    static func candidates(
        _ limits: [(limit: CompiledLimit, hasRoom: Bool)], _ request: WitnessRequest
    ) -> [WitnessPast] {
        var shapes: [String: [(limit: CompiledLimit, hasRoom: Bool)]] = [:]
        for entry in limits { shapes[shape(of: entry.limit), default: []].append(entry) }
        var pasts = [WitnessPast(of: request)]
        for (shape, entries) in shapes.sorted(by: { $0.key < $1.key }) {
            guard entries.contains(where: { !$0.hasRoom }) else { continue }
            let uses =
                entries.contains(where: \.hasRoom)
                ? edges(entries.map(\.limit), request) : [everything]
            pasts = pasts.flatMap { past in
                uses.map { use in
                    var next = past
                    next.uses[shape] = use
                    next.limits[shape] = entries.first?.limit
                    return next
                }
            }
            pasts = Array(pasts.prefix(triedMax))
        }
        return pasts
    }

    /// Uses at which one of the limits is used up and another one may have room.
    private static func edges(_ limits: [CompiledLimit], _ request: WitnessRequest) -> [Use] {
        let now = request.moment.time
        var ages: Set<Int64> = [0]
        var amounts: Set<Int128> = []
        for limit in limits {
            switch limit.window(at: now) {
            case .sliding(let seconds): ages.formUnion([seconds - 1, seconds])
            case .since(let start): ages.formUnion([now.seconds - start.seconds + 1])
            case .ever: ages.insert(1 << 40)
            }
            var own: Int128 = 1
            if case .sum(let field) = limit.limit.measure {
                own = request.values.first { $0.field == field }?.value.number ?? 0
            }
            let maximum = request.maximum(of: limit.limit)
            amounts.formUnion([maximum, maximum - own + 1])
        }
        return ages.sorted().flatMap { age in
            amounts.filter { $0 >= 0 }.sorted().map { Use(amount: $0, secondsAgo: age) }
        }
    }
}
