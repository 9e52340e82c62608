// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Synchronization
import Testing

/// A person who answers questions one by one when a test says so.
final class OneByOne: Approval {
    private struct State {
        var shown: [String] = []
        var answers: [String: ApprovalAnswer] = [:]
        var withdrawn: [String] = []
        var bindings: [String: ApprovalBinding] = [:]
    }

    private let state = Mutex(State())

    var shown: [String] { state.withLock { $0.shown } }
    var withdrawn: [String] { state.withLock { $0.withdrawn } }

    func isShown(_ count: Int) async {
        while shown.count < count { try? await Task.sleep(for: .milliseconds(1)) }
    }

    /// Answers one question with yes or no, and a span to remember it for.
    func say(
        yes: Bool, to name: String, remembering wish: Remembering? = nil,
        granting: GrantedWishes? = nil
    ) {
        state.withLock { state in
            guard let binding = state.bindings[name] else { return }
            state.answers[name] =
                yes
                ? .approved(binding, remembering: wish, granting: granting)
                : .denied(remembering: wish)
        }
    }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        let name = state.withLock { state in
            let name = "question \(state.shown.count)"
            state.shown.append(name)
            state.bindings[name] = question.binding
            return name
        }
        while !Task.isCancelled {
            if let answer = state.withLock({ $0.answers[name] }) { return answer }
            try? await Task.sleep(for: .milliseconds(1))
        }
        state.withLock { $0.withdrawn.append(name) }
        throw .withdrawn
    }
}

@Suite("A yes to one of many settles the others it covers", .timeLimit(.minutes(5)))
struct CoveringTests {
    private let ledger = MemoryLedger()
    private let person = OneByOne()
    private let keys = RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain])
    private let hub: SigningHub

    init() {
        hub = SigningHub(
            policy: FixedPolicy(.askByDefault), keyStore: keys, ledger: ledger, approval: person,
            environment: FixedEnvironment(seconds: 1_000))
    }

    private func ask(_ text: String, by client: String = "tester") -> Task<String, Never> {
        Task {
            let frame = Frame(bytes: Array(text.utf8), peer: Peer(channel: "test", claim: client))
            let answer = await hub.answer(frame, with: EagerAdapter(pace: Pace()))
            guard case .message(let bytes) = answer.reply else { return "silence" }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func isDone(_ tasks: [Task<String, Never>]) async -> Bool {
        for task in tasks where await task.value != "done 1" { return false }
        return true
    }

    @Test("40 at once are three questions; a remembered yes to one answers all")
    func burst() async {
        let tasks = (0..<40).map { _ in ask("sign a") }
        await person.isShown(3)
        person.say(yes: true, to: person.shown[0], remembering: Remembering(.hour))
        #expect(await isDone(tasks))
        #expect(person.shown.count == 3 && person.withdrawn.count == 2)
        #expect(keys.usesCount == 40)
    }

    @Test("a yes for once answers one, and a client over its pace is refused at the end")
    func once() async {
        let tasks = (0..<5).map { _ in ask("sign a") }
        await person.isShown(3)
        for name in person.shown { person.say(yes: true, to: name) }
        var answers: [String] = []
        for task in tasks { answers.append(await task.value) }
        #expect(answers.count { $0 == "done 1" } == 3)
        #expect(answers.count { $0 == "denied limit_exceeded" } == 2)
        #expect(person.withdrawn.isEmpty && keys.usesCount == 3)
    }

    @Test("a yes covers the seen kind, and not another client's or another text")
    func others() async {
        let (first, other) = (ask("sign a"), ask("sign bb"))
        await person.isShown(2)
        let foreign = ask("sign a", by: "another")
        await person.isShown(3)
        person.say(yes: true, to: person.shown[2], remembering: Remembering(.hour))
        #expect(await foreign.value == "done 1")
        try? await Task.sleep(for: .milliseconds(50))
        #expect(person.withdrawn.isEmpty && keys.usesCount == 1)
        for name in person.shown { person.say(yes: false, to: name) }
        #expect(await first.value == "denied person_denied")
        #expect(await other.value == "denied person_denied")
    }

    @Test("a yes that may be used twice settles two, and the next is asked about")
    func bounded() async {
        let tasks = (0..<3).map { _ in ask("sign a") }
        await person.isShown(3)
        person.say(
            yes: true, to: person.shown[0], remembering: Remembering(.hour, usesMax: 1))
        while keys.usesCount < 2 { try? await Task.sleep(for: .milliseconds(1)) }
        // Both requests may have read the same remaining use; the one that lost it asks again.
        while person.shown.count - person.withdrawn.count < 2 { await Task.yield() }
        try? await Task.sleep(for: .milliseconds(50))
        #expect(keys.usesCount == 2)
        for name in person.shown { person.say(yes: true, to: name) }
        #expect(await isDone(tasks))
    }
}
