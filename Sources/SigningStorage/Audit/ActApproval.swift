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
    init?(_ entry: AuditEntry, _ body: JSON, after predecessor: [UInt8]) {
        switch AuditKind(rawValue: entry.kind) {
        case .attest:
            self = .policy(
                PolicyChange(
                    hash: body.hexBytes("policy") ?? [],
                    governance: GovernanceRecord.digest(of: body["governance"]?.write()),
                    after: predecessor))
        case .export:
            self = .export(
                KeyID(body["key"]?.text ?? ""), form: body["form"]?.text ?? "")
        case .thaw: self = .thaw(freeze: body.hexBytes("freeze") ?? [])
        default: return nil
        }
    }
}

/// The approvals of an owner's act, as stored in the entry of the act.
///
/// The entry contains everything that the approvers signed except the hash of the policy that was
/// in force, so that the signatures can be verified later.
struct ActApproval: Hashable, Sendable {
    private let digest: [UInt8]
    private let expires: Timestamp
    private let totals: [String]
    private let ownKeys: [[UInt8]]
    private let answers: [JointAnswer]
    let json: JSON

    init(_ approval: JointApproval, ownKeys: [[UInt8]]) {
        digest = approval.digest
        expires = approval.expires
        totals = approval.totals
        self.ownKeys = ownKeys
        answers = approval.yeses.map(\.answer)
        var members: [String: JSON] = ["own": .array(ownKeys.map { .hex($0) })]
        if case .object(let object) = JSON.approval(approval) {
            for member in object.members { members[member.name] = member.value }
        }
        json = .sorted(members)
    }

    /// Parses the approvals of an entry; nil if they are absent or malformed.
    init?(_ body: JSON) {
        guard let json = body["approvers"], let digest = json.hexBytes("question"),
            let expires = json["expires"]?.integerValue,
            let totals = json["totals"]?.list?.map(\.text), !totals.contains(nil),
            let own = json["own"]?.list, let yes = json["yes"]?.list
        else { return nil }
        self.digest = digest
        self.expires = Timestamp(seconds: expires)
        self.totals = totals.compactMap(\.self)
        ownKeys = own.compactMap { $0.text.flatMap { try? Hex.decode($0) } }
        answers = yes.compactMap { item in
            guard let key = item.hexBytes("key"), let signature = item.hexBytes("signature") else {
                return nil
            }
            return JointAnswer(publicKey: key, isYes: true, signature: signature)
        }
        guard ownKeys.count == own.count, answers.count == yes.count else { return nil }
        self.json = json
    }

    /// Whether enough approvers whom the demand names signed a yes to exactly this act.
    ///
    /// `policyHash` is the hash of the policy in force, and `body` the body of the act's entry.
    /// With `acceptsOlder`, statements in the form of older versions of this program count too.
    func meets(
        _ demand: ApproverDemand, for act: GovernedAct, _ policyHash: [UInt8], _ body: JSON,
        retired: Set<[UInt8]> = [], own: Set<[UInt8]> = [], acceptsOlder: Bool = true
    ) -> Bool {
        guard totals == [act.text], let clock = body["clock"]?.integerValue,
            clock <= expires.seconds
        else { return false }
        let counted = Set(demand.counted(besides: ownKeys + own).map(\.key)).subtracting(retired)
        let kinds: [JointStatement] = acceptsOlder ? [.act, .older] : [.act]
        let signed = answers.filter { answer in
            counted.contains(answer.publicKey)
                && kinds.contains { kind in
                    let statement = JointAnswer.statement(
                        digest: digest, policyHash: policyHash, expires: expires, totals: totals,
                        isYes: true, by: answer.publicKey, of: kind)
                    return Signatures.isValidEd25519(
                        signature: answer.signature.span, message: statement.span,
                        publicKey: answer.publicKey.span)
                }
        }
        return Set(signed.map(\.publicKey)).count >= demand.minimum
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
        guard let body = try? JSON.parse(Array(entry.body.utf8).span),
            body["kind"]?.text == entry.kind
        else { return false }
        guard AuditKind(rawValue: entry.kind)?.isGoverned == true,
            let before = try newestEntry(of: .attest, before: entry.sequence),
            let act = GovernedAct(entry, body, after: before.hash)
        else { return true }
        guard let policy = AttestingEntry(before) else { return false }
        guard let demand = policy.governance.demands[act.kind] else { return true }
        if case .thaw(let freeze) = act {
            let newest = try newestEntry(of: .freeze, before: entry.sequence)
            guard let newest, newest.hash == freeze else { return false }
        }
        return ActApproval(body)?
            .meets(
                demand, for: act, policy.policyHash, body, retired: retired, own: own,
                acceptsOlder: acceptsOlder) ?? false
    }
}

extension AuditKind {
    /// True if entries of this kind can need the consent of several approvers.
    fileprivate var isGoverned: Bool { [.attest, .export, .thaw].contains(self) }
}

extension JSON {
    /// The bytes of a hexadecimal member; nil if it is absent or malformed.
    func hexBytes(_ name: String) -> [UInt8]? { self[name]?.text.flatMap { try? Hex.decode($0) } }
}
