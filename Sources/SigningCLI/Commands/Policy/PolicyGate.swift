// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import SigningCore
import SigningFiles
import SigningPolicy

/// The tests and assertions that a policy must pass before it is put in force.
struct PolicyGate {
    /// A failing test or assertion.
    private struct Failure {
        let name: String
        /// `the test "NAME"`, `the assertion "NAME"`.
        let subject: String
        let text: String
    }

    private let failures: [Failure]
    /// The assertions that are not proved, in words.
    private let doubts: [String]

    /// Proves the assertions; `tests` are the results of the tests, if they are to be run.
    init(_ policy: TOMLPolicy, tests: PolicyTests? = nil) {
        let proved = ProvedAssertion.all(of: policy, at: SystemEnvironment().now())
        doubts = proved.compactMap(\.doubt)
        let ofTests = (tests?.failures ?? []).map { test, text in
            let subject = "the test \"\(VisibleText.quotable(test.name))\""
            return Failure(name: test.name, subject: subject, text: "\(subject): \(text)")
        }
        let ofAssertions = proved.compactMap { assertion in
            assertion.failure.map { text in
                Failure(
                    name: assertion.assertion.id,
                    subject: "the assertion \"\(assertion.assertion.id)\"", text: text)
            }
        }
        failures = ofTests + ofAssertions
    }

    /// Reports failures and assertions that are not proved.
    func report(_ console: Console) {
        for doubt in doubts { console.note("countersign: warning: \(doubt)") }
        for failure in failures { console.note("countersign: warning: \(failure.text)") }
    }

    /// Refuses the policy unless each failure has one of these names; returns the failures.
    func pass(despite names: [String], _ console: Console) throws -> [String] {
        for name in names where !failures.contains(where: { $0.name == name }) {
            throw CLIError.usage(
                "--despite \"\(VisibleText.quotable(name))\": no failing test or assertion has "
                    + "this name",
                hint: failures.isEmpty
                    ? "nothing fails: leave it out"
                    : "these fail: \(failures.map(\.subject).joined(separator: ", "))")
        }
        report(console)
        let open = failures.filter { !names.contains($0.name) }
        guard open.isEmpty else {
            let verb = open.count == 1 ? "fails" : "fail"
            throw CLIError(
                "the policy is not put in force: "
                    + "\(open.map(\.subject).joined(separator: " and ")) \(verb)",
                hint: "correct the policy; to put it in force anyway, name each: countersign "
                    + "policy attest --despite NAME")
        }
        return failures.map(\.text)
    }
}
