// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

extension RequestModel {
    /// The request of the solver's model; nil if some field has no known value, which `blame`
    /// names.
    var drafted: (request: WitnessRequest?, blame: String) {
        let solver = circuit.solver
        var values: [(field: PolicyField, value: FactValue)] = []
        var own: [String] = []
        var unknown: String?
        for name in fieldOrder {
            guard let field = fields[name] else { continue }
            let found = field.witness(solver)
            if !found.isProved { unknown = field.field.name }
            own += found.own
            if let value = found.value { values.append((field.field, value)) }
            if field.field == EngineFact.requestOperations.field,
                found.value?.number ?? 0 > WitnessRequest.operationsMax
            {
                unknown = field.field.name
            }
        }
        let method = methods.first { method in
            values.contains {
                $0.field.name == EngineFact.operation.rawValue && $0.value == .text(method)
            }
        }
        let moment = moments.first { solver.isTrue($0.literal) }?.moment
        guard unknown == nil, let method, let moment else { return (nil, unknown ?? "the request") }
        let request = WitnessRequest(
            protocolID: protocolID, method: method,
            values: values.sorted { $0.field.name < $1.field.name }, own: own, moment: moment,
            hasOperation: !(model(of: .key).map { solver.isTrue($0.isAbsent) } ?? false),
            totals: totals)
        // The operations of a drafted request are alike.
        let batch = batch.agreements.first { !solver.isTrue($0.literal) }?.name
        let total = values.first {
            totals[$0.field.name] != nil || FirstUseField.base(of: $0.field.name) != nil
        }?.field.name
        return (request, batch ?? total ?? "the request")
    }
}
