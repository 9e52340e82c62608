// SPDX-License-Identifier: Apache-2.0

extension Grant {
    /// True if the values have the names of the bounds and no value exceeds its bound.
    func bounds(_ facts: [Fact]) -> Bool {
        guard hasFacts(like: facts) else { return false }
        return zip(bounds, facts).allSatisfy { bound, fact in
            guard case .integer(let most) = bound.value, case .integer(let value) = fact.value
            else { return bound.value == fact.value }
            return value <= most
        }
    }

    /// True if the values have the names of the bounds, in their order.
    func hasFacts(like facts: [Fact]) -> Bool {
        bounds.map(\.name) == facts.map(\.name)
    }

    /// Returns, for each name, the higher one of its two bounds.
    static func highest(_ known: [Fact]?, _ facts: [Fact]) -> [Fact] {
        guard let known else { return facts }
        return zip(known, facts).map { known, fact in
            guard case .integer(let one) = known.value, case .integer(let other) = fact.value
            else { return known }
            return one >= other ? known : fact
        }
    }
}

/// The amounts that leave accounts under remembered answers.
struct Spending {
    /// Claims on the totals of the answers, one for each counter.
    private(set) var claims: [LimitClaim] = []
    /// True if the answer that covers an operation has a total for each asset that leaves.
    private(set) var isCovered = true

    /// Adds up the operations at these places, each covered by the grant at the same position.
    ///
    /// Amounts of the request beyond its operations are charged to the first grant.
    init(of grants: [SealedGrant], _ places: [Int], in request: JudgedRequest) {
        for (number, (sealed, place)) in zip(grants, places).enumerated() {
            let outflows = request.operations[place].outflows
            for outflow in (number == 0 ? request.outflows : []) + outflows {
                add(outflow, to: sealed.grant)
            }
        }
    }

    private mutating func add(_ outflow: Outflow, to grant: Grant) {
        guard outflow.amount > 0 else { return }
        let total = grant.totals.first { $0.outflow.asset.id == outflow.asset.id }
        guard let total else {
            isCovered = false
            return
        }
        let place = claims.firstIndex { $0.counter == total.counter }
        let (sum, hasOverflown) = (place.map { claims[$0].amount } ?? 0)
            .addingReportingOverflow(outflow.amount)
        let claim = LimitClaim(
            counter: total.counter, window: grant.window, maximum: total.outflow.amount,
            amount: hasOverflown ? .max : sum)
        if let place { claims[place] = claim } else { claims.append(claim) }
    }
}
