// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningStorage

extension CommandLineTool {
    static let policyUnused = Command(
        name: "policy unused", options: [last], operands: 0...0,
        summary: "list rules and remembered answers without use",
        usage: """
            usage: countersign policy unused [--last N]

            Lists the rules in force that applied to none of the requests in the newest N entries of
            the record (1000), and the remembered answers that allowed nothing yet. The requests are
            judged again. Payloads are not on record: a rule that looks at them counts as used.

            Rules that deny or ask may be of use although they never applied.

            example: countersign policy unused --last 10000
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let policy = try workspace.attestedPolicy()
        // Requests without a decision never reached the policy.
        let recorded = try workspace.recordedRequests(invocation).filter { $0.decision != nil }
        var use = RuleUse(policy)
        for request in recorded { try use.add(workspace.judged(request)) }
        let grants = try workspace.grants(includingEnded: false).filter {
            $0.grant.answer == .yes
        }
        let unused = (rules: use.unused, grants: grants.filter { $0.uses == 0 })
        if !invocation.console.isJSON {
            for rule in unused.rules {
                invocation.console.put("rule \(rule.id) (\(rule.effect))")
            }
            for report in unused.grants {
                invocation.console.put(
                    "remembered answer \(report.grant.idText), of "
                        + report.grant.created.utcText)
            }
        }
        let json: JSON = [
            "requests": .integer(Int64(recorded.count)),
            "since": recorded.first.map { .string($0.time.utcText) } ?? .null,
            "rules": .array(unused.rules.map { .string($0.id) }),
            "remembered": .array(unused.grants.map { .string($0.grant.idText) }),
        ]
        let since = recorded.first.map { " since \($0.time.utcText)" } ?? ""
        invocation.console.done(
            json,
            "requests: \(recorded.count)\(since); without use: \(unused.rules.count) of "
                + "\(policy.document.rules.count) rules, \(unused.grants.count) of "
                + "\(grants.count) remembered answers")
        return .done
    }
}
