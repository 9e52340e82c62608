// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import PolicyProof

@Suite("Patterns as automata")
struct AutomatonTests {
    /// A condition with a pattern, as policies match it.
    private static func condition(_ matcher: String) throws -> Condition {
        let policy = try loaded(
            "version = 1\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"allow\"\n"
                + "protocol = \"nostr\"\nurl = { \(matcher) }\n")
        return try #require(policy.document.rules[0].conditions.last)
    }

    private static func matches(_ condition: Condition, _ text: String) -> Bool {
        condition.truth(of: .text(text), .every, own: [], isFullyDecoded: true) == .yes
    }

    @Test(
        "find texts that match, and texts that do not",
        arguments: [
            "prefix = \"ab\"", "suffix = \"ab\"", "has = \"aba\"", "glob = \"https://*.x/**\"",
            "glob = \"a?c\"", "regex = '[a-c]{3}'", "regex = 'a|bc*'", "regex = '(ab)+\\.c?'",
            "regex = '[^a-z]{1,2}'", "regex = '\\d+-\\w*'", "regex = '(?:x|y){2,}z??'",
            "regex = 'a.c'", "regex = '[]a-]+'", "regex = '\u{E9}+\\s'", "regex = '^ab$'",
        ])
    func texts(matcher: String) throws {
        let condition = try Self.condition(matcher)
        let values = FieldValues(condition.field, [condition])
        #expect(values.isExplored)
        let truths = values.samples.map { sample in
            if case .text(let text) = sample.value { Self.matches(condition, text) } else { false }
        }
        #expect(truths.contains(true) && truths.contains(false), "\(values.samples)")
    }

    @Test(
        "of patterns that are not modelled are not explored",
        arguments: [
            "(?i)ab", "\\bab", "[[:alpha:]]", "\\pN", "(?P<n>a)", "a{1000}{2}", "^a|b$", "a\\z",
        ])
    func unmodelled(regex: String) {
        #expect(ExpressionParser.parse(regex) == nil)
    }

    @Test("agree with RE2 on random patterns and texts")
    func random() throws {
        var generator = SeededGenerator(state: 11)
        let atoms = ["a", "b", ".", "[ab]", "[^a]", "\\d", "(a|b)", "(?:ab)?", "(b*a)+"]
        let repeats = ["", "", "*", "+", "?", "{2}", "{1,2}", "{1,}", "*?"]
        var checked = 0
        for _ in 0..<120 {
            let regex = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                (atoms.randomElement(using: &generator) ?? "")
                    + (repeats.randomElement(using: &generator) ?? "")
            }.joined()
            guard let expression = ExpressionParser.parse(regex),
                let condition = try? Self.condition("regex = '\(regex)'")
            else { continue }
            for _ in 0..<20 {
                let text = String(
                    (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                        "ab1\n".randomElement(using: &generator) ?? "a"
                    })
                let symbols = text.unicodeScalars.map(\.value)
                let found = ProductAutomaton([expression, .literal(symbols)], alphabet: .scalars)
                    .texts { _ in false }?.first { $0.text == symbols && $0.matches[1] }
                #expect(found?.matches[0] == Self.matches(condition, text), "\(regex) \(text)")
                checked += 1
            }
        }
        #expect(checked > 1_500)
    }

    @Test("that explode are not explored")
    func explosion() throws {
        let words = (0..<16).map { "\"w\($0)x\"" }.joined(separator: ", ")
        let conditions = try (0..<16).map { try Self.condition("has = \"w\($0)x\"") }
        #expect(!FieldValues(conditions[0].field, conditions).isExplored)
        #expect(
            FieldValues(conditions[0].field, [try Self.condition("has = [\(words)]")]).isExplored
                == false)
    }
}
