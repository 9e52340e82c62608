// SPDX-License-Identifier: Apache-2.0

extension Judgement {
    /// Returns the judgement with `ask` in place of an `allow` that leaves a danger unacknowledged.
    ///
    /// The hub enforces this for every `Policy`.
    func holding(to request: JudgedRequest) -> Judgement {
        guard case .allow = verdict, let danger = unnamed(in: request) else { return self }
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
