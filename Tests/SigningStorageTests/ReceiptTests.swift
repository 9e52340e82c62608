// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningVault
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage

@Suite("Receipts")
struct ReceiptTests {
    @Test("with any one value changed are invalid")
    func editedReceipt() async throws {
        let rig = try JointRig()
        let question = rig.question()
        var intent = makeIntent(
            claims: [.count(maximum: 10, amount: 2)], rule: "pay", decidedBy: "approvers")
        intent.approval = try await rig.approved(question)
        #expect(rig.refusal(of: intent) == nil)
        try await rig.ledger.settle(intent.id, .done(resultDigests: [[1]]), at: rig.now)
        try rig.ledger.flush()
        let entries = try AuditLog.open(rig.asking.home).entries(limit: 2)
        let receipt = try rig.asking.vault.sealReceipt(of: entries[1], entries[0], question)
        #expect(receipt.problem() == nil)
        let whole = try JSON.parse(Array(receipt.text.utf8).span)
        let edits = whole.edits
        // The edits change entries, their parts, the question, the log key and its signature.
        #expect(edits.count > 12)
        for edit in edits {
            let text = edit.write()
            #expect(text != Array(receipt.text.utf8))
            guard let read = Receipt(text) else { continue }
            #expect(read.problem() != nil, "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("of an owner's acts hold by the policy that asked, and in no other way")
    func acts() async throws {
        let rig = try GovernedRig()
        try rig.ledger.freeze("a", at: rig.now)
        let change = try rig.change(GovernedRig.lax)
        let digest = try await rig.approved(change)
        try rig.attest(GovernedRig.lax, by: digest)
        let log = try AuditLog.open(rig.rig.asking.home)
        let entry = try #require(try log.entries(limit: 1).first)
        let found = try #require(try log.governedAct(entry))
        #expect(found.question == digest)
        let question = try #require(try rig.ledger.jointQuestion(digest)?.question)
        let vault = rig.rig.asking.vault
        let receipt = try vault.sealReceipt(of: entry, under: found.governing, question)
        #expect(receipt.problem() == nil)
        #expect(receipt.problem(logPublicKey: try vault.logPublicKey()) == nil)
        let strict = GoverningPolicy(hash: GovernedRig.strict, rig.governance)
        #expect(receipt.problem(policy: strict) == nil)
        #expect(
            receipt.problem(policy: GoverningPolicy(hash: GovernedRig.strict, .none))
                == "the policy asks other approvers than the entry says")
        #expect(
            receipt.problem(policy: GoverningPolicy(hash: GovernedRig.lax, rig.governance))
                == "it was done under another policy")
        #expect(receipt.problem(logPublicKey: [1]) == "another log key signed it")
        #expect(receipt.approvers == ["alice", "bob"] && receipt.demand?.minimum == 2)
        #expect(ActReceipt(Array(receipt.text.utf8)) == receipt)
        #expect(Receipt(Array(receipt.text.utf8)) == nil)
        let edits = try JSON.parse(Array(receipt.text.utf8).span).edits
        #expect(edits.count > 12)
        for edit in edits {
            guard let read = ActReceipt(edit.write()) else { continue }
            #expect(read.problem() != nil, "\(String(decoding: edit.write(), as: UTF8.self))")
        }
        // The log key signed these, but another entry governed or another question was asked.
        let other = try #require(try log.entries(limit: 2).last)
        #expect(try vault.sealReceipt(of: entry, under: other, question).problem() != nil)
        #expect(try vault.sealReceipt(of: entry, under: entry, question).problem() != nil)
        #expect(
            try vault.sealReceipt(of: found.governing, under: entry, question).problem() != nil)
        let lie = rig.question(change, nonce: 2)
        #expect(
            try vault.sealReceipt(of: entry, under: found.governing, lie).problem()
                == "the approvers answered another question")
        #expect(try log.governedAct(found.governing) == nil)
    }

    @Test("of acts that name an approver whose yes does not count, or other own keys, are invalid")
    func actsWithMore() async throws {
        let forged = [UInt8](repeating: 0, count: 64)
        for attempt in 0..<4 {
            let rig = try GovernedRig()
            let question = rig.question(try rig.change(GovernedRig.lax))
            var answers = [
                try rig.rig.yes(rig.rig.alice, question), try rig.rig.yes(rig.rig.bob, question),
            ]
            if attempt == 1 {
                answers.append(
                    JointAnswer(
                        publicKey: rig.rig.carol.publicKey, isYes: true, signature: forged))
            }
            if attempt == 2 { answers.append(answers[0]) }
            let approval = ApprovalEntry(
                JointApproval(question, answers, digest: JointRecord.digest(of: question)),
                ownKeys: attempt == 3 ? [] : question.ownKeys)
            try rig.forge(GovernedRig.lax, with: approval, in: rig.ledger)
            let log = try AuditLog.open(rig.rig.asking.home)
            let entry = try #require(try log.entries(limit: 1).first)
            let found = try #require(try log.governedAct(entry))
            let receipt = try rig.rig.asking.vault.sealReceipt(
                of: entry, under: found.governing, question)
            #expect((receipt.problem() == nil) == (attempt == 0), "\(attempt)")
            #expect(receipt.approvers == (attempt == 0 ? ["alice", "bob"] : []))
        }
    }

    @Test("that name no approver where the policy asks several people are invalid by it")
    func peopleLeftOut() throws {
        let rig = try JointRig()
        let demands = rig.question().demands
        let rule = try #require(demands.first?.rule)
        for decidedBy in ["person", "grant", "session", "policy"] {
            let intent = makeIntent(
                claims: [.count(maximum: 10, amount: 1)], rule: rule, decidedBy: decidedBy)
            #expect(rig.refusal(of: intent) == nil)
            let entry = try AuditLog.open(rig.asking.home).entries(limit: 1)[0]
            let receipt = try rig.asking.vault.sealReceipt(of: entry, nil, nil)
            let hash = intent.policyHash
            #expect(receipt.problem() == nil)
            #expect(receipt.problem(policy: (hash, [])) == nil)
            #expect(
                receipt.problem(policy: (hash, demands))
                    == "the policy asks approvers, but the receipt has no approval")
        }
    }

    @Test("with an approver under another name do not hold")
    func otherName() async throws {
        let rig = try JointRig()
        let question = rig.question()
        var intent = makeIntent(
            claims: [.count(maximum: 10, amount: 2)], rule: "pay", decidedBy: "approvers")
        intent.approval = try await rig.approved(question)
        #expect(rig.refusal(of: intent) == nil)
        try rig.ledger.flush()
        let entry = try AuditLog.open(rig.asking.home).entries(limit: 1)[0]
        let body = entry.body.replacing(#""name":"alice""#, with: #""name":"the CFO""#)
        #expect(body != entry.body)
        let forged = AuditEntry(
            sequence: 1, time: entry.time, kind: "intent", body: body,
            previousHash: entry.previousHash,
            hash: AuditChain.hash(after: entry.previousHash, sequence: 1, body: Array(body.utf8)))
        #expect(try rig.asking.vault.sealReceipt(of: entry, nil, question).problem() == nil)
        let receipt = try rig.asking.vault.sealReceipt(of: forged, nil, question)
        #expect(receipt.problem() == "the approvals do not meet the policy")
    }

    @Test("report the use of each limit before and after")
    func receiptLimits() throws {
        let rig = try JointRig()
        let vault = rig.asking.vault
        let claims: [LimitClaim] = [
            .count("sum/a", window: 100, maximum: 9, amount: 2),
            .count("sum/a", window: nil, maximum: 50, amount: 2),
        ]
        for _ in 0..<2 { #expect(rig.refusal(of: makeIntent(claims: claims)) == nil) }
        #expect(rig.refusal(of: makeIntent(at: 1_200, claims: claims)) == nil)
        #expect(rig.refusal(of: makeIntent(at: 1_200)) == nil)
        let entries = try AuditLog.open(rig.asking.home).entries(limit: 4)
        func limits(_ place: Int) throws -> [[Int128]]? {
            let receipt = try vault.sealReceipt(of: entries[place], nil, nil)
            #expect(receipt.problem() == nil)
            return receipt.limits?.map { [$0.before, $0.after, $0.maximum] }
        }
        #expect(try limits(3) == [[0, 2, 9], [0, 2, 50]])
        #expect(try limits(2) == [[2, 4, 9], [2, 4, 50]])
        // Uses left the sliding window; a limit without a window still counts them.
        #expect(try limits(1) == [[0, 2, 9], [4, 6, 50]])
        #expect(try limits(0) == [])
        // An entry of an earlier version does not hold the uses, and its receipt is valid.
        let newest = try vault.sealReceipt(of: entries[2], nil, nil)
        let old = newest.intent.body.replacing(#","used":["2","2"]"#, with: "")
        #expect(old != newest.intent.body)
        let entry = AuditEntry(
            sequence: 1, time: newest.intent.time, kind: "intent", body: old,
            previousHash: newest.intent.previousHash,
            hash: AuditChain.hash(
                after: newest.intent.previousHash, sequence: 1, body: Array(old.utf8)))
        let unsaid = try vault.sealReceipt(of: entry, nil, nil)
        #expect(unsaid.problem() == nil && unsaid.limits == nil)
    }
}

extension JSON {
    /// The receipt with each of its values changed in turn.
    fileprivate var edits: [JSON] {
        if let members = object?.members {
            return members.indices.flatMap { place in
                members[place].value.edits.map { edit in
                    var changed = members
                    changed[place] = .init(name: members[place].name, value: edit)
                    return .object(JSONObject(changed))
                }
            }
        }
        if let list {
            return list.indices.flatMap { place in
                list[place].edits.map { edit in
                    var changed = list
                    changed[place] = edit
                    return .array(changed)
                }
            } + [.array(list + ["more"])]
        }
        if let number = integerValue { return [.integer(number + 1)] }
        guard let text else { return [] }
        // Bodies and questions are JSON texts themselves.
        let inside = (try? JSON.parse(Array(text.utf8).span))?.edits ?? []
        let turned = text.hasPrefix("0") ? "1" + text.dropFirst() : "0" + text.dropFirst()
        return [.string(turned), .string("")]
            + inside.map { .string(String(decoding: $0.write(), as: UTF8.self)) }
    }
}
