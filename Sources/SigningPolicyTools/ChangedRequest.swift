// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Fields that are not facts of an operation: changing them does not change the request.
enum SyntheticFields {
    static let names = Set(EngineFact.allCases.map(\.rawValue))
        .subtracting([EngineFact.client.rawValue])
}

extension JudgedRequest {
    func value(of name: String, operation: Int) -> FactValue? {
        if name == EngineFact.client.rawValue { return client.map { .text($0.id) } }
        return operations[operation].facts.first { $0.name == name }?.value
            ?? facts.first { $0.name == name }?.value
    }

    /// The request with another value of a field: one for each way in which the amounts that leave
    /// may follow the value.
    func setting(
        _ field: PolicyField, to value: FactValue, operation place: Int,
        _ vocabulary: PolicyVocabulary
    ) -> [JudgedRequest] {
        let plain = setting(field.name, to: value, operation: place)
        let outflows = operations[place].outflows
        let old = self.value(of: field.name, operation: place)?.number ?? 0
        guard let new = value.number, new != old else { return [plain] }
        let places = outflows.indices.filter {
            outflows[$0].amount < .max && mayFollow(field, outflows[$0], vocabulary)
        }
        let moved = places.map { index in
            var changed = outflows
            let (change, _) = new.subtractingReportingOverflow(old)
            let (sum, hasOverflown) = changed[index].amount.addingReportingOverflow(change)
            changed[index] = Outflow(changed[index].asset, hasOverflown ? .max : max(0, sum))
            return plain.changed(
                operations: plain.operations.enumerated().map { number, operation in
                    number == place ? operation.changed(outflows: changed) : operation
                })
        }
        let isPart = ValueModel.known[protocolID.name]?.isPart(field.name) ?? false
        return isPart && moved.count == 1 ? moved : [plain] + moved
    }

    /// Whether an amount that leaves may follow the value of a field: it is of the same asset.
    private func mayFollow(
        _ field: PolicyField, _ outflow: Outflow, _ vocabulary: PolicyVocabulary
    ) -> Bool {
        let declared = vocabulary.schemas.filter { $0.protocolID == protocolID }
            .compactMap { $0.field(named: field.name) }.first
        if declared?.asset != nil {
            let coin = vocabulary.schemas.filter { $0.protocolID == protocolID }
                .compactMap { $0.field(named: PolicyField.outflowName) }.first?.type
            return outflow.asset.unit.map { .amount($0) != coin } ?? true
        }
        guard case .amount(let unit)? = declared?.type else { return false }
        return outflow.asset.unit == unit
    }

    private func setting(
        _ name: String, to value: FactValue, operation place: Int
    ) -> JudgedRequest {
        if name == EngineFact.client.rawValue, case .text(let id) = value {
            return changed(
                client: Client(
                    id: id, name: client?.name, proof: client?.proof ?? .claimed,
                    callback: client?.callback))
        }
        var operations = operations
        let old = operations[place]
        operations[place] = old.changed(
            facts: old.facts.filter { $0.name != name } + [Fact(name, value)])
        return changed(operations: operations)
    }

    func without(_ danger: Danger) -> JudgedRequest {
        changed(
            dangers: dangers.filter { $0 != danger },
            operations: operations.map { old in
                old.changed(dangers: old.dangers.filter { $0 != danger })
            })
    }

    func at(_ time: Timestamp) -> JudgedRequest { changed(time: time) }

    private func changed(
        client: Client? = nil, time: Timestamp? = nil, dangers: [Danger]? = nil,
        operations: [RequestedOperation]? = nil
    ) -> JudgedRequest {
        var changed = JudgedRequest(
            adapter: adapter, protocolID: protocolID, method: method,
            client: client ?? self.client, peer: peer, time: time ?? self.time,
            clock: time ?? clock,
            frameBytes: frameBytes, decoding: decoding, facts: facts, effects: effects,
            dangers: dangers ?? self.dangers,
            operations: operations ?? self.operations, ownAddresses: ownAddresses,
            outflows: outflows)
        changed.hub = hub
        return changed
    }
}

extension RequestedOperation {
    fileprivate func changed(
        facts: [Fact]? = nil, dangers: [Danger]? = nil, outflows: [Outflow]? = nil
    ) -> RequestedOperation {
        RequestedOperation(
            account: account, operation: operation, facts: facts ?? self.facts, effects: effects,
            dangers: dangers ?? self.dangers, outflows: outflows ?? self.outflows,
            undetermined: undetermined, isCosigning: isCosigning)
    }
}

extension ValueModel {
    /// Whether the value of a field is a part of what leaves.
    fileprivate func isPart(_ name: String) -> Bool {
        coinTerms.contains { $0.field == name } || tokenAmount?.field == name
    }
}
