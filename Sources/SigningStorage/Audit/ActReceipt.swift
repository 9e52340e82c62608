// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningFiles
package import SigningVault

/// A proof of an owner's act and its approvals, exported from the record so that it can be checked
/// without the record.
package struct ActReceipt: Hashable, Sendable {
    /// The entry of the act.
    package let act: AuditEntry
    /// The entry that put the policy in force under which the act was done.
    package let governing: AuditEntry
    /// The question that the approvers answered.
    package let question: JointQuestion
    /// The public key of the log key that signed the receipt.
    package let logPublicKey: [UInt8]
    private let signature: [UInt8]

    private static let kind = "countersign act receipt v1"

    fileprivate init(
        _ act: AuditEntry, _ governing: AuditEntry, _ question: JointQuestion,
        _ logPublicKey: [UInt8], _ signature: [UInt8]
    ) {
        self.act = act
        self.governing = governing
        self.question = question
        self.logPublicKey = logPublicKey
        self.signature = signature
    }

    /// The receipt as one JSON object with sorted members.
    package var text: String {
        var members = unsigned
        members["signature"] = .hex(signature)
        return String(decoding: JSON.sorted(members).write(), as: UTF8.self)
    }

    private var unsigned: [String: JSON] {
        [
            "kind": .string(Self.kind), "act": act.json, "governing": governing.json,
            "question": .string(JointRecord.body(question)), "log_key": .hex(logPublicKey),
        ]
    }

    /// The SHA-256 of everything except the signature.
    fileprivate var digest: [UInt8] { Digest.sha256(JSON.sorted(unsigned).write().span) }

    /// Parses a receipt; nil if the text is not one.
    package init?(_ bytes: [UInt8]) {
        let text = bytes.last == 0x0A ? Array(bytes.dropLast()) : bytes
        guard
            let json = try? JSON.parse(text.span, limits: JSONLimits(bytesMax: Receipt.bytesMax)),
            json["kind"]?.text == Self.kind,
            let act = json["act"].flatMap({ AuditEntry(json: $0) }),
            let governing = json["governing"].flatMap({ AuditEntry(json: $0) }),
            let asked = json["question"]?.text,
            let question = JointRecord.question(Array(asked.utf8)),
            let key = json.hexBytes("log_key"), let signature = json.hexBytes("signature")
        else { return nil }
        self.init(act, governing, question, key, signature)
        // Accepts only the canonical form.
        guard self.text.utf8.elementsEqual(text) else { return nil }
    }
}

extension ActReceipt {
    /// The demand for approvers; nil if the governing policy has none for such acts.
    package var demand: ApproverDemand? {
        guard let policy = AttestingEntry(governing), let act = governed else { return nil }
        return policy.governance.demands[act.kind]
    }

    /// The names of the approvers whose approvals count; empty if the approvals are not valid.
    package var approvers: [String] {
        (counted ?? []).compactMap { question.name(of: $0) }.sorted()
    }

    /// The keys of the approvers; nil if there are too few, or if one of the approvals does not
    /// count.
    private var counted: [[UInt8]]? {
        guard let content = act.content, let approval = content.entry.approval,
            question.isOfOneKind, approval.expires == question.binding.expires,
            approval.ownKeys == question.ownKeys
        else { return nil }
        return approval.counted(of: question, at: content.clock)
    }

    private var governed: GovernedAct? {
        act.change.flatMap { GovernedAct($0, after: governing.hash) }
    }

    /// The first problem; nil if the receipt is valid.
    ///
    /// `logPublicKey` is the expected log key, `policy` the expected policy. The receipt contains
    /// no entries between that of the policy and that of the act: only the signature of the log
    /// key assures that no other policy was put in force between them.
    package func problem(
        logPublicKey known: [UInt8]? = nil, policy knownPolicy: GoverningPolicy? = nil
    ) -> String? {
        if let known, known != logPublicKey { return "another log key signed it" }
        guard LogStatement.receipt(digest: digest).isSigned(signature, by: logPublicKey) else {
            return "the signature of the log key is wrong"
        }
        guard act.isIntact, let content = act.statedContent, let governed else {
            return "the entry of the act does not match its hash"
        }
        guard governing.sequence < act.sequence, let policy = AttestingEntry(governing),
            policy.isSigned(by: logPublicKey)
        else { return "the entry of the policy is not an entry that puts a policy in force" }
        if let knownPolicy, knownPolicy.hash != policy.policyHash {
            return "it was done under another policy"
        }
        if let knownPolicy, knownPolicy.governance != policy.governance {
            return "the policy asks other approvers than the entry says"
        }
        guard let demand = policy.governance.demands[governed.kind] else {
            return "the policy does not ask approvers about this act"
        }
        let approval = content.entry.approval
        guard approval?.question == JointRecord.digest(of: question),
            question.totals == [governed.text], question.binding.policyHash == policy.policyHash,
            question.demands.contains(demand)
        else { return "the approvers answered another question" }
        guard counted != nil,
            approval?.meets(demand, for: governed, policy.policyHash, at: content.clock) == true
        else { return "the approvals do not meet the policy" }
        return nil
    }
}

extension AuditLog {
    /// For the entry of an act with approvals: the entry of the policy in force, and the digest of
    /// the question to the approvers.
    ///
    /// Nil for other entries.
    package func governedAct(
        _ entry: AuditEntry
    ) throws(LedgerError) -> (governing: AuditEntry, question: [UInt8])? {
        try counting { access throws(LedgerError) in
            guard let change = entry.change, let question = change.approval?.question,
                let before = try access.newestEntry(of: .attest, before: entry.sequence),
                GovernedAct(change, after: before.hash) != nil
            else { return nil }
            return (before, question)
        }
    }
}

extension Vault {
    /// Makes a receipt of an act and signs it with the log key; needs an unlocked vault.
    package func sealReceipt(
        of act: AuditEntry, under governing: AuditEntry, _ question: JointQuestion
    ) throws(VaultError) -> ActReceipt {
        let key = try openLogKey()
        let unsigned = ActReceipt(act, governing, question, key.publicKey, [])
        do throws(LedgerError) {
            let signature = try LogStatement.receipt(digest: unsigned.digest).signed(by: key)
            return ActReceipt(act, governing, question, key.publicKey, signature)
        } catch {
            throw .corruptedRecord("log key")
        }
    }
}
