// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningStorage
import Synchronization
import Testing

@testable import SigningService

/// A person who sees questions and answers each when a test says so.
private final class Shown: Approval {
    private struct State {
        var questions: [ApprovalQuestion] = []
        var answers: [Int: ApprovalAnswer] = [:]
    }

    private let state = Mutex(State())
    var questions: [ApprovalQuestion] { state.withLock { $0.questions } }

    func isShown(_ count: Int) async {
        while questions.count < count { try? await Task.sleep(for: .milliseconds(2)) }
    }

    func answer(_ number: Int, _ make: (ApprovalQuestion) -> ApprovalAnswer) {
        state.withLock { $0.answers[number] = make($0.questions[number]) }
    }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        let number = state.withLock { state in
            state.questions.append(question)
            return state.questions.count - 1
        }
        while !Task.isCancelled {
            if let answer = state.withLock({ $0.answers[number] }) { return answer }
            try? await Task.sleep(for: .milliseconds(2))
        }
        throw .withdrawn
    }
}

@Suite("Decryptions that a page requests at once are one question", .timeLimit(.minutes(5)))
struct DecryptionBurstTests {
    private static let rules = """
        [[rule]]
        id = "write"
        effect = "allow"
        protocol = "nostr"
        operation = ["nip44_encrypt", "nip04_encrypt"]
        acknowledge = ["new_client", "legacy_encryption"]
        """

    private let person = Shown()
    private let rig: ChoosingRig

    init() throws {
        rig = try ChoosingRig(Self.rules, asking: person)
        for name in ["second", "third"] { try rig.set([name], for: "https://\(name).example") }
    }

    /// Asks to decrypt a text from the second or third key of this home to the first.
    private func decrypt(
        _ number: Int, _ scheme: String = "nip44", from origin: String = "https://app.example"
    ) async throws -> Task<JSON, any Error> {
        let sender = number.isMultiple(of: 2) ? "second" : "third"
        let written = try await rig.call(
            "\(scheme).encrypt", #""\#(try rig.key("first"))","text \#(number)""#,
            from: "https://\(sender).example")
        let text = try #require(written["result"]?.text)
        let peer = try rig.key(sender)
        return Task { [signer = rig.signer] in
            try await ChoosingRig.call(
                signer, "\(scheme).decrypt", #""\#(peer)","\#(text)""#, from: origin)
        }
    }

    @Test("40 texts of two senders are one question, and the choice is the shown one")
    func burst() async throws {
        var tasks: [Task<JSON, any Error>] = []
        for number in 0..<40 { tasks.append(try await decrypt(number)) }
        await person.isShown(1)
        try await Task.sleep(for: .milliseconds(100))
        let question = person.questions[0]
        #expect(person.questions.count == 1)
        #expect(
            question.wishes.map(\.wish.title) == [
                "nip44_decrypt: texts of anyone", "nip04_decrypt: texts of anyone",
            ])
        person.answer(0) { question in
            .approved(
                question.binding,
                granting: GrantedWishes([0], for: Remembering(.hour, usesMax: 39)))
        }
        for (number, task) in tasks.enumerated() {
            #expect(try await task.value["result"]?.text == "text \(number)")
        }
        #expect(person.questions.count == 1)
        let grants = try rig.signer.ledger.allGrants().map(\.sealed.grant)
        let grant = try #require(grants.first)
        #expect(grants.count == 1 && grant.usesMax == 39 && grant.scope.method == "nip44_decrypt")
        #expect(grant.scope.client == "https://app.example" && grant.scope.isBroad)
        #expect(grant.scope.key == (try rig.id("first")) && grant.scope.facts.isEmpty)
        #expect(grant.expires == grant.created.adding(seconds: 3_600))
    }

    @Test("another client, another scheme, another method and one use more are asked about")
    func bounds() async throws {
        let first = try await decrypt(0)
        await person.isShown(1)
        let other = try await decrypt(1, from: "https://other.example")
        // The second question does not wait for the first.
        await person.isShown(2)
        person.answer(0) { question in
            .approved(
                question.binding,
                granting: GrantedWishes([0], for: Remembering(.hour, usesMax: 1)))
        }
        #expect(try await first.value["result"]?.text == "text 0")
        let second = try await decrypt(1)
        #expect(try await second.value["result"]?.text == "text 1")
        let legacy = try await decrypt(2, "nip04")
        await person.isShown(3)
        person.answer(2) { _ in .denied() }
        #expect(try await legacy.value["error"]?["code"]?.text == "user_rejected")
        let more = try await decrypt(3)
        await person.isShown(4)
        person.answer(3) { _ in .denied() }
        #expect(try await more.value["error"]?["code"]?.text == "user_rejected")
        #expect(person.questions[1].client?.id == "https://other.example")
        person.answer(1) { _ in .denied() }
        #expect(try await other.value["error"]?["code"]?.text == "user_rejected")
    }

    @Test("a yes for a day to one of two equal questions settles the other (U44)")
    func equal() async throws {
        let event = #"{"kind":1,"content":"x","tags":[]}"#
        let tasks = (0..<3).map { _ in
            Task { [signer = rig.signer] in
                try await ChoosingRig.call(signer, "signEvent", event)
            }
        }
        await person.isShown(3)
        person.answer(1) { .approved($0.binding, remembering: Remembering(.day)) }
        for task in tasks { #expect(try await task.value["result"] != nil) }
    }
}
