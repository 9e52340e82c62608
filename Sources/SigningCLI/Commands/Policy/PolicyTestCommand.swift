// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
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
        for mutant in mutants.survivors {
            let place = mutant.line.map { "\(policy.fileName):\($0): " } ?? ""
            console.put("  \(place)\(mutant.text)")
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
        return [
            "tests": .integer(Int64(policy.document.tests.count)), "failures": .array(rows),
            "uncovered_rules": .array(uncovered.map { .string($0) }),
            "mutants": .integer(Int64(mutants.count)),
            "survivors": .array(
                mutants.survivors.map { mutant in
                    [
                        "text": .string(mutant.text),
                        "line": mutant.line.map { .integer(Int64($0)) } ?? .null,
                    ]
                }),
        ]
    }
}
