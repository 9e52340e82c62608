// SPDX-License-Identifier: Apache-2.0

import SigningPolicy
import SigningPolicyTools
import SigningService

/// The results of the tests in a policy file.
struct PolicyTests {
    /// The tests whose requests can be judged.
    let cases: [TestCase]
    /// The tests that failed or could not run, with the problem.
    let failures: [(PolicyTest, String)]
    /// The rules that decided at least one test.
    let coveredRules: Set<String>

    init(of policy: TOMLPolicy, in file: PolicyFileAtHand) {
        var cases: [TestCase] = []
        var broken: [(PolicyTest, String)] = []
        for test in policy.document.tests {
            do {
                cases.append(TestCase(test, try file.request(of: test, policy)))
            } catch {
                let error = CLIError(error)
                broken.append((test, error.message))
            }
        }
        let run = TestRun(policy, cases)
        self.cases = cases
        failures = broken + run.failures.map { ($0.test, $0.text) }
        coveredRules = run.coveredRules
    }

    /// Runs the tests of the home's policy, which was read already; nil if it has none.
    init?(
        of policy: TOMLPolicy, in loaded: PolicyLoading, _ invocation: Invocation
    ) throws {
        guard !policy.document.tests.isEmpty else { return nil }
        let home = try PolicyFileAtHand.workspace(invocation)
        self.init(of: policy, in: PolicyFileAtHand(loaded, of: home, invocation))
    }
}
