// SPDX-License-Identifier: Apache-2.0

import ARC27
import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Conversations of the vectors") struct ConversationTests {
    /// Conversations with a provider that has a node.
    static let posted: Set = ["post-ok", "post-partly-failed", "sign-and-post-ok"]

    @Test("all conversations are read")
    func isComplete() {
        #expect(Conversation.all.count == 59)
    }

    @Test("is answered as written", arguments: Conversation.all, FrameForm.allCases)
    func answers(_ conversation: Conversation, _ form: FrameForm) throws {
        let reply = try provider(for: conversation).answer(
            conversation.frame(form), judgement(conversation.json["policy"]?.text),
            network: network(conversation.name))
        guard let expected = conversation.response else {
            guard case .silence = reply else {
                Issue.record("answered")
                return
            }
            return
        }
        let answer = try #require(try Wire.json(reply))
        #expect(answer["id"] == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(answer["reference"] == expected["reference"])
        #expect(answer["requestId"] == expected["requestId"])
        #expect(answer.object?.members.count == 4)
        #expect(
            (answer["result"] ?? .null).withSortedMembers
                == (expected["result"] ?? .null).withSortedMembers)
        for name in ["code", "data", "providerId"] {
            #expect(answer["error"]?[name] == expected["error"]?[name])
        }
        #expect((answer["error"] == nil) == (expected["error"] == nil))
    }

    @Test("is not answered", arguments: Vectors.list("arc27_messages.json", "ignore_frames"))
    func ignores(_ row: JSON) throws {
        let frame = try #require(row["frame"]?.text)
        let error = try #require(throws: AdapterError.self) { try TestProvider().decode(frame) }
        guard case .silence(let reason) = error.reply else {
            Issue.record("answered")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("JSON text is answered in JSON text")
    func legacy() throws {
        let rows = Vectors.list("arc27_messages.json", "legacy_frames")
        let row = try #require(rows.first { $0["name"] == "json-arc27" })
        let reply = try TestProvider().answer(try #require(row["request"]?.text))
        guard case .message(let bytes) = reply else { throw Missing() }
        #expect(bytes.first == UInt8(ascii: "{"))
        #expect(try Wire.json(reply)?["result"]?["name"] == "Signing Hub")
        let other = try #require(rows.first { $0["name"] == "json-transaction" })
        guard case .silence = try TestProvider().answer(try #require(other["request"]?.text))
        else { throw Missing() }
    }

    private struct Missing: Error {}

    private func judgement(_ policy: String?) -> TestProvider.Judgement {
        switch policy {
        case "deny": .refuse(.personDenied)
        case "timeout": .refuse(.approvalTimedOut)
        default: .allow
        }
    }

    private func network(_ name: String) -> TestProvider.Network {
        guard name == "post-partly-failed" else { return .takesAll }
        return TestProvider.Network(results: [1: .refused(name: "Overspend", "overspend")])
    }

    /// The provider with the settings that a conversation assumes.
    private func provider(for conversation: Conversation) throws -> TestProvider {
        // With raw messages no prefix is added, so a text with a reserved prefix is refused.
        let isRaw = conversation.name == "sign-message-refused-prefix"
        var provider = try TestProvider(
            postingNetworks: Self.posted.contains(conversation.name) ? [.testnet] : [],
            clients: isRaw ? ["dapp": ARC27ClientSettings(messages: .raw)] : [:])
        provider.client = "dapp"
        // The vector of ARC-60 assumes that the client is on the domain that it names.
        if conversation.name == "sign-message-arc60-params" {
            provider.client = "https://dapp.example.org"
        }
        if conversation.name.hasPrefix("disable") { provider.sessions = [provider.session()] }
        return provider
    }

    @Test("clients that read bare signatures get them")
    func signatures() throws {
        let rows = Conversation.all.filter { $0.json["liquid_signature_mode_stxns"] != nil }
        #expect(rows.count == 3)
        for conversation in rows {
            for isSetting in [true, false] {
                let settings = ["dapp": ARC27ClientSettings(stxns: .signature)]
                var provider = try TestProvider(clients: isSetting ? settings : [:])
                provider.client = "dapp"
                provider.channel = isSetting ? "test" : "liquid"
                var frame = try conversation.frame(.json)
                if !isSetting {
                    frame = frame.replacing(
                        TestProvider.providerID, with: "02657eaf-be17-4efc-b0a4-19d654b2448e")
                }
                let reply = try provider.answer(frame)
                #expect(
                    try Wire.json(reply)?["result"]?["stxns"]
                        == conversation.json["liquid_signature_mode_stxns"])
            }
        }
    }

    @Test("a client that takes bare signatures is refused where a signature alone is ambiguous")
    func onlyBare() throws {
        let settings = ["dapp": ARC27ClientSettings(stxns: .signature)]
        var provider = try TestProvider(clients: settings)
        provider.client = "dapp"
        for name in [
            "sign-group-with-stxn-passthrough", "sign-rekeyed-authaddr", "sign-multisig-partial",
        ] {
            let conversation = try #require(Conversation.all.first { $0.name == name })
            let error = try Wire.error(provider.answer(conversation.frame(.json)))
            #expect(error["code"] == 4200, "\(name)")
            #expect(error["message"]?.text?.contains("bare signatures") == true)
        }
    }
}
