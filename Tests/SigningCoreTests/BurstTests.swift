// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Testing

@Suite("Concurrent requests of a client are one question", .timeLimit(.minutes(5)))
struct BurstTests {
    private let ledger = MemoryLedger()
    private let person = OneByOne()
    private let keys = RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain])

    private func ask(
        _ text: String, by client: String = "tester", over hub: SigningHub
    ) -> Task<String, Never> {
        Task {
            let adapter = EagerAdapter(
                wishes: [.sign(length: 4), .sign(length: 5)], pace: Pace(), burst: "words")
            let frame = Frame(bytes: Array(text.utf8), peer: Peer(channel: "test", claim: client))
            let answer = await hub.answer(frame, with: adapter)
            guard case .message(let bytes) = answer.reply else { return "silence" }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func hub(_ policy: FixedPolicy.Answer = .askByDefault) -> SigningHub {
        SigningHub(
            policy: FixedPolicy(policy), keyStore: keys, ledger: ledger, approval: person,
            environment: FixedEnvironment(seconds: 1_000))
    }

    private func words(_ range: Range<Int>) -> [String] { range.map { "sign \(1_000 + $0)" } }

    private func counts(_ tasks: [Task<String, Never>]) async -> [String: Int] {
        var counts: [String: Int] = [:]
        for task in tasks {
            let answer = await task.value
            counts[answer.hasPrefix("granted") ? "done" : answer, default: 0] += 1
        }
        return counts
    }

    private func rest() async { try? await Task.sleep(for: .milliseconds(50)) }

    @Test("500 words are one question, and a yes to 499 more of any word settles all")
    func many() async {
        let hub = hub()
        let tasks = words(0..<500).map { ask($0, over: hub) }
        await person.isShown(1)
        await rest()
        #expect(person.shown.count == 1)
        person.say(
            yes: true, to: person.shown[0],
            granting: GrantedWishes([0], for: Remembering(.hour, usesMax: 499)))
        #expect(await counts(tasks) == ["done": 500])
        #expect(person.shown.count == 1 && person.withdrawn.isEmpty)
        #expect(ledger.grants.count == 1 && ledger.grants[0].grant.usesMax == 499)
        let next = ask("sign 9999", over: hub)
        await person.isShown(2)
        person.say(yes: false, to: person.shown[1])
        #expect(await next.value == "denied person_denied")
    }

    @Test("as many as the person counted are settled, and a no to the next is one to all that wait")
    func counted() async {
        let hub = hub()
        let tasks = words(0..<10).map { ask($0, over: hub) }
        await person.isShown(1)
        person.say(
            yes: true, to: person.shown[0],
            granting: GrantedWishes([0], for: Remembering(.hour, usesMax: 3)))
        await person.isShown(2)
        await rest()
        #expect(person.shown.count == 2 && keys.usesCount == 4)
        person.say(yes: false, to: person.shown[1])
        #expect(await counts(tasks) == ["done": 4, "denied person_denied": 6])
        #expect(person.shown.count == 2)
    }

    @Test("a no is not an answer to later requests, and a yes for once is for one")
    func once() async {
        let hub = hub()
        let first = words(0..<3).map { ask($0, over: hub) }
        await person.isShown(1)
        await rest()
        person.say(yes: false, to: person.shown[0])
        #expect(await counts(first) == ["denied person_denied": 3])
        let second = words(3..<5).map { ask($0, over: hub) }
        for number in 1...2 {
            await person.isShown(number + 1)
            await rest()
            #expect(person.shown.count == number + 1)
            person.say(yes: true, to: person.shown[number])
        }
        #expect(await counts(second) == ["done": 2])
    }

    @Test("a yes covers the shown client and kind, and no other client waits for it")
    func others() async {
        let hub = hub()
        let first = ask("sign 1000", over: hub)
        await person.isShown(1)
        let other = ask("sign 1000", by: "another", over: hub)
        await person.isShown(2)
        let longer = ask("sign 10000", over: hub)
        await rest()
        #expect(person.shown.count == 2)
        person.say(
            yes: true, to: person.shown[0],
            granting: GrantedWishes([0], for: Remembering(.hour, usesMax: 10)))
        #expect(await counts([first]) == ["done": 1])
        // The answer does not cover a text of another length.
        await person.isShown(3)
        #expect(person.withdrawn.isEmpty && keys.usesCount == 1)
        person.say(yes: false, to: person.shown[1])
        person.say(yes: true, to: person.shown[2])
        #expect(await counts([other, longer]) == ["denied person_denied": 1, "done": 1])
    }

    @Test("a client that leaves gives the turn to the next")
    func leaving() async {
        let hub = hub()
        let first = ask("sign 1000", over: hub)
        await person.isShown(1)
        let second = ask("sign 1001", over: hub)
        let third = ask("sign 1002", over: hub)
        await rest()
        second.cancel()
        _ = await second.value
        first.cancel()
        _ = await first.value
        await person.isShown(2)
        person.say(yes: true, to: person.shown[1])
        #expect(await counts([third]) == ["done": 1])
        #expect(keys.usesCount == 1)
    }

    @Test("requests that rules ask about each time are asked separately")
    func byRule() async {
        let hub = hub(.ask)
        let tasks = words(0..<3).map { ask($0, over: hub) }
        await person.isShown(3)
        for name in person.shown { person.say(yes: true, to: name) }
        #expect(await counts(tasks) == ["done": 3])
    }

    @Test("a request that waits for its turn ends when its time is up")
    func tooLong() async {
        let hub = SigningHub(
            policy: FixedPolicy(.askByDefault), keyStore: keys, ledger: ledger, approval: person,
            environment: FixedEnvironment(seconds: 1_000), approvalSeconds: 1)
        let tasks = words(0..<20).map { ask($0, over: hub) }
        let counts = await counts(tasks)
        #expect(counts["denied approval_timed_out", default: 0] >= 19, "\(counts)")
        #expect(keys.usesCount == 0)
    }
}
