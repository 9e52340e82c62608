// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import Template
import Testing

@Suite("The template protocol")
struct TemplateTests {
    private let adapter = TemplateAdapter()
    private let seed = [UInt8](repeating: 3, count: 32)

    private func account(_ address: String = "alice") throws -> Account {
        let key = try Ed25519Key(seed: SecretBytes(copying: seed.span))
        return Account(
            id: KeyID(address), name: address, protocolID: ProtocolID("template"),
            algorithm: .ed25519, publicKey: key.publicKey, address: address, network: nil)
    }

    private func decode(
        _ text: String, holding accounts: [Account]
    ) throws(AdapterError) -> TemplateRequest {
        try adapter.decode(
            Array(text.utf8).span,
            in: DecodingContext(
                accounts: accounts,
                peer: Peer(channel: "test"),
                now: Timestamp(seconds: 0), freshID: [], wasSeen: { _ in nil }))
    }

    private func refusal(_ text: String, holding accounts: [Account]) throws -> String {
        do throws(AdapterError) {
            _ = try decode(text, holding: accounts)
            return "accepted"
        } catch {
            #expect(try json(error.reply) == ["error": .string(error.code)])
            return error.code
        }
    }

    private func json(_ reply: Reply) throws -> JSON {
        guard case .message(let bytes) = reply else { return nil }
        return try JSON.parse(bytes.span)
    }

    private func input(_ request: TemplateRequest) throws -> SigningInput {
        let operation = try #require(request.operations.first)
        guard case .sign(let input) = operation.operation else {
            throw DomainError.notRegistered(TemplateAdapter.domainID)
        }
        return input
    }

    @Test("a note is decoded, signed for real and answered")
    func wholeWay() throws {
        let account = try account()
        let request = try decode("{\"text\":\"h\u{e9}llo\"}", holding: [account])
        #expect(request.facts == [Fact("text.bytes", .integer(6))])
        #expect(request.effects == [.publishes] && request.dangers.isEmpty)
        #expect(request.summary.text.contains("h\u{e9}llo"))

        let input = try input(request)
        let message = try DomainRegistry(adapter.domains).message(for: input, by: account)
        #expect(message == Array("countersign template note v1\0h\u{e9}llo".utf8))
        let key = try Ed25519Key(seed: SecretBytes(copying: seed.span))
        let signature = try key.sign(message.span)
        let results = [KeyResult.signature(signature, message: message)]
        let reply = adapter.finalReply(.done(results), to: request)
        #expect(try json(reply) == ["signature": .string(Hex.encode(signature.span))])
    }

    @Test("a malformed request is refused")
    func refusals() throws {
        let account = try account()
        let malformed = [
            "", "[]", "{}", "{\"text\":1}", "{\"text\":\"a\",\"more\":1}", "{\"text\":\"a\"}x",
            "{\"text\":\"a\",\"text\":\"b\"}", "{\"text\":\"a\",\"account\":1}",
            "{\"text\":\"a\",\"account\":null}", "{\"text\":{\"a\":\"b\"}}",
        ]
        for text in malformed { #expect(try refusal(text, holding: [account]) == "malformed") }
        let whole = "{\"account\":\"alice\",\"text\":\"note\"}"
        for count in 0..<whole.count {
            #expect(try refusal(String(whole.prefix(count)), holding: [account]) == "malformed")
        }
        func note(_ count: Int) -> String {
            "{\"text\":\"\(String(repeating: "x", count: count))\"}"
        }
        #expect(try refusal(note(1_024), holding: [account]) == "accepted")
        #expect(try refusal(note(1_025), holding: [account]) == "too_long")
        #expect(adapter.refuseOversize(frameBytes: 4_097).code == "too_long")
    }

    @Test("the account is the one named, else the only one")
    func accounts() throws {
        let both = [try account("alice"), try account("bob")]
        #expect(try refusal("{\"text\":\"a\"}", holding: []) == "no_account")
        #expect(try refusal("{\"text\":\"a\"}", holding: both) == "no_account")
        let other = "{\"text\":\"a\",\"account\":\"carol\"}"
        #expect(try refusal(other, holding: both) == "no_account")
        let request = try decode("{\"text\":\"a\",\"account\":\"bob\"}", holding: both)
        #expect(request.operations.first?.account == both[1])
        let shared = Account(
            id: KeyID("shared"), name: "shared", protocolID: ProtocolID("template"),
            algorithm: .multisig, publicKey: seed, address: "shared", network: nil)
        let named = "{\"text\":\"a\",\"account\":\"shared\"}"
        #expect(try refusal(named, holding: both + [shared]) == "no_account")
        let only = try decode("{\"text\":\"a\"}", holding: [shared, both[0]])
        #expect(only.operations.first?.account == both[0])
    }

    @Test("hidden characters are flagged and shown")
    func hiddenCharacters() throws {
        let request = try decode("{\"text\":\"a\\u202eb\"}", holding: [try account()])
        #expect(request.dangers == [.controlCharacters])
        #expect(request.summary.warnings.count == 1)
        #expect(request.summary.text.contains("\\u{202E}"))
    }

    @Test("the domain accepts notes and nothing else")
    func domain() throws {
        let domain = try #require(adapter.domains.first)
        let request = try decode("{\"text\":\"note\"}", holding: [try account()])
        let whole = try input(request).preimage
        func claims(_ bytes: [UInt8]) -> Bool {
            bytes.starts(with: domain.prefix) && domain.isValid(bytes, [])
        }
        #expect(claims(whole))
        for count in 0..<domain.prefix.count { #expect(!claims(Array(whole.prefix(count)))) }
        #expect(!claims(whole + [0xFF]))
        #expect(!claims(whole + [UInt8](repeating: 65, count: 1_024)))
        #expect(!claims([0x9d, 0x01, 0x00, 0x80] + whole))
        #expect(!claims(Array("[0,\"note\"]".utf8)))
    }

    @Test("the rules of all adapters are kept")
    func conformance() async throws {
        let context = DecodingContext(
            accounts: [try account()],
            peer: Peer(channel: "test"),
            now: Timestamp(seconds: 0), freshID: [], wasSeen: { _ in nil })
        let frames = ["{\"text\":\"a\"}", "{\"text\":\"\"}"].map { Array($0.utf8) }
        let findings = await AdapterConformance.findings(
            adapter, frames: frames,
            results: [.signature([UInt8](repeating: 1, count: 64), message: [])], in: context)
        #expect(findings == [])
    }

    @Test("every outcome has an answer", arguments: ReasonCode.allCases)
    func outcomes(_ code: ReasonCode) throws {
        let request = try decode("{\"text\":\"a\"}", holding: [try account()])
        let denied = adapter.finalReply(.denied(Reason(code, "inner words")), to: request)
        #expect(adapter.finalReply(.failed(Reason(code, "inner words")), to: request) == denied)
        let error = try #require(try json(denied)["error"]?.text)
        #expect(["refused", "try_later", "hub_failed"].contains(error))
        let wrong: [[KeyResult]] = [[], [.publicKey([1])]]
        for results in wrong {
            let reply = adapter.finalReply(.done(results), to: request)
            #expect(try json(reply) == ["error": "hub_failed"])
        }
    }
}
