// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools

extension CommandLineTool {
    static let policyTest = Command(
        name: "policy test", options: [], operands: 0...1,
        summary: "run the tests in a policy",
        usage: """
            usage: countersign policy test [FILE]

            Runs the [[test]] blocks of a policy (policy.toml of the home, or FILE): each decodes
            its request, judges it and compares the verdict. Then it says which rules decided no
            test, and which changes to the policy no test would notice. Exit status 0 if every test
            passes.

            A file with [[test_account]] blocks is tested with those keys and needs no home.

            example: countersign policy test policy.toml
            """
    ) { invocation in
        let file = try PolicyFileAtHand(invocation)
        let policy = try file.usable()
        let tests = PolicyTests(of: policy, in: file)
        let (failures, cases) = (tests.failures, tests.cases)
        let mutants =
            failures.isEmpty && !cases.isEmpty ? Mutant.survivors(of: policy, cases) : ([], 0)
        let uncovered = policy.document.ruleIDs.filter { !tests.coveredRules.contains($0) }
        if invocation.console.isJSON {
            invocation.console.put(json(policy, failures, uncovered, mutants).write())
        } else {
            report(policy, failures, uncovered, mutants, to: invocation.console)
        }
        return failures.isEmpty ? .done : .failed
    }

    private static func report(
        _ policy: TOMLPolicy, _ failures: [(PolicyTest, String)], _ uncovered: [String],
        _ mutants: (survivors: [Mutant], count: Int), to console: Console
    ) {
        for (test, text) in failures {
            console.put(
                "\(policy.fileName):\(test.position.line): FAILED "
                    + "\"\(VisibleText.quotable(test.name))\": \(text)")
        }
        let count = policy.document.tests.count
        console.put("tests: \(count - failures.count) of \(count) pass")
        let rules = policy.document.ruleIDs.count
        let missing = uncovered.isEmpty ? "" : ", not \(uncovered.joined(separator: ", "))"
        console.put(
            "coverage: \(rules - uncovered.count) of \(rules) rules decide a test\(missing)")
        guard mutants.count > 0 else { return }
        console.put("mutants: \(mutants.survivors.count) of \(mutants.count) survive")
        let tests = MissingTest.all(of: policy, mutants.survivors)
        for mutant in mutants.survivors {
            let place = mutant.line.map { "\(policy.fileName):\($0): " } ?? ""
            console.put("  \(place)\(mutant.text)")
            if let test = tests[mutant.text] { console.put("    \(test.text)") }
        }
    }

    private static func json(
        _ policy: TOMLPolicy, _ failures: [(PolicyTest, String)], _ uncovered: [String],
        _ mutants: (survivors: [Mutant], count: Int)
    ) -> JSON {
        let rows = failures.map { test, text -> JSON in
            [
                "test": .string(test.name), "line": .integer(Int64(test.position.line)),
                "text": .string(text),
            ]
        }
        let missing = MissingTest.all(of: policy, mutants.survivors)
        return [
            "tests": .integer(Int64(policy.document.tests.count)), "failures": .array(rows),
            "uncovered_rules": .array(uncovered.map { .string($0) }),
            "mutants": .integer(Int64(mutants.count)),
            "survivors": .array(
                mutants.survivors.map { mutant in
                    [
                        "text": .string(mutant.text),
                        "line": mutant.line.map { .integer(Int64($0)) } ?? .null,
                        "missing_test": missing[mutant.text]?.json ?? .null,
                    ]
                }),
        ]
    }
}

/// A test under which a mutant that allows more would not survive.
private struct MissingTest {
    /// The most mutants for which a test is looked for, as each takes a proof.
    private static let countMax = 20

    let expected: String
    /// The request in words.
    let request: String

    /// The tests by the words of the mutants; mutants that allow no more have none.
    static func all(of policy: TOMLPolicy, _ survivors: [Mutant]) -> [String: MissingTest] {
        let now = SystemEnvironment().now()
        let found = survivors.prefix(countMax).compactMap { mutant in
            MissingTest(
                ProvedDifference(from: policy, to: policy.with(mutant.document), at: now)
            ).map { (mutant.text, $0) }
        }
        return Dictionary(found) { first, _ in first }
    }

    private init?(_ difference: ProvedDifference) {
        let changes: [ProvedDifference.Change] = [.newlyAllowed, .fewerApprovers, .newlyAsked]
        let shown = changes.lazy.compactMap { change -> ProvedDifference.Witness? in
            guard case .shown(let witness) = difference[change],
                change != .newlyAsked || witness.before == "deny"
            else { return nil }
            return witness
        }.first
        guard let shown, let verdict = shown.before.split(separator: ":").first else { return nil }
        expected = String(verdict)
        request = shown.request + (shown.past.map { ", with \($0)" } ?? "")
    }

    var text: String { "missing [[test]]: expect = \"\(expected)\" for \(request)" }

    var json: JSON { ["expect": .string(expected), "request": .string(request)] }
}
