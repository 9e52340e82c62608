// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningStorage
import SigningVault
import TestHome
import Testing

/// If the wire cannot carry a result, the peer and the record must both report it.
@Suite("A result that the wire cannot carry")
struct UndeliverableTests {
    let home: TestHome

    init() throws { home = try TestHome.ofSamples() }

    private static let policy = """
        [[rule]]
        id = "r"
        effect = "allow"
        protocol = "nostr"
        acknowledge = ["decrypt", "new_client"]
        """

    /// Answers one NIP-155 request under a rule that allows all requests.
    private func answer(_ type: String, _ parameters: KeyValuePairs<String, String>) async throws
        -> Answer
    {
        let pairs = parameters.map { "\($0.key)=\(PercentEncoding.encode($0.value))" }
        let url =
            "nostrsigner://\(type)?type=\(type)&id=42&x-success=myapp://ok&x-error=myapp://err&"
            + pairs.joined(separator: "&")
        let adapter = try #require(Samples.adapters.adapter(named: "nip155"))
        let hub = try home.hub(Self.policy)
        return await hub.answer(.sent(Array(url.utf8)), with: adapter)
    }

    /// The entries on record, oldest first.
    private func record() throws -> [JSON] {
        try home.ledger.flush()
        let entries = try AuditLog.open(home.home).entries(limit: 9)
        return try entries.sorted { $0.sequence < $1.sequence }
            .map { try JSON.parse(Array($0.body.utf8).span) }
    }

    private func reply(_ answer: Answer) -> String {
        guard case .message(let bytes) = answer.reply else { return "\(answer.reply)" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Bob, with the secret 0...06.
    private func bob() throws -> Secp256k1Key {
        try Secp256k1Key(
            secret: SecretBytes(count: 32) { bytes in
                for index in bytes.indices { bytes[index] = index == 31 ? 6 : 0 }
            })
    }

    /// The ciphertext that Bob would send to the account held here.
    private func fromBob(_ plaintext: [UInt8]) throws -> String {
        let peer = try Samples.account("nip155").publicKey
        let shared = try NIP44.conversationKey(own: bob(), peer: peer.span)
        let payload = try NIP44.encrypt(plaintext.span, conversationKey: shared)
        return Base64.encode(payload.span)
    }

    private func bobHex() throws -> String {
        let key = try bob().publicKey
        return Hex.encode(key.span)
    }

    /// Expects that the outcome, the answer and the record report the same failure.
    private func expectFailure(
        _ answer: Answer, _ code: ReasonCode, wire: String, without secret: String
    ) throws {
        guard case .outcome(.failed(let reason)) = answer.ending else {
            Issue.record("\(answer.ending)")
            return
        }
        #expect(reason.code == code)
        #expect(reply(answer).hasPrefix("myapp://err?id=42&code=\(wire)&reason="))
        #expect(!reply(answer).contains(secret))
        let record = try record()
        #expect(record.map { $0["kind"]?.text } == ["intent", "result", "refusal"])
        for entry in record.dropFirst() {
            #expect(entry["outcome"] == "failed")
            #expect(entry["reason"]?["code"]?.text == code.rawValue)
        }
        #expect(record[1]["results"] == nil && record[1]["id"] == record[0]["id"])
        let report = try AuditLog.open(home.home).verify(
            logPublicKey: try home.vault.logPublicKey(),
            lastKnownCheckpoint: try home.vault.lastCheckpoint())
        #expect(report.problem == nil && report.unsettledCount == 0)
    }

    @Test("the control: a text that decrypts is delivered and done")
    func control() async throws {
        let answer = try await answer(
            "nip44_decrypt", ["encryptedText": fromBob(Array("hi".utf8)), "pubkey": bobHex()])
        #expect(reply(answer) == "myapp://ok?id=42&result=hi")
        let record = try record()
        #expect(record.map { $0["kind"]?.text } == ["intent", "result"])
        #expect(record.last?["outcome"] == "done")
    }

    @Test("bytes that are not text are a failure, as if decryption had failed")
    func notText() async throws {
        let answer = try await answer(
            "nip44_decrypt", ["encryptedText": fromBob([0xFF, 0xFE]), "pubkey": bobHex()])
        try expectFailure(answer, .undecryptable, wire: "invalid_request", without: "result=")
    }

    @Test("a text that is larger than a callback once it is decrypted is a failure")
    func tooLarge() async throws {
        // Each of these characters takes three characters in a URL.
        let text = [UInt8](repeating: UInt8(ascii: "%"), count: 30_000)
        let answer = try await answer(
            "nip44_decrypt", ["encryptedText": fromBob(text), "pubkey": bobHex()])
        try expectFailure(answer, .undeliverable, wire: "payload_too_large", without: "result=")
    }
}
