// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing
import VectorFiles

@testable import NEAR

@Suite("Messages of NEP-641, and those of nep641.json")
struct OffchainRecipientTests {
    private static let vectors = VectorFile.near("nep641.json")["vectors"]?.list ?? []

    @Test("all vectors are there, one with a callback")
    func counts() throws {
        #expect(Self.vectors.count == 3)
        let callbacks = Self.vectors.compactMap { $0["nep413"]?["callbackUrl"]?.text }
        #expect(callbacks.count == 1)
    }

    @Test("the recipient is split into its parts", arguments: vectors)
    func recipient(_ vector: JSON) throws {
        let text = try #require(vector["nep413"]?["recipient"]?.text)
        let recipient = try #require(OffchainRecipient(text))
        let message = try #require(vector["msg"])
        #expect(recipient.network == message["chain_id"]?.text)
        #expect(recipient.account == message["signer_id"]?.text)
        let path = message["path"]?.list ?? []
        #expect(recipient.path == path.map { $0.text ?? "" })
        let seconds = try #require(message["timestamp"]?.text).prefix { $0 != "." }
        #expect(recipient.time == seconds + "Z")
        #expect(OffchainRecipient(text.replacing(" @ ", with: " at ")) == nil)
        #expect(OffchainRecipient(text.replacing(": ", with: ":")) == nil)
    }

    @Test("the preimage is the tag and the parts in their order", arguments: vectors)
    func preimage(_ vector: JSON) throws {
        let payload = try #require(vector["nep413"])
        let nonce = try Hex.decode(try #require(payload["nonceHex"]?.text))
        let call = MessageCall(
            message: try #require(payload["message"]?.text),
            recipient: try #require(payload["recipient"]?.text), nonce: nonce,
            callbackURL: payload["callbackUrl"]?.text)
        let request = try call.request()
        guard case .sign(let input) = request.operations[0].operation else {
            Issue.record("not a signing operation")
            return
        }
        #expect(payload["nonceHex"] == vector["canonicalHashSha3_256Hex"])
        var expected: [UInt8] = [0x9d, 0x01, 0x00, 0x80]
        expected += borsh(call.message) + nonce
        expected += borsh(call.recipient)
        expected += call.callbackURL.map { [1] + borsh($0) } ?? [0]
        #expect(input.preimage == expected)
        #expect(request.summary.warnings.contains { $0.contains("contracts act on this") })
        // It is no login: contracts on the path do what the message says.
        #expect(request.dangers.contains(.intents) && request.decoding == .partial)
        #expect(request.effects == [.provesIdentity, .spends, .grantsAuthority])
        #expect(request.fact("intents") == nil)
        #expect(request.summary.title.hasPrefix("Contracts may act for your account"))
    }

    @Test("only NEP-641's own pattern is a recipient of that kind")
    func offchainRecipients() throws {
        let path = "mainnet: extension.near -> wallet.near -> v1.signer @ 2026-08-05T07:28:00Z"
        let read = try #require(OffchainRecipient(path))
        #expect(read.network == "mainnet" && read.account == "extension.near")
        #expect(read.path == ["wallet.near", "v1.signer"] && read.time == "2026-08-05T07:28:00Z")
        let direct = try #require(OffchainRecipient("testnet: a.near @ 2026-08-05T07:28:00Z"))
        #expect(direct.path.isEmpty)
        let others = [
            "", "myapp.com", "mainnet:a.near @ 2026-08-05T07:28:00Z",
            "mainnet: a.near @ 2026-08-05T07:28:00", "mainnet: a.near @ 2026-08-05 07:28:00Z",
            "mainnet: a.near @ 2026-08-05T07:28:00.5Z", "mainnet: A.near @ 2026-08-05T07:28:00Z",
            "mainnet: a.near ->  @ 2026-08-05T07:28:00Z", ": a.near @ 2026-08-05T07:28:00Z",
            "mainnet: a.near -> @ 2026-08-05T07:28:00Z", "mainnet:  @ 2026-08-05T07:28:00Z",
            "Main: a.near @ 2026-08-05T07:28:00Z", "mainnet: a.near @ 2026-08-05T07:28:00Z ",
        ]
        for other in others { #expect(OffchainRecipient(other) == nil, "\(other)") }
    }

    @Test("a NEP-641 recipient is shown with its parts")
    func offchainRecipient() throws {
        let request = try MessageCall.vector("nep641-path2")
            .request(holding: [JudgedTransaction.account("testnet")])
        let shown = request.summary.lines.filter { $0.label.hasPrefix("NEP-641") }.map(\.text)
        #expect(
            shown == [
                "mainnet", "extension.near", "wallet.near -> v1.signer", "2026-08-05T07:28:00Z",
            ])
        #expect(request.summary.warnings.count == 2)
        let plain = try MessageCall().request()
        #expect(!plain.summary.text.contains("NEP-641"))
    }

    /// A Borsh string: its length in four little-endian bytes, then UTF-8.
    private func borsh(_ text: String) -> [UInt8] {
        let count = text.utf8.count
        return [UInt8(count & 0xff), UInt8(count >> 8), 0, 0] + text.utf8
    }
}
