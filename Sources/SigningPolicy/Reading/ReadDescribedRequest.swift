// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The keys of a test that describes its request by values, in place of `request`.
    static let describingKeys = ["protocol", "operation", "key", "facts", "dangers", "outflow"]

    /// Reads the request of a test that has no `request`.
    mutating func readDescribed(
        _ parts: [String: TOMLNode], _ node: TOMLNode
    ) -> DescribedRequest? {
        let (protocolName, method) =
            (readText("protocol", parts, node), readText("operation", parts, node))
        let key = readText("key", parts, node)
        guard let protocolName, let method, let key else { return nil }
        guard vocabulary.protocols.contains(protocolName) else {
            if let part = parts["protocol"] {
                reportUnknownName(part, of: "protocol", among: vocabulary.protocols, .any)
            }
            return nil
        }
        let scope = PolicyVocabulary.Scope.protocols([protocolName])
        let operations = vocabulary.operations(in: scope)
        if let part = parts["operation"], !operations.contains(method) {
            reportUnknownName(part, of: "operation", among: operations, scope)
            return nil
        }
        guard let facts = readFacts(parts["facts"], node, scope),
            let dangers = readDangers(parts["dangers"], scope)
        else { return nil }
        var outflow: Int128?
        if let part = parts["outflow"] {
            guard case .declared(let declared) = lookUp(PolicyField.outflowName, scope),
                case .integer(let amount)? = readValue(part, declared, scope)
            else { return nil }
            outflow = amount
        }
        return DescribedRequest(
            protocolID: ProtocolID(protocolName), method: method, key: key, facts: facts,
            dangers: dangers, outflow: outflow)
    }

    private mutating func readFacts(
        _ part: TOMLNode?, _ node: TOMLNode, _ scope: PolicyVocabulary.Scope
    ) -> [Fact]? {
        guard let part, case .table(let members) = part.value else {
            report.error(
                .test, "facts takes a table such as { kind = 1 }",
                at: part?.position ?? node.position)
            return nil
        }
        var facts: [Fact] = []
        for member in members {
            guard case .declared(let declared) = lookUp(member.key, scope),
                EngineFact(rawValue: member.key) == nil,
                !PolicyField.isOfOutflows(member.key), FirstUseField.base(of: member.key) == nil
            else {
                reportUnknownField(member, member.key, scope)
                return nil
            }
            guard let value = readFact(member, declared, scope) else { return nil }
            facts.append(Fact(member.key, value))
        }
        return facts
    }

    private mutating func readFact(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration, _ scope: PolicyVocabulary.Scope
    ) -> FactValue? {
        guard case .array(let items) = node.value else {
            guard !declared.field.isList else {
                report.error(.test, "\(quoted(node.key)) takes a list", at: node.position)
                return nil
            }
            return readValue(node, declared, scope)
        }
        guard declared.field.isList else {
            report.error(.test, "\(quoted(node.key)) takes one value", at: node.position)
            return nil
        }
        var values: [FactValue] = []
        for item in items {
            guard let value = readValue(item, declared, scope) else { return nil }
            values.append(value)
        }
        return .list(values)
    }

    private mutating func readDangers(
        _ part: TOMLNode?, _ scope: PolicyVocabulary.Scope
    ) -> [Danger]? {
        guard let part else { return [] }
        let known = vocabulary.dangers(in: scope)
        var dangers: [Danger] = []
        for item in part.items {
            guard case .text(let name) = item.value, known.contains(name) else {
                reportUnknownName(item, of: "dangers", among: known, scope)
                return nil
            }
            dangers.append(Danger(name))
        }
        return dangers
    }
}
