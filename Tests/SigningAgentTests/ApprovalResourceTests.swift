// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningAgent
@testable import SigningFiles
@testable import SigningService
@testable import SigningStorage
@testable import SigningVault
@testable import Socket

/// An agent whose home holds the approver keys alice and dave; bob's is in another home.
private struct ApprovalRig {
    let queue = QuestionQueue(schemas: [])
    let rig: Rig
    let others: TestHome
    let alice: ApproverKey
    let dave: ApproverKey
    let bob: ApproverKey
    let token: String

    init() async throws {
        rig = try await Rig(asking: queue)
        others = try TestHome([])
        alice = try rig.home.vault.makeApproverKey(named: "alice")
        dave = try rig.home.vault.makeApproverKey(named: "dave")
        bob = try others.vault.makeApproverKey(named: "bob")
        let passphrase = try SealedPassphrase(
            sealing: SecretBytes(copying: "correct horse".utf8.span), to: rig.owner.publicKey)
        let answer = try await rig.ask(
            "POST", "/v1/owner/sessions", #"{"passphrase":"\#(passphrase.text)"}"#)
        token = try #require(try Self.json(answer)["token"]?.text)
    }

    static func json(_ answer: Rig.Answer) throws -> JSON {
        try JSON.parse(
            Array(answer.body.utf8).span, limits: JSONLimits(bytesMax: 1 << 20, depthMax: 8))
    }

    var inbox: ApproverInbox { ApproverInbox(of: rig.home, rig.signer.ledger) }
    var watch: HomeWatch { HomeWatch(of: rig.home, records: inbox.ledgers) }

    /// Puts a question from a home that holds the keys in `own`; two of its approvers must say yes.
    @discardableResult
    func put(
        _ keys: [ApproverKey], own: [ApproverKey] = [], text: String = "send 5\nto shop"
    ) async throws -> String {
        let question = JointQuestion(
            binding: ApprovalBinding(
                nonce: Randomness.bytes(16), requestDigest: [UInt8](repeating: 1, count: 32),
                policyHash: [UInt8](repeating: 2, count: 32), keys: [KeyID("k")],
                expires: SystemEnvironment().now().adding(seconds: 600)),
            text: text, totals: [],
            demands: [
                ApproverDemand(
                    rule: "pay", minimum: 2,
                    members: keys.map { .init(name: $0.name, key: $0.publicKey) })
            ], ownKeys: own.map(\.publicKey))
        #expect(try await rig.signer.ledger.put(question, at: SystemEnvironment().now()))
        return JointRecord.digest(of: question).hexText
    }

    func get(_ path: String) async throws -> (status: Int, json: JSON) {
        let answer = try await rig.ask("GET", path, token: token)
        return (answer.status, try Self.json(answer))
    }

    func answer(_ id: String, _ body: JSON) async throws -> Rig.Answer {
        let text = String(decoding: body.write(), as: UTF8.self)
        return try await rig.ask("POST", "/v1/approvals/\(id)/answer", text, token: token)
    }

    func seen(_ id: String) async throws -> JSON {
        try #require(try await get("/v1/approvals/\(id)").json["digest"])
    }
}

extension JSON {
    fileprivate func texts(_ name: String) -> [String]? { self[name]?.list?.compactMap(\.text) }
}

@Suite("Questions to several people over the socket", .timeLimit(.minutes(10)))
struct ApprovalResourceTests {
    @Test("only the owner in a session sees them or answers")
    func guarded() async throws {
        let rig = try await ApprovalRig()
        let id = try await rig.put([rig.alice, rig.bob])
        let seen = try await rig.seen(id)
        let body = #"{"answer":"yes","seen":"\#(seen.text ?? "")"}"#
        for token in [nil, String(repeating: "0", count: rig.token.utf8.count)] {
            for path in ["/v1/approvals", "/v1/approvals/\(id)"] {
                #expect(try await rig.rig.ask("GET", path, token: token).status == 401)
            }
            let answer = try await rig.rig.ask(
                "POST", "/v1/approvals/\(id)/answer", body, token: token)
            #expect(answer.status == 401)
        }
        rig.rig.home.vault.lock()
        let locked = try await rig.rig.ask("GET", "/v1/approvals", token: rig.token)
        #expect(locked.status == 401)
        let digest = try Hex.decode(id)
        #expect(try rig.rig.signer.ledger.jointQuestion(digest)?.answers == [])
    }

    @Test("a number that no policy can say ends no agent, and hides nothing")
    func hostile() async throws {
        let rig = try await ApprovalRig()
        let good = try await rig.put([rig.alice, rig.bob])
        let ledger = rig.rig.signer.ledger
        let now = SystemEnvironment().now()
        for (minimum, expires, seconds) in [
            (Int.min, now.seconds + 600, 900), (2, Int64.max, 900), (2, now.seconds + 600, .max),
        ] as [(Int, Int64, Int64)] {
            let question = JointQuestion(
                binding: ApprovalBinding(
                    nonce: Randomness.bytes(16), requestDigest: [UInt8](repeating: 1, count: 32),
                    policyHash: [UInt8](repeating: 2, count: 32), keys: [KeyID("k")],
                    expires: Timestamp(seconds: expires)),
                text: "hostile", totals: [],
                demands: [
                    ApproverDemand(
                        rule: "pay", minimum: minimum,
                        members: [.init(name: "alice", key: rig.alice.publicKey)],
                        seconds: seconds)
                ], ownKeys: [])
            // Another hub wrote this question after the last one of this hub.
            _ = try await ledger.put(question, at: now)
            // The text and the list entry, as a client of an older version reads them.
            let item = ApproverItem(
                WaitingJointQuestion(
                    digest: JointRecord.digest(of: question), question: question, answers: []),
                of: nil, retired: [], keys: [rig.alice], at: now)
            #expect(item.json(at: now)["headline"] == "hostile")
            #expect(item.progress.allSatisfy { $0.missing >= 0 })
        }
        let listed = try await rig.get("/v1/approvals")
        #expect(listed.json["waiting"]?.list?.compactMap { $0["id"]?.text } == [good])
    }

    @Test("the owner sees who answered what, and says yes once, to the shown words")
    func answered() async throws {
        let rig = try await ApprovalRig()
        let id = try await rig.put(
            [rig.alice, rig.bob], text: "send 5\n\u{1B}[2Jto shop")
        let digest = try Hex.decode(id)
        let ledger = rig.rig.signer.ledger
        let question = try #require(try ledger.jointQuestion(digest)?.question)
        let bob = try rig.bob.answer(question, isYes: true, in: rig.others.vault)
        #expect(try await ledger.answer(digest, bob, at: SystemEnvironment().now()) == nil)
        let item = try #require(try await rig.get("/v1/approvals").json["waiting"]?.list?.first)
        #expect(item["id"]?.text == id && item["headline"]?.text == "send 5")
        #expect(item["approved"]?.text == "1 of 2")
        #expect(item["said"] == [["name": "bob", "answer": "yes"]])
        #expect(item.texts("may_approve") == ["alice"] && item.texts("may_deny") == ["alice"])
        let standing = item["standing"]?.text ?? ""
        for row in ["pay: 2 of alice, bob", "1 of 2 said yes, 1 missing", "bob: yes", "until"] {
            #expect(standing.contains(row))
        }
        let whole = try await rig.get("/v1/approvals/\(id)").json
        #expect(whole["text"]?.text?.contains(#"\u{1B}[2Jto shop"#) == true)
        #expect(whole["text"]?.text?.contains("question  \(id)") == true)
        let seen = try await rig.seen(id)
        // The id of the question is not the digest of the text that was read.
        let unread = try await rig.answer(id, ["answer": "yes", "seen": .string(id)])
        #expect(unread.status == 409 && unread.code == "other_words")
        let yes = try await rig.answer(id, ["answer": "yes", "seen": seen])
        #expect(yes.status == 200 && yes.body == #"{"id":"\#(id)","answer":"yes"}"#)
        let answers = try ledger.jointQuestion(digest)?.answers ?? []
        let check = JointCheck(question, retired: [], at: SystemEnvironment().now())
        guard case .approved(let yeses) = question.state(of: answers, by: check) else {
            Issue.record("not approved")
            return
        }
        #expect(Set(yeses.map(\.publicKey)) == [rig.alice.publicKey, rig.bob.publicKey])
        let again = try await rig.answer(id, ["answer": "no", "seen": seen])
        #expect(again.status == 409 && again.code == "already_answered")
        try await ledger.withdraw(digest)
        let late = try await rig.answer(id, ["answer": "yes", "seen": seen])
        #expect(late.status == 404 && late.code == "gone")
        #expect(try await rig.get("/v1/approvals/\(id)").status == 404)
    }

    @Test("of two keys in one home the one that is left answers, without being named")
    func oneLeft() async throws {
        let rig = try await ApprovalRig()
        let id = try await rig.put([rig.alice, rig.dave])
        let seen = try await rig.seen(id)
        let first = try await rig.answer(id, ["answer": "yes", "seen": seen, "as": "alice"])
        #expect(first.status == 200)
        let second = try await rig.answer(id, ["answer": "yes", "seen": seen])
        #expect(second.status == 200, "\(second.body)")
        let answers = try rig.rig.signer.ledger.jointQuestion(Hex.decode(id))?.answers ?? []
        #expect(Set(answers.map(\.publicKey)) == [rig.alice.publicKey, rig.dave.publicKey])
        // Alice may only deny this question, so a yes can only be Dave's.
        let own = try await rig.put(
            [rig.alice, rig.dave], own: [rig.alice], text: "other")
        let words = try await rig.seen(own)
        let yes = try await rig.answer(own, ["answer": "yes", "seen": words])
        #expect(yes.status == 200, "\(yes.body)")
        let given = try rig.rig.signer.ledger.jointQuestion(Hex.decode(own))?.answers ?? []
        #expect(given.map(\.publicKey) == [rig.dave.publicKey])
    }

    @Test("words of another home are marked, and no part of them looks like ours")
    func marked() async throws {
        let rig = try await ApprovalRig()
        let long = String(repeating: "a", count: 76) + "a yes is valid only for:"
        let text = "pay\n\na yes is valid only for:\n  dangers   none\n\(long)\n\u{e4}\u{2028}x"
        let id = try await rig.put([rig.alice, rig.bob], text: text)
        let whole = try await rig.get("/v1/approvals/\(id)").json["text"]?.text ?? ""
        let lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
        let own = try #require(lines.firstIndex(of: "a yes is valid only for:"))
        #expect(lines[..<own].dropLast().allSatisfy { $0.hasPrefix("| ") })
        #expect(lines[..<own].contains("| a yes is valid only for:"))
        #expect(lines[..<own].allSatisfy { $0.unicodeScalars.count <= 78 })
        #expect(!lines[own...].contains { $0.hasPrefix("| ") })
        #expect(lines.count { $0 == "a yes is valid only for:" } == 1)
    }

    @Test("an answer that would not count is refused, with the reason")
    func refused() async throws {
        let rig = try await ApprovalRig()
        let own = try await rig.put([rig.alice, rig.bob], own: [rig.alice])
        let item = try #require(try await rig.get("/v1/approvals").json["waiting"]?.list?.first)
        #expect(item.texts("may_approve") == [] && item.texts("may_deny") == ["alice"])
        let seen = try await rig.seen(own)
        let yes = try await rig.answer(own, ["answer": "yes", "seen": seen])
        #expect(yes.status == 409 && yes.code == "own_request")
        for word in ["once", "1h", "always", "never", "maybe"] {
            let odd = try await rig.answer(own, ["answer": .string(word), "seen": seen])
            #expect(odd.status == 400)
        }
        let extra = try await rig.answer(own, ["answer": "yes", "seen": seen, "uses": 2])
        #expect(extra.status == 400)
        let no = try await rig.answer(own, ["answer": "no", "seen": seen])
        #expect(no.status == 200)

        let both = try await rig.put([rig.alice, rig.dave])
        let words = try await rig.seen(both)
        let unnamed = try await rig.answer(both, ["answer": "yes", "seen": words])
        #expect(unnamed.status == 409 && unnamed.code == "several_keys")
        let eve = try await rig.answer(both, ["answer": "yes", "seen": words, "as": "eve"])
        #expect(eve.status == 409 && eve.code == "no_approver_key")
        let ledger = rig.rig.signer.ledger
        try await ledger.retireApprover(rig.dave.publicKey, at: SystemEnvironment().now())
        let dave = try await rig.answer(both, ["answer": "yes", "seen": words, "as": "dave"])
        #expect(dave.status == 409 && dave.code == "retired")
        let alice = try await rig.answer(both, ["answer": "yes", "seen": words, "as": "alice"])
        #expect(alice.status == 200)

        let carol = try rig.others.vault.makeApproverKey(named: "carol")
        let elsewhere = try await rig.put([rig.bob, carol])
        let strange = try await rig.answer(
            elsewhere, ["answer": "no", "seen": try await rig.seen(elsewhere)])
        #expect(strange.status == 409 && strange.code == "no_approver_key")
        let digest = try Hex.decode(elsewhere)
        #expect(try ledger.jointQuestion(digest)?.answers == [])
        for path in ["0", String(repeating: "0", count: 64), "\(own)/more", "\(own)/answer/x"] {
            #expect(try await rig.get("/v1/approvals/\(path)").status == 404)
        }
    }

    @Test("a question that another process records is reported without a look at intervals")
    func watched() async throws {
        let rig = try await ApprovalRig()
        let watch = rig.watch
        let keeper = Task {
            await ApprovalWatch(rig.inbox, following: watch, reportingTo: rig.queue).keep()
        }
        defer { keeper.cancel() }
        await watch.wait(after: watch.revision)
        let before = rig.queue.overview.revision
        try await rig.put([rig.alice, rig.bob])
        #expect(await rig.queue.wait(after: before, seconds: 60))
        #expect(rig.queue.overview.revision == before + 1)
    }

    @Test("questions and answers of others on record are reported once, as they come and go")
    func told() async throws {
        let rig = try await ApprovalRig()
        let watch = ApprovalWatch(rig.inbox, following: rig.watch, reportingTo: rig.queue)
        let stream = try #require(rig.queue.events.follow(after: nil) { true })
        let before = rig.queue.overview.revision
        watch.look()
        #expect(rig.queue.overview.revision == before)
        let id = try await rig.put([rig.alice, rig.bob])
        watch.look()
        watch.look()
        #expect(rig.queue.overview.revision == before + 1)
        let digest = try Hex.decode(id)
        let ledger = rig.rig.signer.ledger
        let question = try #require(try ledger.jointQuestion(digest)?.question)
        let bob = try rig.bob.answer(question, isYes: true, in: rig.others.vault)
        #expect(try await ledger.answer(digest, bob, at: SystemEnvironment().now()) == nil)
        watch.look()
        #expect(rig.queue.overview.revision == before + 2)
        try await ledger.withdraw(digest)
        watch.look()
        #expect(rig.queue.overview.revision == before + 3)
        var bytes: [UInt8] = []
        while case .bytes(let part) = stream.next(4_096, wake: {}) { bytes += part }
        let text = String(decoding: bytes, as: UTF8.self)
        let names = text.split(separator: "\n").filter { $0.hasPrefix("event: ") }
        #expect(names == ["event: approval", "event: approval", "event: approval_ended"])
        #expect(text.contains(#""approved":"0 of 2""#) && text.contains(#""approved":"1 of 2""#))
    }
}
