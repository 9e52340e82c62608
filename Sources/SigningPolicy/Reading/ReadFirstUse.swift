// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// Looks up the field of a condition, also `first_use.FIELD` and the sums of `request.total`.
    func lookUp(_ name: String, _ scope: PolicyVocabulary.Scope) -> PolicyVocabulary.Lookup {
        guard let base = FirstUseField.base(of: name) else { return lookUpTotal(name, scope) }
        guard firstUses(in: scope).contains(where: { $0.isExactly(name) }) else { return .unknown }
        let found = vocabulary.lookUp(base, in: scope)
        guard case .declared(let declared) = found else { return found }
        // Another protocol may have a field of the same name whose values are no counterparties.
        let isOfAll = vocabulary.schemas(in: scope).allSatisfy {
            $0.field(named: base)?.isCounterparty ?? true
        }
        guard isOfAll else { return .differs }
        return .declared(
            .init(
                field: PolicyField(name: name, type: .duration, isList: declared.field.isList)))
    }

    /// The names of all fields `first_use.FIELD` in a scope.
    func firstUses(in scope: PolicyVocabulary.Scope) -> [String] {
        vocabulary.schemas(in: scope).flatMap(\.fields).filter(\.isCounterparty)
            .map { FirstUseField.prefix + $0.name }
    }

    /// Whether the matcher fits the field: `first_use` is a time that grows, so only a bound on
    /// it means something.
    mutating func isBound(_ node: TOMLNode, on field: PolicyField) -> Bool {
        guard FirstUseField.base(of: field.name) != nil else { return true }
        if ["min", "max"].contains(node.key), !node.isNegativeDuration { return true }
        report.error(
            .wrongMatcher,
            "\"\(field.name)\" takes { max = \"24h\" } for new ones, or { min = \"24h\" } for "
                + "those that have been known for so long",
            at: node.position)
        return false
    }
}

extension TOMLNode {
    fileprivate var isNegativeDuration: Bool {
        guard let value = try? FactValue(value, as: .duration) else { return false }
        return value.number ?? 0 < 0
    }
}
