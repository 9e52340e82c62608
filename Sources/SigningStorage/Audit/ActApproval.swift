// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningFiles

extension GovernedAct {
    /// The SHA-256 of the frame that represents the act in a question.
    package var digest: [UInt8] { Digest.sha256(frame.span) }

    /// The act that an entry records; nil if the entry records none of the governed acts.
    ///
    /// `predecessor` is the hash of the newest entry before it that put a policy in force.
    init?(_ entry: Entry, after predecessor: [UInt8]) {
        switch entry {
        case .attest(let attest):
            self = .policy(
                PolicyChange(
                    hash: attest.policyHash,
                    governance: GovernanceRecord.digest(
                        of: GovernanceRecord.text(attest.governance)), after: predecessor))
        case .export(let export): self = .export(export.key, form: export.form)
        case .thaw(let thaw): self = .thaw(freeze: thaw.freeze ?? [])
        // Only the rules say whether tags need approvers, so the owner's own change is none.
        case .key(let key) where key.approval != nil:
            self = .tags(key.key, from: key.oldTags, to: key.tags)
        default: return nil
        }
    }
}

extension ApprovalEntry {
    /// Whether enough approvers whom the demand names signed a yes to exactly this act.
    ///
    /// `policyHash` is that of the policy in force, and `clock` the time that the clock showed.
    /// With `acceptsOlder`, statements in the form of older versions of this program count too.
    func meets(
        _ demand: ApproverDemand, for act: GovernedAct, _ policyHash: [UInt8],
        at clock: Timestamp, retired: Set<[UInt8]> = [], own: Set<[UInt8]> = [],
        acceptsOlder: Bool = true
    ) -> Bool {
        guard let ownKeys, totals == [act.text], clock <= expires else { return false }
        let counted = Set(demand.counted(besides: ownKeys + own).map(\.key)).subtracting(retired)
        let kinds: [JointStatement] = acceptsOlder ? [.act, .older] : [.act]
        let signed = yeses.map(\.answer).filter { answer in
            counted.contains(answer.publicKey)
                && kinds.contains { kind in
                    let statement = JointAnswer.statement(
                        digest: question, policyHash: policyHash, expires: expires, totals: totals,
                        isYes: true, by: answer.publicKey, of: kind)
                    return Signatures.isValidEd25519(
                        signature: answer.signature.span, message: statement.span,
                        publicKey: answer.publicKey.span)
                }
        }
        return Set(signed.map(\.publicKey)).count >= demand.minimum
    }
}

extension ApprovalEntry {
    /// The keys of the approvers; nil if there are too few, or if one of the approvals does not
    /// count.
    func counted(of question: JointQuestion, at time: Timestamp) -> [[UInt8]]? {
        // The entry gives the name, and the question says which key has that name.
        let answers = yeses.filter { $0.name == question.name(of: $0.publicKey) }.map(\.answer)
        let check = JointCheck(question, retired: [], acceptsOlder: true, at: time)
        guard case .approved(let counted) = question.state(of: answers, by: check),
            counted.count == yeses.count
        else { return nil }
        return counted.map(\.publicKey)
    }
}

extension Access<LedgerError> {
    /// Whether an entry contains the approvals that the policy before it demanded; true if that
    /// policy demanded none.
    ///
    /// `retired` are the approver keys known to have been retired before the entry. `own` are the
    /// approver keys that signing hubs hold; the demand says whether their approvals count.
    func isApproved(
        _ entry: AuditEntry, retired: Set<[UInt8]> = [], own: Set<[UInt8]> = [],
        acceptsOlder: Bool = true
    ) throws(LedgerError) -> Bool {
        guard let content = entry.statedContent else { return false }
        guard let before = try newestEntry(of: .attest, before: entry.sequence),
            let act = GovernedAct(content.entry, after: before.hash)
        else { return true }
        guard let policy = AttestingEntry(before) else { return false }
        guard let demand = policy.governance.demands[act.kind] else { return true }
        if case .thaw(let freeze) = act {
            let newest = try newestEntry(of: .freeze, before: entry.sequence)
            guard let newest, newest.hash == freeze else { return false }
        }
        return content.entry.approval?
            .meets(
                demand, for: act, policy.policyHash, at: content.clock, retired: retired, own: own,
                acceptsOlder: acceptsOlder) ?? false
    }
}

extension JSON {
    /// The bytes of a hexadecimal member; nil if it is absent or malformed.
    func hexBytes(_ name: String) -> [UInt8]? { self[name]?.text.flatMap { try? Hex.decode($0) } }
}
