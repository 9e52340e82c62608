// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import Synchronization
import Testing

@testable import SigningCore

@Suite("How fast a client may go, and the same request twice")
struct PaceTests {
    let ledger = MemoryLedger()
    let environment = FixedEnvironment(seconds: 1_000)
    let keys = RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain])

    func hub(
        _ behaviour: FixedApproval.Behaviour, policy: FixedPolicy.Answer = .askByDefault
    ) -> SigningHub {
        SigningHub(
            policy: FixedPolicy(policy), keyStore: keys, ledger: ledger,
            approval: FixedApproval(behaviour), environment: environment)
    }

    func ask(
        _ text: String, _ hub: SigningHub, _ adapter: EagerAdapter = EagerAdapter(pace: Pace()),
        client: String? = "tester", by user: UInt32? = nil
    ) async -> String {
        let peer = Peer(channel: "test", provedUserID: user, claim: client)
        let answer = await hub.answer(
            Frame(bytes: Array(text.utf8), peer: peer), with: adapter)
        guard case .message(let bytes) = answer.reply else { return "silence" }
        return String(decoding: bytes, as: UTF8.self) + (answer.isRepeated ? " again" : "")
    }

    @Test("a client nothing was done for has people asked three times in half a minute")
    func new() async {
        let hub = hub(.deny)
        for text in ["sign a", "sign bb", "batch c"] {
            #expect(await ask(text, hub) == "denied person_denied")
        }
        #expect(await ask("sign d", hub) == "denied limit_exceeded")
        #expect(await ask("sign d", hub, client: "another") == "denied person_denied")
        environment.advance(seconds: 29)
        #expect(await ask("sign d", hub) == "denied limit_exceeded")
        environment.advance(seconds: 1)
        #expect(await ask("sign d", hub) == "denied person_denied")
    }

    @Test("a known one five times about one method and kind of request")
    func known() async {
        #expect(await ask("sign a", hub(.approve)) == "done 1")
        environment.advance(seconds: 30)
        let hub = hub(.deny)
        for _ in 0..<5 { #expect(await ask("sign b", hub) == "denied person_denied") }
        #expect(await ask("sign c", hub) == "denied limit_exceeded")
        #expect(await ask("sign cc", hub) == "denied person_denied")
        #expect(await ask("batch c", hub) == "denied person_denied")
    }

    @Test("and twenty times about any request")
    func everything() async {
        #expect(await ask("sign a", hub(.approve)) == "done 1")
        environment.advance(seconds: 30)
        let hub = hub(.deny)
        for length in 2...21 {
            let word = String(repeating: "b", count: length)
            #expect(await ask("sign \(word)", hub) == "denied person_denied")
        }
        let last = String(repeating: "b", count: 30)
        #expect(await ask("sign \(last)", hub) == "denied limit_exceeded")
    }

    @Test("answers of rules are not counted, nor questions where there is no person")
    func uncounted() async {
        for _ in 0..<9 {
            #expect(await ask("sign a", hub(.deny, policy: .allow([])), client: "b") == "done 1")
        }
        let alone = SigningHub(
            policy: FixedPolicy(.ask), keyStore: keys, ledger: ledger, approval: NoApproval(),
            environment: environment)
        for _ in 0..<9 {
            #expect(await ask("sign a", alone) == "denied approval_unavailable")
        }
        for _ in 0..<9 {
            #expect(await ask("sign a", hub(.deny), EagerAdapter()) == "denied person_denied")
        }
    }

    @Test("remembered answers are used sixty times a minute and a thousand an hour")
    func granted() async {
        _ = await ask("sign a", hub(.remember(.yes, Remembering(.always))))
        let hub = hub(.unavailable)
        for _ in 0..<60 { #expect(await ask("sign a", hub) == "done 1") }
        #expect(await ask("sign a", hub) == "denied limit_exceeded")
        environment.advance(seconds: 60)
        #expect(await ask("sign a", hub) == "done 1")
        var pace = Pace()
        pace.grantedPerHourMax = 62
        #expect(await ask("sign a", hub, EagerAdapter(pace: pace)) == "done 1")
        #expect(await ask("sign a", hub, EagerAdapter(pace: pace)) == "denied limit_exceeded")
        // Without a pace, only the policy decides.
        #expect(await ask("sign a", hub, EagerAdapter()) == "done 1")
    }

    @Test("the same request sent again while it waits is answered with it, once")
    func joined() async {
        let gate = GatedApproval(says: .yes)
        let hub = SigningHub(
            policy: FixedPolicy(.ask), keyStore: keys, ledger: ledger, approval: gate,
            environment: environment)
        async let first = ask("sign a#7", hub)
        await gate.wait(for: 1)
        async let foreign = ask("sign b#7", hub, client: "another")
        // The uses of another client do not count.
        async let other = ask("sign a#7", hub, by: 7)
        await gate.wait(for: 3)
        await withTaskGroup(of: String.self) { group in
            for _ in 0...16 { group.addTask { await ask("sign a#7", hub) } }
            // Seventeen requests are one too many; its refusal shows that the other sixteen wait.
            #expect(await group.next() == "denied pending_conflict")
            #expect(await ask("sign b#7", hub) == "denied pending_conflict")
            gate.open()
            for await answer in group { #expect(answer == "done 1 again") }
        }
        let answers = await [first, foreign, other]
        #expect(answers == ["done 1", "done 1", "done 1"])
        #expect(ledger.intents.count == 3)
        #expect(keys.usesCount == 3)
        // After the answer it is a new request.
        #expect(await ask("sign b#7", hub) == "done 1")
    }

    @Test("the transport's id is that on record, and a joined request gets the id of the first")
    func joinedID() async {
        let gate = GatedApproval(says: .yes)
        let hub = SigningHub(
            policy: FixedPolicy(.ask), keyStore: keys, ledger: ledger, approval: gate,
            environment: environment)
        let answer = { @Sendable (id: UInt8) -> Answer in
            await hub.answer(
                Frame(
                    bytes: Array("sign a#7".utf8), peer: Peer(channel: "test", claim: "tester"),
                    requestID: [UInt8](repeating: id, count: 16)),
                with: EagerAdapter(pace: Pace()))
        }
        async let first = answer(1)
        await gate.wait(for: 1)
        async let second = answer(2)
        while hub.pending.joinedCount == 0 { try? await Task.sleep(for: .milliseconds(1)) }
        gate.open()
        let answers = await [first, second]
        #expect(answers.map(\.isRepeated) == [false, true])
        #expect(answers[1].requestID == [UInt8](repeating: 1, count: 16))
        #expect(ledger.intents.map(\.id) == [[UInt8](repeating: 1, count: 16)])
    }

    @Test("ten questions of one client wait for people, under any names")
    func questionsOfOne() async {
        let gate = GatedApproval()
        let hub = hub(asking: gate)
        await withTaskGroup(of: String.self) { group in
            for number in 0..<10 {
                group.addTask {
                    await ask(
                        "sign a\(number)", hub, EagerAdapter(), client: "\(number)", by: 7)
                }
            }
            await gate.wait(for: 10)
            let more = await ask("sign b", hub, EagerAdapter(), client: "another", by: 7)
            #expect(more == "denied too_many_questions")
            group.addTask { await ask("sign b", hub, EagerAdapter(), client: "1", by: 8) }
            await gate.wait(for: 11)
            gate.open()
            for await answer in group { #expect(answer == "denied person_denied") }
        }
        #expect(await ask("sign b", hub, EagerAdapter(), by: 7) == "denied person_denied")
    }

    @Test("thirty questions of unproved clients wait for people, not more")
    func questions() async {
        let gate = GatedApproval()
        let hub = hub(asking: gate)
        await withTaskGroup(of: String.self) { group in
            for number in 0..<30 {
                group.addTask {
                    await ask("sign a\(number)", hub, EagerAdapter(), by: UInt32(number / 10))
                }
            }
            await gate.wait(for: 30)
            let more = await ask("sign b", hub, EagerAdapter(), by: 9)
            #expect(more == "denied too_many_questions")
            gate.open()
            for await answer in group { #expect(answer == "denied person_denied") }
        }
        #expect(await ask("sign b", hub, EagerAdapter()) == "denied person_denied")
    }

    private func hub(asking approval: any Approval) -> SigningHub {
        SigningHub(
            policy: FixedPolicy(.ask), keyStore: keys, ledger: ledger, approval: approval,
            environment: environment)
    }

    @Test("of commands that are refused 300 go on record in 25 minutes, and those of people")
    func refusedCommands() async {
        func command(_ behaviour: FixedApproval.Behaviour) async {
            let peer = Peer(channel: .commandLine, provedUserID: 7, claim: "loop")
            _ = await hub(behaviour).answer(
                Frame(bytes: Array("sign a".utf8), peer: peer), with: EagerAdapter())
        }
        for _ in 0..<310 { await command(.unavailable) }
        #expect(ledger.refusals.count == 300)
        await command(.deny)
        #expect(ledger.refusals.count == 301)
        #expect(await ask("sign a", hub(.unavailable), by: 7) == "denied approval_unavailable")
        #expect(ledger.refusals.count == 302)
        environment.advance(seconds: 1_500)
        await command(.unavailable)
        #expect(ledger.refusals.count == 303)
    }

    @Test("sixteen repetitions wait for the answer to a request, not more")
    func repetitions() async {
        let gate = GatedApproval()
        let hub = SigningHub(
            policy: FixedPolicy(.ask), keyStore: keys, ledger: ledger, approval: gate,
            environment: environment)
        var answers: [String: Int] = [:]
        await withTaskGroup(of: String.self) { group in
            group.addTask { await ask("sign c#7", hub, EagerAdapter()) }
            await gate.wait(for: 1)
            for _ in 0..<19 { group.addTask { await ask("sign c#7", hub, EagerAdapter()) } }
            // A refusal returns at once, and only if sixteen requests already wait.
            for _ in 0..<3 {
                let answer = await group.next() ?? ""
                answers[answer, default: 0] += 1
            }
            gate.open()
            for await answer in group { answers[answer, default: 0] += 1 }
        }
        #expect(
            answers == [
                "denied person_denied": 1, "denied person_denied again": 16,
                "denied pending_conflict": 3,
            ])
    }

    @Test("notes are kept of finished requests only")
    func notes() async throws {
        let note = Note(.key(KeyID("a")), "size", 3, detail: [1, 2])
        let client = Client(id: "tester", name: nil, proof: .claimed)
        let adapter = EagerAdapter(notes: [note])
        #expect(await ask("sign a", hub(.deny), adapter) == "denied person_denied")
        #expect(try ledger.noted("size", about: note.subject) == nil)
        #expect(try ledger.noted(Note.seen, about: client.subject) == nil)
        #expect(await ask("sign a", hub(.approve), adapter) == "done 1")
        #expect(try ledger.noted("size", about: note.subject) == note)
        #expect(try ledger.noted(Note.seen, about: client.subject)?.value == 1)
        #expect(try ledger.noted(Note.seen, about: .client("tester", .callback)) == nil)
    }
}

/// Answers every question when it is opened, and counts the requests that wait for it.
final class GatedApproval: Approval {
    private let state = Mutex((isOpen: false, count: 0))
    private let word: Grant.Answer

    init(says word: Grant.Answer = .no) { self.word = word }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        state.withLock { $0.count += 1 }
        while !state.withLock(\.isOpen) { await Task.yield() }
        return word == .yes ? .approved(question.binding) : .denied()
    }

    func wait(for count: Int) async {
        while state.withLock(\.count) < count { await Task.yield() }
    }

    func open() { state.withLock { $0.isOpen = true } }
}
