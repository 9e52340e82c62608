// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage
import SigningVault
import Testing

@testable import SigningAgent

/// An agent whose questions are answered only over its socket.
private struct QueueRig {
    let queue: QuestionQueue
    let rig: Rig

    init() async throws {
        queue = QuestionQueue(schemas: [])
        rig = try await Rig(asking: queue)
    }

    func session() async throws -> String {
        let passphrase = try SealedPassphrase(
            sealing: SecretBytes(copying: "correct horse".utf8.span), to: rig.owner.publicKey)
        let answer = try await rig.ask(
            "POST", "/v1/owner/sessions", #"{"passphrase":"\#(passphrase.text)"}"#)
        #expect(answer.status == 201)
        return try #require(json(answer)["token"]?.text)
    }

    func json(_ answer: Rig.Answer) throws -> JSON {
        try JSON.parse(
            Array(answer.body.utf8).span, limits: JSONLimits(bytesMax: 1 << 20, depthMax: 8))
    }

    /// Submits a request that needs a question; returns its path.
    func submit() async throws -> String {
        let pending = try await rig.post(kind: 4, waitSeconds: 0)
        #expect(pending.state == "pending")
        return pending.place
    }

    func waiting(_ token: String) async throws -> [JSON] {
        let list = try await rig.ask("GET", "/v1/questions", token: token)
        #expect(list.status == 200)
        return try json(list)["waiting"]?.list ?? []
    }

    func one(_ token: String) async throws -> (id: String, digest: String) {
        while true {
            if let id = try await waiting(token).first?["id"]?.text {
                let whole = try json(try await rig.ask("GET", "/v1/questions/\(id)", token: token))
                return (id, try #require(whole["digest"]?.text))
            }
        }
    }

    func answer(
        _ id: String, _ word: String, seen: String, token: String?
    ) async throws -> Rig.Answer {
        try await rig.ask(
            "POST", "/v1/questions/\(id)/answer", #"{"answer":"\#(word)","seen":"\#(seen)"}"#,
            token: token)
    }

    func end(of place: String) async throws -> Rig.Answer {
        try await rig.ask("GET", "\(place)?wait_seconds=60")
    }
}

@Suite("Questions over the socket", .timeLimit(.minutes(10)))
struct QuestionResourceTests {
    @Test("the owner sees a waiting question and decides it, once, in the shown words")
    func decided() async throws {
        let queue = try await QueueRig()
        let token = try await queue.session()
        let place = try await queue.submit()
        let (id, digest) = try await queue.one(token)
        let whole = try queue.json(
            try await queue.rig.ask("GET", "/v1/questions/\(id)", token: token))
        let text = try #require(whole["text"]?.text)
        #expect(text.contains("hello") && text.contains("curl\""))
        #expect(HeldQuestion.digest(of: text) == digest)
        #expect(whole["client"]?["described"]?["program"]?.text?.hasSuffix("curl") == true)
        #expect(whole["client"]?["proved"]?["user_id"]?.integerValue == Int64(getuid()))
        let details = try queue.json(
            try await queue.rig.ask("GET", "/v1/questions/\(id)/details", token: token))
        #expect(details["text"]?.text?.contains("sha256") == true)
        let other = HeldQuestion.digest(of: "other words")
        let swapped = try await queue.answer(id, "once", seen: other, token: token)
        #expect(swapped.status == 409 && swapped.code == "other_words")
        let done = try await queue.answer(id, "once", seen: digest, token: token)
        #expect(done.status == 200)
        #expect(try await queue.end(of: place).state == "done")
        let again = try await queue.answer(id, "no", seen: digest, token: token)
        #expect(again.status == 409 && again.code == "already_answered")
        let list = try queue.json(
            try await queue.rig.ask("GET", "/v1/questions", token: token))
        #expect(list["ended"]?.list?.first?["ending"]?.text == "once")
        try await queue.rig.stop()
    }

    @Test("a yes to a request of a frozen home is reported as without effect")
    func void() async throws {
        let queue = try await QueueRig()
        let token = try await queue.session()
        let place = try await queue.submit()
        let (id, digest) = try await queue.one(token)
        try queue.rig.signer.ledger.freeze("holiday", at: SystemEnvironment().now())
        let answered = try await queue.answer(id, "once", seen: digest, token: token)
        #expect(answered.status == 409 && answered.code == "void")
        #expect(answered.body.contains("all signing is frozen; allow it again with"))
        #expect(try await queue.end(of: place).code == "frozen")
        // A request that comes during the freeze reaches no person.
        let unasked = try await queue.rig.post(kind: 4)
        #expect(unasked.code == "frozen" && unasked.body.contains("countersign thaw"))
        #expect(try await queue.waiting(token).isEmpty)
        // During a freeze a no still counts.
        try queue.rig.signer.ledger.thaw(
            at: SystemEnvironment().now(), signedBy: queue.rig.home.vault.openLogKey())
        let second = try await queue.submit()
        let (other, seen) = try await queue.one(token)
        try queue.rig.signer.ledger.freeze("again", at: SystemEnvironment().now())
        #expect(try await queue.answer(other, "no", seen: seen, token: token).status == 200)
        #expect(try await queue.end(of: second).code == "person_denied")
        try await queue.rig.stop()
    }

    @Test("a no denies; a withdrawn or unknown question cannot be answered")
    func refused() async throws {
        let queue = try await QueueRig()
        let token = try await queue.session()
        let place = try await queue.submit()
        let (id, digest) = try await queue.one(token)
        #expect(try await queue.answer(id, "no", seen: digest, token: token).status == 200)
        #expect(try await queue.end(of: place).code == "person_denied")
        let gone = try await queue.submit()
        let (second, seen) = try await queue.one(token)
        #expect(try await queue.rig.ask("DELETE", gone).code == "withdrawn")
        let late = try await queue.answer(second, "once", seen: seen, token: token)
        #expect(late.status == 410 && late.code == "withdrawn")
        let unknown = String(repeating: "0", count: 32)
        #expect(try await queue.answer(unknown, "once", seen: seen, token: token).status == 404)
        #expect(try await queue.rig.ask("GET", "/v1/questions/x/y", token: token).status == 404)
        #expect(try await queue.rig.ask("PUT", "/v1/questions", token: token).status == 405)
        let query = try await queue.rig.ask("GET", "/v1/questions?after=-1", token: token)
        #expect(query.status == 400 && query.code == "bad_query")
        try await queue.rig.stop()
    }

    @Test("a client cannot approve its own request, nor see the question")
    func ownAnswer() async throws {
        let queue = try await QueueRig()
        let owner = try await queue.session()
        let place = try await queue.submit()
        let (id, digest) = try await queue.one(owner)
        let closed = try await queue.session()
        #expect(
            try await queue.rig.ask("DELETE", "/v1/owner/sessions", token: closed).status == 200)
        let guess = String(repeating: "0", count: 64)
        for token in [nil, guess, closed, String(owner.dropLast()), owner.uppercased() + "0"] {
            for path in ["", "/\(id)", "/\(id)/details", "/nothing"] {
                let seen = try await queue.rig.ask("GET", "/v1/questions\(path)", token: token)
                #expect(seen.status == 401 && seen.code == "owner_session_needed")
            }
            let said = try await queue.answer(id, "once", seen: digest, token: token)
            #expect(said.status == 401)
        }
        #expect(try await queue.rig.ask("DELETE", "/v1/owner/sessions").status == 401)
        // The right to lock gives a token no other right.
        #expect(try await queue.rig.ask("POST", "/v1/lock").state == "locked")
        let locked = try await queue.answer(id, "once", seen: digest, token: owner)
        #expect(locked.status == 401)
        try queue.rig.signer.unlock(passphrase: SecretBytes(copying: "correct horse".utf8.span))
        #expect(try await queue.answer(id, "once", seen: digest, token: owner).status == 401)
        let fresh = try await queue.session()
        #expect(try await queue.answer(id, "no", seen: digest, token: fresh).status == 200)
        #expect(try await queue.end(of: place).code == "person_denied")
        try await queue.rig.stop()
    }

    @Test(
        "a yes to a partly shown question names the digest of the details; a no need not"
    )
    func cut() async throws {
        let queue = try await QueueRig()
        let token = try await queue.session()
        for (word, code) in [("once", "details_not_seen"), ("no", nil)] {
            let long = String(repeating: "a", count: 3_000) + "END"
            let frame =
                "nostrsigner://sign_event?type=sign_event&x-success=app://ok"
                + "&event=%7B%22kind%22%3A4%2C%22content%22%3A%22\(long)%22%7D"
            _ = try await queue.rig.ask(
                "POST", "/v1/requests", #"{"frame":"\#(frame)","wait_seconds":0}"#)
            let (id, digest) = try await queue.one(token)
            let details = try queue.json(
                try await queue.rig.ask("GET", "/v1/questions/\(id)/details", token: token))
            let text = try #require(details["text"]?.text)
            #expect(text.contains("END"))
            #expect(HeldQuestion.digest(of: text) == details["digest"]?.text)
            let said = try await queue.answer(id, word, seen: digest, token: token)
            #expect(said.code == code)
            guard code != nil else { continue }
            let whole = HeldQuestion.digest(of: text)
            #expect(try await queue.answer(id, word, seen: whole, token: token).status == 200)
        }
        try await queue.rig.stop()
    }

    @Test("only the sealed passphrase opens a session, and wrong ones are slowed down")
    func opening() async throws {
        let queue = try await QueueRig()
        let path = "/v1/owner/sessions"
        for body in [#"{"passphrase":"correct horse"}"#, #"{"passphrase":1}"#, "{}", "[]", "x"] {
            #expect(try await queue.rig.ask("POST", path, body).status == 400)
        }
        let wrong = try SealedPassphrase(
            sealing: SecretBytes(copying: "wrong".utf8.span), to: queue.rig.owner.publicKey)
        let body = #"{"passphrase":"\#(wrong.text)"}"#
        let first = try await queue.rig.ask("POST", path, body)
        #expect(first.status == 403 && first.code == "wrong_passphrase" && first.retrySeconds == 1)
        #expect(try await queue.rig.ask("POST", path, body).status == 429)
        queue.rig.home.vault.lock()
        queue.rig.clock.pass(.seconds(1))
        #expect(try await queue.rig.ask("POST", path, body).status == 409)
        try await queue.rig.stop()
    }

    @Test("a remembered answer is what the terminal would offer, and counts")
    func remembered() async throws {
        let queue = try await QueueRig()
        let token = try await queue.session()
        let place = try await queue.submit()
        let (id, digest) = try await queue.one(token)
        let item = try #require(try await queue.waiting(token).first)
        // No login is known, so an answer cannot be remembered for the session.
        let spans: [JSON] = ["5m", "1h", "1d", "today", "week", "always"]
        #expect(item["remember"]?["yes"]?.list == spans)
        let session = try await queue.answer(id, "session", seen: digest, token: token)
        #expect(session.status == 422 && session.code == "not_offered")
        let total = try await queue.rig.ask(
            "POST", "/v1/questions/\(id)/answer",
            #"{"answer":"1h","total":"20 ALGO","seen":"\#(digest)"}"#, token: token)
        #expect(total.status == 422 && total.code == "not_offered")
        #expect(try await queue.answer(id, "5m", seen: digest, token: token).status == 200)
        #expect(try await queue.end(of: place).state == "done")
        // The remembered yes answers the same request without a question.
        #expect(try await queue.rig.post(kind: 4).state == "done")
        #expect(try await queue.waiting(token).isEmpty)
        try await queue.rig.stop()
    }
}
