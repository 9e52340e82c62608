// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto

/// What became of one request, taken out of the record so that it can be checked without it.
package struct Receipt: Hashable, Sendable {
    /// The entry of the intent.
    package let intent: AuditEntry
    /// The entry of its result; nil where there is none.
    package let result: AuditEntry?
    /// What several people were asked; nil where none were.
    package let question: JointQuestion?
    /// What rules see of the keys that were to sign, as far as the vault still had them.
    package let keys: [ReceiptKey]
    /// The public half of the log key that signed.
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

    /// One JSON object, members sorted.
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

    /// SHA-256 of all but the signature.
    fileprivate var digest: [UInt8] { Digest.sha256(JSON.sorted(unsigned).write().span) }

    /// The receipt in such a text; nil where it is anything else.
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
        // There is one way to write it.
        guard self.text.utf8.elementsEqual(text) else { return nil }
    }
}

extension Receipt {
    /// The first thing that does not hold; nil where everything does.
    ///
    /// `logPublicKey` is the one it has to be signed by, and `policy` the policy it has to be
    /// judged by: its hash, and what each of its rules demands of several people.
    package func problem(
        logPublicKey known: [UInt8]? = nil,
        policy: (hash: [UInt8], demands: [ApproverDemand])? = nil
    ) -> String? {
        if let known, known != logPublicKey { return "another log key signed it" }
        guard LogStatement.receipt(digest: digest).isSigned(signature, by: logPublicKey) else {
            return "the log key's signature does not hold"
        }
        guard intent.isIntact, intent.kind == AuditKind.intent.rawValue else {
            return "the entry of the intent is not what its hash says"
        }
        guard let body = try? JSON.parse(Array(intent.body.utf8).span) else {
            return "the entry of the intent cannot be read"
        }
        if let result {
            let read = try? JSON.parse(Array(result.body.utf8).span)
            guard result.isIntact, result.kind == AuditKind.result.rawValue,
                result.sequence > intent.sequence, read?["id"] == body["id"]
            else { return "the entry of the result does not belong to it" }
        }
        if let policy, body["policy"]?.text != Hex.encode(policy.hash.span) {
            return "it was judged by another policy"
        }
        if let limits, limits.contains(where: { $0.after > $0.maximum }) {
            return "more was used than a limit lets"
        }
        guard body["used"] == nil || limits != nil else { return "its limits cannot be read" }
        return peopleProblem(body, policy?.demands)
    }

    /// Asks once more what the approvers' answers come to.
    private func peopleProblem(_ body: JSON, _ demands: [ApproverDemand]?) -> String? {
        let approvers = body["approvers"]
        guard (approvers != nil) == (body["decided_by"]?.text == "approvers") else {
            return "it does not say who approved"
        }
        let rules = Set(body["rules"]?.list?.compactMap(\.text) ?? [])
        let asked = demands?.filter { rules.contains($0.rule) }
        guard let approvers else {
            let isAsked = asked?.isEmpty == false
            return isAsked ? "the policy asks several people, and none said yes" : nil
        }
        guard let question,
            approvers["question"]?.text
                == Hex.encode(
                    JointRecord.digest(of: question).span),
            body["request"]?.text == Hex.encode(question.binding.requestDigest.span),
            body["policy"]?.text == Hex.encode(question.binding.policyHash.span)
        else { return "the question is not the one that was answered" }
        if let asked, asked.sorted(by: { $0.rule < $1.rule }) != question.demands {
            return "the policy asks other people"
        }
        let answers = (approvers["yes"]?.list ?? []).compactMap { yes -> JointAnswer? in
            guard let key = yes["key"]?.text.flatMap({ try? Hex.decode($0) }),
                let signature = yes["signature"]?.text.flatMap({ try? Hex.decode($0) }),
                // The name is what the record says; whose key it is the question does.
                let name = yes["name"]?.text, name == question.name(of: key)
            else { return nil }
            return JointAnswer(publicKey: key, isYes: true, signature: signature)
        }
        let check = JointCheck(question, retired: [], acceptsOlder: true, at: intent.time)
        guard case .approved(let counted) = question.standing(of: answers, by: check),
            counted.count == approvers["yes"]?.list?.count
        else { return "the approvals do not meet what was asked" }
        return nil
    }
}

extension Vault {
    /// Signs a receipt of what the record says; needs an unlocked vault.
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
        let body = try? JSON.parse(Array(intent.body.utf8).span)
        let ids = Set(body?["keys"]?.list?.compactMap(\.text) ?? [])
        do throws(KeyStoreError) {
            return try accounts().filter { ids.contains($0.id.text) }
                .map { ReceiptKey(id: $0.id, name: $0.name, tags: $0.tags) }
        } catch {
            throw .corruptedRecord("accounts")
        }
    }
}
