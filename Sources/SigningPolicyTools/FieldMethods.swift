// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

extension PolicyVocabulary {
    /// Whether requests of a method may have a field; the engine's fields exist for every method.
    func mayHave(_ name: String, _ protocolID: ProtocolID, _ method: String) -> Bool {
        guard EngineFact(rawValue: name) == nil else { return true }
        // A request without an outflow has no total either.
        let name =
            RequestTotal.isTotal(name)
            ? PolicyField.outflowName : FirstUseField.base(of: name) ?? name
        let declared = schemas.filter { $0.protocolID == protocolID }
            .compactMap { $0.field(named: name) }
        return declared.isEmpty || declared.contains { $0.methods?.contains(method) ?? true }
    }

    /// Whether a request of one method may match both rules.
    func mayMatch(_ one: PolicyRule, _ other: PolicyRule) -> Bool {
        schemas.contains { schema in
            schema.methods.contains { method in
                [one, other].allSatisfy { rule in
                    rule.mayMatch(schema.protocolID, method)
                        && (rule.effect != .allow
                            || rule.conditions.allSatisfy {
                                $0.testsExistence
                                    || mayHave($0.field.name, schema.protocolID, method)
                            })
                }
            }
        }
    }
}

extension PolicyRule {
    /// A warning about methods that a deny or ask rule probably covers by mistake; nil if there are
    /// no such methods.
    ///
    /// A deny or ask rule also applies if the facts in its conditions are unknown. A fact is
    /// unknown in every request of a method that cannot have it. So the rule also applies to
    /// methods without the fields that it names.
    func methodsBesides(in vocabulary: PolicyVocabulary) -> String? {
        guard effect != .allow else { return nil }
        let open = vocabulary.schemas.flatMap { schema in
            schema.methods.filter { mayMatch(schema.protocolID, $0) }
                .map { (protocolID: schema.protocolID, method: $0) }
        }
        func lacking(_ protocolID: ProtocolID, _ method: String) -> [Condition] {
            conditionsOfEach.filter { !vocabulary.mayHave($0.field.name, protocolID, method) }
        }
        let strange = open.filter { place in
            let lacking = lacking(place.protocolID, place.method)
            return !lacking.isEmpty && !lacking.contains(where: \.testsExistence)
                && !isExcepted(place.method)
        }
        guard let first = strange.first,
            let field = lacking(first.protocolID, first.method).first?.field.name
        else { return nil }
        let meant = Set(open.filter { lacking($0.protocolID, $0.method).isEmpty }.map(\.method))
        let names = meant.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        let remedy =
            switch meant.count {
            case 0: "add operation"
            case 1: "add operation = \(names)"
            default: "add operation = [\(names)]"
            }
        let others = strange.count - 1
        let count = others == 0 ? "" : " and \(others) more method\(others == 1 ? "" : "s")"
        return "the rule \"\(id)\" also \(effect == .deny ? "denies" : "asks about") requests of "
            + "\(first.method)\(count), which have no \"\(field)\": \(remedy)"
    }

    /// A warning about a method that has all fields of a deny or ask rule and that the rule leaves
    /// out, while one of the allow rules covers it with the methods that the rule names; nil if
    /// there is none.
    func methodsLeftOut(in vocabulary: PolicyVocabulary, beside allowing: [PolicyRule]) -> String? {
        let isOfMethod = { (condition: Condition) in
            condition.field.name == EngineFact.operation.rawValue
        }
        guard effect != .allow, conditions.contains(where: isOfMethod) else { return nil }
        var wider = self
        wider.conditions.removeAll(where: isOfMethod)
        let fields = wider.conditionsOfEach.map(\.field.name).filter {
            EngineFact(rawValue: $0) == nil
        }
        guard !fields.isEmpty else { return nil }
        for schema in vocabulary.schemas {
            let id = schema.protocolID
            let alike = schema.methods.filter { method in
                wider.mayMatch(id, method)
                    && fields.allSatisfy { vocabulary.mayHave($0, id, method) }
            }
            for method in alike where !mayMatch(id, method) {
                let beside = allowing.first { rule in
                    rule.mayMatch(id, method)
                        && alike.contains { rule.mayMatch(id, $0) && mayMatch(id, $0) }
                }
                guard let beside else { continue }
                return "the rule \"\(beside.id)\" allows \(method), which the rule "
                    + "\"\(self.id)\" leaves out although it has the same fields: add it to "
                    + "operation"
            }
        }
        return nil
    }

    /// True if an exception of the rule covers every request of the method.
    private func isExcepted(_ method: String) -> Bool {
        exceptions.contains { exception in
            exception.schedule == nil
                && exception.conditions.allSatisfy { condition in
                    condition.field.name == EngineFact.operation.rawValue
                        && condition.mayHold(for: .text(method), .every, own: [])
                }
        }
    }
}

extension Condition {
    /// True if the condition asks for the presence of a field, which is known for every request.
    fileprivate var testsExistence: Bool {
        matchers.contains { if case .exists = $0 { true } else { false } }
    }
}
