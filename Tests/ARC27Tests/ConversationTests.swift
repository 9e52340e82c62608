// SPDX-License-Identifier: Apache-2.0

import ARC27
import SigningCodecs
import SigningCore
import Testing

@Suite("Conversations of the vectors") struct ConversationTests {
    /// Conversations that we answer otherwise, because their subject is not offered yet.
    static let notOffered: [String: (code: Int64, method: String?)] = [
        "sign-multisig-partial": (4200, nil),
        "sign-message": (4003, "sign_message"),
        "sign-message-refused-prefix": (4003, "sign_message"),
        "sign-message-arc60-params": (4003, "sign_message"),
        "post-ok": (4003, "post_transactions"),
        "post-partly-failed": (4003, "post_transactions"),
        "sign-and-post-ok": (4003, "sign_and_post_transactions"),
    ]

    @Test("all conversations are read and every exception names one")
    func isComplete() {
        #expect(Conversation.all.count == 59)
        let names = Set(Conversation.all.map(\.name))
        #expect(names.isSuperset(of: Self.notOffered.keys))
    }

    @Test("is answered as written", arguments: Conversation.all, FrameForm.allCases)
    func answers(_ conversation: Conversation, _ form: FrameForm) throws {
        let reply = try TestProvider().answer(
            conversation.frame(form), judgement(conversation.json["policy"]?.text))
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
        if let other = Self.notOffered[conversation.name] {
            #expect(answer["error"]?["code"] == .integer(other.code))
            #expect(answer["error"]?["data"]?["method"]?.text == other.method)
            #expect(answer["error"]?["providerId"]?.text == TestProvider.providerID)
        } else {
            #expect(
                Wire.sorted(comparable(answer["result"], conversation))
                    == Wire.sorted(comparable(expected["result"], conversation)))
            for name in ["code", "data", "providerId"] {
                #expect(answer["error"]?[name] == expected["error"]?[name])
            }
            #expect((answer["error"] == nil) == (expected["error"] == nil))
        }
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

    /// A result without what is documented to differ: sessions, and methods not offered yet.
    private func comparable(_ result: JSON?, _ conversation: Conversation) -> JSON {
        guard var object = result?.object else { return result ?? .null }
        object.members.removeAll { $0.name == "sessionId" }
        for index in object.members.indices {
            switch object.members[index].name {
            case "sessionIds": object.members[index].value = []
            case "networks":
                let networks = object.members[index].value.list ?? []
                object.members[index].value = .array(networks.map(withoutMessages))
            default: break
            }
        }
        return .object(object)
    }

    private func withoutMessages(_ network: JSON) -> JSON {
        guard var object = network.object else { return network }
        for index in object.members.indices where object.members[index].name == "methods" {
            let methods = object.members[index].value.list ?? []
            object.members[index].value = .array(methods.filter { $0 != "sign_message" })
        }
        return .object(object)
    }
}
