// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// Rows about approvers, held against entries.
extension Access<LedgerError> {
    /// Whoever was retired stays so; a row too many only takes power away, and may be from before
    /// there were entries.
    func problem(
        with change: ApproverEntry, of entry: AuditEntry
    ) throws(LedgerError) -> AuditProblem? {
        switch change {
        case .holds(let keys):
            return try Set(keys).isSubset(of: ownApprovers())
                ? nil : .recordDiffers(sequence: entry.sequence, table: "meta")
        case .retires(let key):
            let isThere = try exists(
                "SELECT 1 FROM retired_approvers WHERE public_key = ? AND time = ?", .bytes(key),
                .integer(entry.time.seconds))
            return isThere
                ? nil : .recordDiffers(sequence: entry.sequence, table: "retired_approvers")
        }
    }

    /// What several people said yes to is used up by what it was used for, while it is kept.
    func problem(
        with approval: ApprovalEntry?, of entry: AuditEntry, usedFor use: [UInt8]
    ) throws(LedgerError) -> AuditProblem? {
        guard let digest = approval?.question else { return nil }
        let isElse = try exists(
            "SELECT 1 FROM joint_questions WHERE digest = ? AND intent_id IS NOT ?",
            .bytes(digest), .bytes(use))
        guard !isElse else {
            return .recordDiffers(sequence: entry.sequence, table: "joint_questions")
        }
        let kept: WaitingJointQuestion?
        do throws(LedgerError) { kept = try keptJointQuestion(digest) } catch {
            guard case .corrupt = error else { throw error }
            return .recordDiffers(sequence: entry.sequence, table: "joint_questions")
        }
        guard let waiting = kept else { return nil }
        // Who was retired by then, and whether it was in time, the entry's own checks look at.
        let check = JointCheck(
            waiting.question, retired: [], acceptsOlder: true,
            at: waiting.question.binding.expires)
        switch waiting.state(by: check) {
        case .approved: return nil
        case .refused: return .deniedByApprover(sequence: entry.sequence)
        case .open: return .unapproved(sequence: entry.sequence)
        }
    }
}
