// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import NIP46
import SigningCodecs
import SigningCore
import Synchronization
import TestHome
import Testing

@testable import Relays
@testable import SigningFiles
@testable import SigningService
@testable import SigningStorage

@Suite("Many calls at once", .timeLimit(.minutes(10)))
struct BurstTests {
    private static let policy = """
        default = "ask"
        [[rule]]
        id = "texts"
        effect = "allow"
        protocol = "nostr"
        operation = "nip44_decrypt"
        channel = "relay"
        acknowledge = ["decrypt"]
        """

    /// A person who says no to every question once a test lets them.
    private final class Late: Approval {
        private let answers = Mutex(false)

        func letAnswer() { answers.withLock { $0 = true } }

        func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
            while !Task.isCancelled {
                if answers.withLock({ $0 }) { return .denied(remembering: nil) }
                try? await Task.sleep(for: .milliseconds(5))
            }
            throw .withdrawn
        }
    }

    @Test("1,000 decryptions of one client all succeed, and another's is answered meanwhile")
    func decryptions() async throws {
        let person = Late()
        let rig = try RelaysRig(policy: Self.policy, asking: person)
        let transport = rig.transport(
            TransportLimits(
                connectionsMax: 5, framesMax: 64, framesPerPeerMax: 2, drainSecondsMax: 5,
                framesWaitingPerPeerMax: 1_024, waitSecondsMax: 600))
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        let (loud, quiet) = (
            try await rig.client(of: transport), try await rig.client(of: transport)
        )
        let account = try #require(try rig.home.accounts().first).publicKey
        // Two questions take all places of the client, so the rest waits until they are answered.
        for text in ["one", "two"] { try loud.post("nip44_encrypt", [loud.key, text]) }
        let count = 1_000
        for number in 0..<count {
            try loud.post("nip44_decrypt", [loud.key, loud.seal("text \(number)", to: account)])
        }
        let call = try quiet.post("nip44_decrypt", [quiet.key, quiet.seal("me too", to: account)])
        #expect(try await quiet.answer(to: call.id)["result"] == "me too")
        #expect(rig.relay.published(for: loud.key).isEmpty)
        person.letAnswer()
        while Set(rig.relay.published(for: loud.key)).count < count + 2 {
            try await Task.sleep(for: .milliseconds(100))
        }
        let answers = try loud.envelopes().map { try JSON.parse($0.span) }
        var results: [String: String] = [:]
        for answer in answers { results[answer["id"]?.text ?? ""] = answer["result"]?.text }
        #expect(answers.count == count + 2)
        for number in 0..<count { #expect(results["\(number + 3)"] == "text \(number)") }
    }

    @Test("of more than a line holds those are refused that came last, in words")
    func beyond() async throws {
        let rig = try RelaysRig(policy: Self.policy)
        let transport = rig.transport(
            TransportLimits(
                connectionsMax: 5, framesMax: 8, framesPerPeerMax: 2, drainSecondsMax: 5,
                framesWaitingPerPeerMax: 20))
        let run = Task { try await transport.run(rig.signer) { _ in } }
        defer { run.cancel() }
        let client = try await rig.client(of: transport)
        let account = try #require(try rig.home.accounts().first).publicKey
        let text = try client.seal("text", to: account)
        let calls = try (0..<200).map { _ in
            try client.envelope(
                NIP46Call(
                    id: "\(Int.random(in: 0..<Int.max))", method: "nip44_decrypt",
                    params: [client.key, text]))
        }
        for call in calls { rig.relay.bring(call, to: client.signer) }
        while Set(rig.relay.published(for: client.key)).count < 200 {
            try await Task.sleep(for: .milliseconds(50))
        }
        let answers = try client.envelopes().map { try JSON.parse($0.span) }
        let doneCount = answers.count { $0["result"] == "text" }
        #expect(doneCount >= 22)
        #expect(answers.count { $0["error"] == "rate limited" } == 200 - doneCount)
    }
}
