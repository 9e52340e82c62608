// SPDX-License-Identifier: Apache-2.0

extension Judgement {
    /// Returns the judgement with `ask` in place of an `allow` that leaves a danger unacknowledged,
    /// or that has a delay.
    ///
    /// The hub enforces this for every `Policy`. Only the second one keeps the delay.
    func holding(to request: JudgedRequest) -> Judgement {
        guard case .allow(let reasons) = verdict else { return self }
        guard let danger = unnamed(in: request) else {
            guard delay > 0 else { return self }
            return Judgement(
                verdict: .ask(reasons), claims: claims, acknowledged: acknowledged, delay: delay,
                newCounterparties: newCounterparties, policyHash: policyHash)
        }
        let reason = Reason(
            .policyDenied, "the policy allows this without naming \"\(danger.name)\"")
        return Judgement(
            verdict: .ask([reason]), claims: claims, newCounterparties: newCounterparties,
            policyHash: policyHash)
    }

    private func unnamed(in request: JudgedRequest) -> Danger? {
        let operations = request.operations
        guard !operations.isEmpty else {
            return request.dangers.first { !(acknowledged.first ?? []).contains($0) }
        }
        for (place, operation) in operations.enumerated() {
            let named = acknowledged.indices.contains(place) ? acknowledged[place] : []
            let all = request.dangers + operation.dangers
            if let danger = all.first(where: { !named.contains($0) }) { return danger }
        }
        return nil
    }
}
