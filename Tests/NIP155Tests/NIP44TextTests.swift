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

/// The part that the adapter decodes itself: Base64 around a payload, and the text within.
@Suite("The texts of nip44.vectors.json and nip44.extended.json")
struct NIP44TextTests {
    private static let extended = "nip44.extended.json"

    private func url(_ payload: String) -> String {
        requestURL(
            "nip44_decrypt", ["encryptedText": payload, "pubkey": NostrKeys.bobHex, "id": "1"])
    }

    /// The answer if the payload decrypts to these bytes.
    private func answer(_ payload: String, decrypted: [UInt8]) throws -> ParsedAnswer {
        let rig = Rig()
        let request = try rig.decode(url(payload))
        let reply = rig.adapter.finalReply(.done([.plaintext(decrypted)]), to: request)
        return try ParsedAnswer(try rig.message(reply))
    }

    private func decrypt(_ payload: String) throws -> [UInt8] {
        let file = try Vectors.json(Self.extended)
        let key = try Hex.decode(file.required("conversation_key"))
        let bytes = try Base64.decode(payload)
        return try NIP44.decrypt(bytes.span, conversationKey: SecretBytes(copying: key.span))
    }

    @Test("a payload whose bytes are not text is answered like one that does not decrypt")
    func notText() throws {
        let rows = try Vectors.rows(Self.extended, "invalid_decrypt")
        let row = try #require(rows.first { $0["name"]?.text == "non-UTF-8 plaintext" })
        let payload = try row.required("payload")
        let bytes = try decrypt(payload)
        #expect(String(validating: bytes, as: UTF8.self) == nil)
        let answer = try answer(payload, decrypted: bytes)
        #expect(answer.place == "myapp://err")
        #expect(answer["code"] == "invalid_request" && answer["reason"] == "could not decrypt")
        #expect(answer["result"] == nil)
    }

    @Test("padding that is not zero does not matter")
    func padding() throws {
        let row = try #require(try Vectors.json(Self.extended)["non_zero_padding_bytes"])
        let payload = try row.required("payload")
        let answer = try answer(payload, decrypted: try decrypt(payload))
        #expect(answer.place == "myapp://ok" && answer["result"] == "hello")
    }
}
