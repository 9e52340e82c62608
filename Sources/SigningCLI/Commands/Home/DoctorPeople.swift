// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningFiles
import SigningService
import SigningStorage

extension Finding {
    /// Reports the approvers that the owner's acts need and whether enough of their keys count; nil
    /// without a rule.
    static func governance(_ workspace: Workspace) -> Finding? {
        // A record or a policy that cannot be read is reported in other rows.
        guard let ledger = try? workspace.openLedger(),
            let found = try? workspace.open.governanceStanding(in: ledger), !found.isEmpty
        else { return nil }
        let lost = found.filter { !$0.isSatisfiable }
        guard let first = lost.first else {
            let words = found.map { "\($0.demand.rule): \($0.demand.text)" }
            return Finding("governance", VisibleText.escaped(words.joined(separator: "; ")))
        }
        return Finding(
            "governance",
            VisibleText.escaped(
                "\(first.demand.rule) needs \(first.demand.text), but too few of their keys are "
                    + "valid"),
            fix: first.demand.rule == Governance.Act.policy.rule
                ? "no command can repair this: see Docs/Approvers.md, Losing a key"
                : "put a policy in force that names other approvers")
    }

    /// Reports ignored questions to several people in the home's record; nil if there are none.
    static func impossibleQuestions(_ workspace: Workspace) -> Finding? {
        // The row of the record reports a ledger that cannot be opened.
        guard let ledger = try? workspace.openLedger(),
            let count = try? ledger.impossibleQuestions(at: SystemEnvironment().now()),
            let text = AuditReport.impossibleQuestionText(count)
        else { return nil }
        return Finding("questions", text, fix: AuditReport.impossibleQuestionHint)
    }

    /// Examines whether the record of each team can be reached.
    static func teams(_ workspace: Workspace) -> [Finding] {
        let teams = workspace.open.teams()
        return teams.broken.map {
            Finding(
                "team \($0.number)", $0.problem.message,
                fix: $0.problem.hint ?? "countersign approver leave \($0.number)")
        } + teams.open.map(team)
    }

    private static func team(_ team: JoinedTeam) -> Finding {
        let what = "team \(team.number)"
        let passedOver: Int
        do {
            try team.catchUp()
            try team.ledger.checkMayAppend()
            let now = SystemEnvironment().now()
            _ = try team.ledger.jointQuestions(at: now)
            passedOver = try team.ledger.impossibleQuestions(at: now)
        } catch {
            return Finding(what, error)
        }
        if let text = AuditReport.impossibleQuestionText(passedOver) {
            return Finding(
                what, text,
                fix: "tell the team to run countersign audit verify, which says how "
                    + "to remove them")
        }
        let name = VisibleText.escaped(team.sharing.hub.name)
        return Finding(what, "answers as \(name), log reached")
    }
}
