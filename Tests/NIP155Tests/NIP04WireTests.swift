// SPDX-License-Identifier: Apache-2.0

import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import Testing

@testable import NIP155

@Suite("NIP-04 over the wire")
struct NIP04WireTests {
    private static func rows(_ name: String) throws -> [JSON] {
        let file = try Vectors.json("nip04.vectors.json")
        return try #require(name == "valid" ? file["valid"]?.list : file["invalid"]?["cases"]?.list)
    }

    private static func decrypt(_ text: String, from peer: String) -> String {
        requestURL("nip04_decrypt", ["encryptedText": text, "pubkey": peer, "id": "1"])
    }

    @Test("Every row is read by its receiver")
    func valid() throws {
        for row in try Self.rows("valid") {
            let secret = try #require(row["recipient_secret"]?.text)
            let peer = try #require(row["sender_pubkey"]?.text)
            let text = try #require(row["payload"]?.text)
            let answer = try ParsedAnswer(
                try Rig(secrets: [secret]).answer(Self.decrypt(text, from: peer)))
            #expect(answer["result"] == row["plaintext"]?.text)
        }
    }

    @Test("Every wrong ciphertext gets the same answer")
    func invalid() throws {
        let file = try #require(try Vectors.json("nip04.vectors.json")["invalid"])
        let rig = Rig(secrets: [try #require(file["recipient_secret"]?.text)])
        let peer = try #require(file["sender_pubkey"]?.text)
        var answers: Set<String> = []
        for row in try Self.rows("invalid") {
            let url = Self.decrypt(try #require(row["payload"]?.text), from: peer)
            do {
                let request = try rig.decode(url)
                let outcome = (try? rig.perform(request)).map { Outcome.done($0) }
                answers.insert(
                    try rig.message(
                        rig.adapter.finalReply(
                            outcome ?? .failed(Reason(.undecryptable, "")), to: request)))
            } catch let error as AdapterError {
                answers.insert(try rig.message(error.reply))
            }
        }
        #expect(
            answers == ["myapp://err?id=1&code=invalid_request&reason=could%20not%20decrypt"])
    }

    @Test("A text encrypted here is read there, also an empty one; it is flagged as old")
    func roundTrip() throws {
        for text in ["", "a", "sixteen bytes 16", String(repeating: "\u{E4}", count: 5_000)] {
            let url = requestURL(
                "nip04_encrypt",
                ["plaintext": text, "pubkey": NostrKeys.bobHex, "returnType": "ciphertext"])
            let request = try Rig().decode(url)
            #expect(request.operations[0].dangers == [.legacyEncryption])
            #expect(request.operations[0].facts.contains(Fact("scheme", .text("nip04"))))
            let sealed = try #require(try ParsedAnswer(try Rig().answer(url))["result"])
            #expect(sealed.contains("?iv="))
            let back = Self.decrypt(sealed, from: NostrKeys.aliceHex)
            let rig = Rig(secrets: [NostrKeys.bobSecret])
            #expect(try rig.decode(back).operations[0].dangers == [.decrypt, .legacyEncryption])
            #expect(try ParsedAnswer(try rig.answer(back))["result"] == text)
        }
    }

    @Test("A plaintext that is not there at all is missing, not empty")
    func missing() throws {
        for type in ["nip04_encrypt", "nip44_encrypt"] {
            let refusal = try Rig().refusal(requestURL(type, ["pubkey": NostrKeys.bobHex]))
            #expect(refusal.reason == "plaintext is missing")
        }
        let refusal = try Rig().refusal(
            requestURL("nip04_encrypt", ["plaintext": "x"]))
        #expect(refusal.reason == "pubkey is missing")
    }
}
