// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningPolicy

/// The texts of grants.
package struct GrantText: Sendable {
    /// The fact schemas that format values.
    private let schemas: [FactSchema]

    package init(schemas: [FactSchema]) { self.schemas = schemas }

    /// The lines that describe a scope, with every value in full.
    package func lines(
        _ scope: Grant.Scope, keyName: String, bounds: [Fact] = []
    ) -> [String] {
        return [
            "client  \(VisibleText.listed(scope.client)) (\(scope.proof.sentence))",
            "key     \(keyName)",
            "method  \(scope.protocolID) \(VisibleText.escaped(scope.method))",
        ] + scope.facts.map { "where   \($0.name) is \(whole($0, of: scope))" }
            + bounds.map { "where   \($0.name) is at most \(whole($0, of: scope))" }
            + (scope.isBroad ? ["ahead   any value of the other fields"] : [])
    }

    /// The value of a scope's fact in the notation of a policy file, with its unit.
    package func whole(_ fact: Fact, of scope: Grant.Scope) -> String {
        shown(fact, in: scope.protocolID, isWhole: true)
    }

    /// The value of a protocol's fact with its unit; a long value is cut unless `isWhole` is true.
    package func shown(_ fact: Fact, in protocolID: ProtocolID, isWhole: Bool = false) -> String {
        let schema = schemas.first { $0.protocolID == protocolID }
        let field = schema?.field(named: fact.name)
        return PolicyField(
            name: fact.name, type: field?.type ?? .text, isList: field?.isList ?? false
        ).shown(fact.value, isWhole: isWhole)
    }

    /// The time and the limits for which a grant is valid.
    package static func span(_ grant: Grant) -> String {
        span(
            expires: grant.expires?.utcText, isForLogin: grant.login != nil,
            limits: grant.limitWords)
    }

    /// The time and the limits for which a grant with these properties is valid.
    package static func span(expires: String?, isForLogin: Bool, limits: String?) -> String {
        var text = expires.map { "until \($0)" } ?? "for ever"
        if isForLogin { text = "for one login" }
        return text + (limits.map { ", \($0)" } ?? "")
    }
}
