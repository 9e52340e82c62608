// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCodecs
import SigningService
import SigningTesting
import Testing

@testable import SigningAgent
@testable import SigningCore

/// A queue with questions, and the requests that wait for them.
private final class HeldPerson: Sendable {
    let queue: QuestionQueue
    private let place: HeldApproval

    init(isLate: Bool = false) {
        place = HeldApproval(isLate: isLate)
        queue = QuestionQueue(schemas: [], beside: [place], now: { Timestamp(seconds: 100) })
    }

    /// Asks a question, and returns once it waits.
    func ask(
        _ title: String = "sign a note", client: String = "https://app.example",
        expires: Int64 = 200
    ) async -> (id: String, answer: Task<Result<ApprovalAnswer, ApprovalError>, Never>) {
        let before = Set(queue.overview.waiting.map(\.id))
        let question = SampleQuestion.make(
            title: title, client: client, expires: Timestamp(seconds: expires))
        let task = Task { [queue] () -> Result<ApprovalAnswer, ApprovalError> in
            do throws(ApprovalError) {
                return .success(try await queue.decide(question))
            } catch {
                return .failure(error)
            }
        }
        while true {
            if let new = queue.overview.waiting.first(where: { !before.contains($0.id) }) {
                return (new.id, task)
            }
            await Task.yield()
        }
    }

    func answerElsewhere(yes: Bool) { place.say(yes: yes) }
}

@Suite("Questions that wait", .timeLimit(.minutes(10)))
struct QuestionQueueTests {
    @Test("a yes after the client left is reported as without effect")
    func late() async throws {
        let person = HeldPerson(isLate: true)
        let (id, answer) = await person.ask()
        answer.cancel()
        #expect(await answer.value == .failure(.timedOut))
        #expect(person.queue.findEnded(id)?.ending == .withdrawn)
    }

    @Test("an answer that is given here is the answer, and the other places are asked no more")
    func here() async throws {
        let person = HeldPerson()
        let (id, answer) = await person.ask()
        let held = try #require(person.queue.find(id))
        #expect(held.give(.approved(held.question.binding)))
        #expect(await answer.value == .success(.approved(held.question.binding)))
        #expect(person.queue.find(id) == nil)
        #expect(person.queue.findEnded(id)?.ending.word == "once")
    }

    @Test("an answer at another place ends the question here")
    func elsewhere() async throws {
        let person = HeldPerson()
        let (id, answer) = await person.ask()
        let held = try #require(person.queue.find(id))
        person.answerElsewhere(yes: false)
        #expect(await answer.value == .success(.denied()))
        #expect(!held.give(.approved(held.question.binding)))
        #expect(held.ending == .answered(.denied()))
    }

    @Test("of two answers the first counts")
    func first() async throws {
        let person = HeldPerson()
        let (id, answer) = await person.ask()
        let held = try #require(person.queue.find(id))
        #expect(held.give(.denied()))
        #expect(!held.give(.approved(held.question.binding)))
        #expect(await answer.value == .success(.denied()))
    }

    @Test("a client that leaves withdraws the question; a late answer is reported as expired")
    func ends() async throws {
        let person = HeldPerson()
        let (left, one) = await person.ask()
        one.cancel()
        #expect(await one.value == .failure(.timedOut))
        #expect(person.queue.findEnded(left)?.ending == .withdrawn)
        let (late, other) = await person.ask(expires: 100)
        other.cancel()
        _ = await other.value
        #expect(person.queue.findEnded(late)?.ending == .expired)
        #expect(person.queue.overview.waiting.isEmpty)
    }

    @Test("waiting questions and ended ones are bounded")
    func bounds() async {
        let queue = QuestionQueue(schemas: [])
        let tasks = (0..<QuestionQueue.waitingMax).map { _ in
            Task { try? await queue.decide(SampleQuestion.make()) }
        }
        while queue.overview.waiting.count < QuestionQueue.waitingMax { await Task.yield() }
        await #expect(throws: ApprovalError.unavailable) {
            try await queue.decide(SampleQuestion.make())
        }
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.value }
        for _ in 0..<QuestionQueue.endedMax {
            let task = Task { try? await queue.decide(SampleQuestion.make()) }
            task.cancel()
            _ = await task.value
        }
        #expect(queue.overview.ended.count == QuestionQueue.endedMax)
        #expect(queue.overview.waiting.isEmpty)
    }

    @Test("a client that waits for news learns of a new question and of one that ended")
    func news() async {
        let person = HeldPerson()
        let first = person.queue.overview.revision
        let news = Task { [queue = person.queue] in await queue.wait(after: first, seconds: 60) }
        let (_, answer) = await person.ask()
        #expect(await news.value)
        let second = person.queue.overview.revision
        #expect(second > first)
        #expect(await person.queue.wait(after: first, seconds: 60))
        person.answerElsewhere(yes: true)
        #expect(await person.queue.wait(after: second, seconds: 60))
        _ = await answer.value
        let start = ContinuousClock.now
        #expect(await person.queue.wait(after: person.queue.overview.revision, seconds: 1))
        #expect(ContinuousClock.now - start >= .milliseconds(900))
    }

    @Test("a name or title cannot draw on the screen of the list")
    func escaped() async throws {
        let person = HeldPerson()
        let evil = "\u{1B}[2Jevil\u{202E}\nname"
        let (id, answer) = await person.ask(
            evil, client: evil + String(repeating: "x", count: 9_000))
        let held = try #require(person.queue.find(id))
        for json in [held.listed(at: held.asked), held.whole(at: held.asked), held.details] {
            let text = String(decoding: json.write(), as: UTF8.self)
            #expect(!text.contains("\u{202E}") && !text.contains("\u{1B}"))
            #expect(!text.contains("\\u001b") && !text.contains("\\u202e"))
        }
        let listed = held.listed(at: held.asked)
        #expect(listed.write().count < 2_000 && listed["seconds_left"] == 100)
        #expect(listed["client"]?["claimed"]?.text?.contains("evil") == true)
        answer.cancel()
    }
}

@Suite("Answers in a body")
struct QuestionAnswerTests {
    static let seen = String(repeating: "a", count: 64)

    private func given(_ members: String) throws(QuestionAnswer.ParseError) -> GivenAnswer {
        try QuestionAnswer(Array(#"{"seen":"\#(Self.seen)",\#(members)}"#.utf8)).given
    }

    @Test(
        "each is a typed answer, which writes the same members",
        arguments: [
            (#""answer":"once""#, .yes(nil)), (#""answer":"no""#, .no(nil)),
            (#""answer":"5m""#, .yes(GrantRequest(.fiveMinutes))),
            (#""answer":"session""#, .yes(GrantRequest(.session))),
            (#""answer":"always""#, .yes(GrantRequest(.always))),
            (#""answer":"never""#, .no(.always)), (#""answer":"use","account":"2""#, .account("2")),
            (#""answer":"1d","uses":20"#, .yes(GrantRequest(.day, usesMax: 20))),
            (#""answer":"today""#, .yes(GrantRequest(.today))),
            (
                #""answer":"week","uses":20,"per":"hour""#,
                .yes(GrantRequest(.week, usesMax: 20, per: .hour))
            ),
            (
                #""answer":"always","total":"5 ALGO","per":"day""#,
                .yes(
                    GrantRequest(
                        .always, total: GrantRequest.Total("5", "ALGO"), per: .day))
            ),
            (
                #""answer":"1h","total":"20 ALGO""#,
                .yes(GrantRequest(.hour, total: GrantRequest.Total("20", "ALGO")))
            ),
            (
                #""answer":"1h","uses":2,"total":"0.5 ALGO""#,
                .yes(GrantRequest(.hour, usesMax: 2, total: GrantRequest.Total("0.5", "ALGO")))
            ),
        ] as [(String, GivenAnswer)])
    func typed(members: String, answer: GivenAnswer) throws {
        #expect(try given(members) == answer)
        let written = JSON.object(JSONObject(try #require(answer.jsonMembers)))
        #expect(String(decoding: written.write(), as: UTF8.self) == "{\(members)}")
    }

    @Test("the first wrong member is named, and the words that are accepted")
    func named() {
        let details = [
            (
                #""answer":"y""#,
                "answer must be one of once, 5m, 1h, 1d, today, week, session, always, no, "
                    + "never, use"
            ),
            (
                #""answer":"1h","per":"hour""#,
                "per must be hour, day or week, and needs uses or a total"
            ),
            (
                #""answer":"1h","uses":2,"per":"year""#,
                "per must be hour, day or week, and needs uses or a total"
            ),
            (#""answer":"no","uses":2"#, "uses must be a number, and needs a remembered yes"),
            (
                #""answer":"1h","total":"20""#,
                "total must be an amount such as \"20 ALGO\", and "
                    + "needs a remembered yes"
            ),
            (#""answer":"never","grant":"all 1h""#, "a no cannot grant anything"),
        ]
        for (members, detail) in details {
            let error = #expect(throws: QuestionAnswer.ParseError.self) { try given(members) }
            #expect(error?.code == "bad_member" && error?.detail == detail)
        }
    }

    @Test("a total and a number of uses bound a remembered yes, each by itself or both")
    func bounds() throws {
        let sample = SampleQuestion.make()
        let algo = Asset(
            id: "algorand/mainnet", network: "mainnet", name: "microAlgo",
            unit: AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo"))
        let scope = Grant.Scope(
            client: "app", proof: .claimed, key: KeyID("k"), protocolID: ProtocolID("algorand"),
            method: "pay", facts: [])
        let question = ApprovalQuestion(
            binding: sample.binding, act: .sign, summary: sample.summary, client: sample.client,
            accounts: [], totals: [Outflow(algo, 1_000_000)], scopes: [scope])
        func remembering(_ members: String) throws -> Remembering? {
            let body = Array(#"{"seen":"\#(Self.seen)","answer":"1h",\#(members)}"#.utf8)
            guard
                case .approved(_, let remembering, _, _) = try QuestionAnswer(body)
                    .answer(to: question)
            else { return nil }
            return remembering
        }
        #expect(try remembering(#""uses":2"#) == Remembering(.hour, usesMax: 2))
        let total = Outflow(algo, 500_000)
        #expect(
            try remembering(#""total":"0.5 algo""#) == Remembering(.hour, totals: [total]))
        #expect(
            try remembering(#""uses":2,"total":"0.5 ALGO""#)
                == Remembering(.hour, usesMax: 2, totals: [total]))
        #expect(
            try remembering(#""total":"0.5 ALGO","per":"day""#)
                == Remembering(.hour, totals: [total], per: .day))
        // What was shown is not for each hour, so the person has to name an amount.
        let wrong = [
            (
                #""uses":2,"per":"hour""#,
                "name the amount that may leave in each hour too, such as \"1 ALGO\""
            ),
            (#""total":"5 NEAR""#, "write the amount in ALGO, not in \"NEAR\""),
            (#""total":"5 microAlgo""#, "write the amount in ALGO, not in \"microAlgo\""),
            (#""total":"-1 ALGO""#, "\"-1\" is not a number such as 20 or 0.5"),
            (#""total":"0 ALGO""#, "the amount must be more than 0"),
            (
                #""total":"0.0000001 ALGO""#,
                "0.0000001 ALGO has too many decimals: at most 6 count"
            ),
            (
                #""total":"170141183460469231731687303715884.105727 ALGO""#,
                "170141183460469231731687303715884.105727 ALGO is too large an amount"
            ),
            (
                #""total":"1701411834604692317316873037158841 ALGO""#,
                "1701411834604692317316873037158841 ALGO is too large an amount"
            ),
        ]
        for (members, reason) in wrong {
            let error = #expect(throws: AnswerError.self) { try remembering(members) }
            #expect(error?.detail == reason)
        }
        #expect(
            try remembering(#""total":"170141183460469231731687303715884.105726 ALGO""#)
                == Remembering(.hour, totals: [Outflow(algo, .max - 1)]))
    }

    @Test(
        "meaningless answers are refused",
        arguments: [
            #""answer":"yes""#, #""answer":"y""#, #""answer":true"#, #""answer":"once","x":1"#,
            #""answer":"once","uses":2"#, #""answer":"never","uses":2"#,
            #""answer":"1h","uses":0"#, #""answer":"1h","uses":"2""#,
            #""answer":"1h","total":"20""#, #""answer":"1h","total":"5 20 ALGO""#,
            #""answer":"no","grant":"all 1h""#, #""answer":"once","seen":"x""#,
            #""answer":"once","answer":"no""#, #""grant":"all""#,
            #""answer":"1h","total":"\#(String(repeating: "1", count: 65)) A""#,
        ])
    func refused(members: String) {
        #expect(throws: QuestionAnswer.ParseError.self) { try given(members) }
    }

    @Test("wishes are granted by the numbers that were shown, and only those that are open")
    func wishes() throws {
        let wish = Wish(
            method: "sign_event", facts: [], effects: [], dangers: [], title: "sign notes",
            isGrantable: true)
        let sample = SampleQuestion.make()
        let question = ApprovalQuestion(
            binding: sample.binding, act: .sign, summary: sample.summary, client: sample.client,
            accounts: [],
            wishes: [
                WishOffer(wish: wish, state: .closed), WishOffer(wish: wish, state: .open),
            ])
        let words = QuestionText(question, schemas: [])
        #expect(words.wishes?.contains("2  sign notes") == true)
        func answer(_ grant: String) throws -> ApprovalAnswer? {
            let body = #"{"seen":"\#(Self.seen)","answer":"once","grant":"\#(grant)"}"#
            return try QuestionAnswer(Array(body.utf8)).answer(to: question)
        }
        #expect(
            try answer("2 1d")
                == .approved(
                    question.binding, granting: GrantedWishes([1], for: Remembering(.day))))
        for nonsense in ["1 1d", "2", "3 1d", "2 1y", "2 session", "x"] {
            #expect(throws: AnswerError.self, "\(nonsense)") { try answer(nonsense) }
        }
        let without = QuestionText(sample, schemas: [])
        #expect(without.wishes == nil)
        let body = Array(#"{"seen":"\#(Self.seen)","answer":"once","grant":"all 1d"}"#.utf8)
        #expect(throws: AnswerError.self) { try QuestionAnswer(body).answer(to: sample) }
    }

    @Test("another account is chosen by its number or its name, among those that are offered")
    func otherAccounts() throws {
        let accounts = ["work", "Play", "play", "1"].map { name in
            Account(
                id: KeyID(name), name: name, protocolID: ProtocolID("nostr"), algorithm: .bip340,
                publicKey: [UInt8](repeating: 7, count: 32), address: "npub-\(name)", network: nil)
        }
        let sample = SampleQuestion.make()
        let question = ApprovalQuestion(
            binding: sample.binding, act: .connect, summary: sample.summary, client: sample.client,
            accounts: [], otherAccounts: accounts)
        let words = QuestionText(question, schemas: [])
        #expect(words.otherAccounts?.contains("  3  play npub-play") == true)
        func answer(_ account: String, _ word: String = "use") throws -> ApprovalAnswer? {
            let body = #"{"seen":"\#(Self.seen)","answer":"\#(word)","account":"\#(account)"}"#
            return try QuestionAnswer(Array(body.utf8)).answer(to: question)
        }
        #expect(try answer("1") == .another(KeyID("work")))
        #expect(try answer("work") == .another(KeyID("work")))
        #expect(try answer("WORK") == .another(KeyID("work")))
        #expect(try answer("Play") == .another(KeyID("Play")))
        #expect(try answer("play") == .another(KeyID("play")))
        for nonsense in ["0", "5", "-1", "PLAY", "nobody", " ", "work 1h"] {
            #expect(throws: AnswerError.self, "\(nonsense)") { try answer(nonsense) }
        }
        #expect(throws: QuestionAnswer.ParseError.self) { try answer("1", "once") }
        #expect(throws: QuestionAnswer.ParseError.self) { try given(#""answer":"use""#) }
        let body = Array(#"{"seen":"\#(Self.seen)","answer":"use","account":"1"}"#.utf8)
        #expect(throws: AnswerError.self) { try QuestionAnswer(body).answer(to: sample) }
    }
}
