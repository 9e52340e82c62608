// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningFiles
package import SigningVault

/// A proof of one request's outcome, exported from the record so that it can be checked without the
/// record.
package struct Receipt: Hashable, Sendable {
    /// The entry of the request's intent.
    package let intent: AuditEntry
    /// The entry of the result; nil if the request has no result on record.
    package let result: AuditEntry?
    /// The question to the approvers; nil if they were not asked.
    package let question: JointQuestion?
    /// The keys of the request with their names and tags, except keys that the vault did not have
    /// any more when the receipt was made.
    package let keys: [ReceiptKey]
    /// The public key of the log key that signed the receipt.
    package let logPublicKey: [UInt8]
    private let signature: [UInt8]

    /// The longest file that is read, in bytes.
    package static let bytesMax = 4 << 20
    private static let kind = "countersign receipt v1"

    fileprivate init(
        _ intent: AuditEntry, _ result: AuditEntry?, _ question: JointQuestion?,
        _ keys: [ReceiptKey], _ logPublicKey: [UInt8], _ signature: [UInt8]
    ) {
        self.intent = intent
        self.result = result
        self.question = question
        self.keys = keys
        self.logPublicKey = logPublicKey
        self.signature = signature
    }

    /// The receipt as one JSON object with sorted members.
    package var text: String {
        var members = unsigned
        members["signature"] = .string(Hex.encode(signature.span))
        return String(decoding: JSON.sorted(members).write(), as: UTF8.self)
    }

    private var unsigned: [String: JSON] {
        [
            "kind": .string(Self.kind), "intent": intent.json,
            "result": result.map(\.json) ?? .null,
            "question": question.map { .string(JointRecord.body($0)) } ?? .null,
            "keys": .array(keys.map(\.json)),
            "log_key": .string(Hex.encode(logPublicKey.span)),
        ]
    }

    /// The SHA-256 of everything except the signature.
    fileprivate var digest: [UInt8] { Digest.sha256(JSON.sorted(unsigned).write().span) }

    /// Parses a receipt; nil if the text is not one.
    package init?(_ bytes: [UInt8]) {
        let text = bytes.last == 0x0A ? Array(bytes.dropLast()) : bytes
        guard let json = try? JSON.parse(text.span, limits: JSONLimits(bytesMax: Self.bytesMax)),
            json["kind"]?.text == Self.kind,
            let intent = json["intent"].flatMap({ AuditEntry(json: $0) }),
            let written = json["result"], let asked = json["question"],
            let keys = json["keys"]?.list?.compactMap({ ReceiptKey($0) }),
            let key = json["log_key"]?.text.flatMap({ try? Hex.decode($0) }),
            let signature = json["signature"]?.text.flatMap({ try? Hex.decode($0) })
        else { return nil }
        let question = asked.text.flatMap { JointRecord.question(Array($0.utf8)) }
        self.init(intent, AuditEntry(json: written), question, keys, key, signature)
        // Accepts only the canonical form.
        guard self.text.utf8.elementsEqual(text) else { return nil }
    }
}

extension Receipt {
    /// The first problem; nil if the receipt is valid.
    ///
    /// `logPublicKey` is the expected log key. `policy` is the expected policy: its hash, and each
    /// rule's demand for approvers.
    package func problem(
        logPublicKey known: [UInt8]? = nil,
        policy: (hash: [UInt8], demands: [ApproverDemand])? = nil
    ) -> String? {
        if let known, known != logPublicKey { return "another log key signed it" }
        guard LogStatement.receipt(digest: digest).isSigned(signature, by: logPublicKey) else {
            return "the signature of the log key is wrong"
        }
        guard intent.isIntact, intent.kind == AuditKind.intent.rawValue else {
            return "the entry of the request does not match its hash"
        }
        guard case .intent(let stated)? = intent.change else {
            return "the entry of the request cannot be read"
        }
        if let result {
            guard result.isIntact, case .result(let end)? = result.change,
                result.sequence > intent.sequence, end.id == stated.id
            else { return "the entry of the result does not belong to the request" }
        }
        if let policy, stated.request.policyHash != policy.hash {
            return "the request was judged by another policy"
        }
        if let limits, limits.contains(where: { $0.after > $0.maximum }) {
            return "a limit was exceeded"
        }
        guard stated.used.isEmpty || limits != nil else {
            return "the limits of the receipt cannot be read"
        }
        return peopleProblem(stated, policy?.demands)
    }

    /// The first problem with the approvals; nil if they are valid, or neither present nor needed.
    private func peopleProblem(
        _ stated: IntentEntry, _ demands: [ApproverDemand]?
    ) -> String? {
        guard (stated.approval != nil) == (stated.decidedBy == "approvers") else {
            return "the receipt does not say who approved"
        }
        let asked = demands?.filter { stated.rules.contains($0.rule) }
        guard let approval = stated.approval else {
            let isAsked = asked?.isEmpty == false
            return isAsked ? "the policy asks approvers, but the receipt has no approval" : nil
        }
        guard let question, approval.question == JointRecord.digest(of: question),
            stated.request.requestDigest == question.binding.requestDigest,
            stated.request.policyHash == question.binding.policyHash
        else { return "the approvers answered another question" }
        if let asked, asked.sorted(by: { $0.rule < $1.rule }) != question.demands {
            return "the policy asks other approvers"
        }
        return approval.counted(of: question, at: intent.time) == nil
            ? "the approvals do not meet the policy" : nil
    }
}

extension Vault {
    /// Makes a receipt of recorded entries and signs it with the log key; needs an unlocked vault.
    package func sealReceipt(
        of intent: AuditEntry, _ result: AuditEntry?, _ question: JointQuestion?
    ) throws(VaultError) -> Receipt {
        let key = try openLogKey()
        let keys = try receiptKeys(of: intent)
        let unsigned = Receipt(intent, result, question, keys, key.publicKey, [])
        do throws(LedgerError) {
            let signature = try LogStatement.receipt(digest: unsigned.digest).signed(by: key)
            return Receipt(intent, result, question, keys, key.publicKey, signature)
        } catch {
            throw .corruptedRecord("log key")
        }
    }

    private func receiptKeys(of intent: AuditEntry) throws(VaultError) -> [ReceiptKey] {
        var ids: Set<KeyID> = []
        if case .intent(let stated)? = intent.change { ids = Set(stated.request.keys ?? []) }
        do throws(KeyStoreError) {
            return try accounts().filter { ids.contains($0.id) }
                .map { ReceiptKey(id: $0.id, name: $0.name, tags: $0.tags) }
        } catch {
            throw .corruptedRecord("accounts")
        }
    }
}
