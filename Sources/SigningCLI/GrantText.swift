// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// Grants in words and as JSON.
enum GrantText {
    /// What a scope is about, a line each.
    static func lines(_ scope: Grant.Scope, keyName: String) -> [String] {
        let proof = scope.proof == .callback ? "the answer goes there" : "claimed"
        return [
            "client  \(VisibleText.escaped(scope.client)) (\(proof))", "key     \(keyName)",
            "method  \(scope.protocolID) \(VisibleText.escaped(scope.method))",
        ] + scope.facts.map { "where   \($0.name) is \(shown($0.value))" }
    }

    /// For how long it counts.
    static func span(_ grant: Grant) -> String {
        var text = grant.expires.map { "until \($0.utcText)" } ?? "for ever"
        if grant.session != nil { text = "for one session" }
        return text + (grant.usesMax.map { ", \($0) times" } ?? "")
    }

    static func shown(_ value: FactValue) -> String {
        switch value {
        case .bool(let bool): bool ? "true" : "false"
        case .integer(let number): String(number)
        case .text(let text): "\"\(VisibleText.escaped(text, countMax: 100))\""
        case .bytes(let bytes): Hex.encode(bytes.span)
        case .time(let time): time.utcText
        case .list(let values): "[\(values.map { shown($0) }.joined(separator: ", "))]"
        }
    }
}
