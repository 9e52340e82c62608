// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import Testing

@testable import NIP155

/// What SigningCrypto leaves to the adapter: the Base64 around a payload and the text in it.
@Suite("The texts of nip44.vectors.json and nip44.extended.json")
struct NIP44TextTests {
    private static let extended = "nip44.extended.json"

    private func url(_ payload: String) -> String {
        requestURL(
            "nip44_decrypt", ["encryptedText": payload, "pubkey": Rig.bobHex, "id": "1"])
    }

    /// Whether a payload is refused before any key is used, and how.
    private func refusal(_ payload: String) throws -> String? {
        do {
            _ = try Rig().decode(url(payload))
            return nil
        } catch let error as AdapterError {
            #expect(error.code == "invalid_request")
            let answer = try ParsedAnswer(try Rig().message(error.reply))
            #expect(answer.place == "myapp://err" && answer["code"] == "invalid_request")
            return error.reason
        }
    }

    /// The answer where the payload decrypted to these bytes.
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

    @Test("of the invalid payloads those that show it are refused, the others go to the key")
    func invalid() throws {
        let rows = try #require(
            try Vectors.json("nip44.vectors.json")["v2"]?["invalid"]?["decrypt"]?.list)
        #expect(rows.count == 12)
        // A MAC and a padding are hidden behind the key.
        let hidden = ["invalid MAC", "invalid padding"]
        for row in rows {
            let note = try row.required("note")
            let reason = try refusal(row.required("payload"))
            #expect((reason == nil) == hidden.contains(note), "\(note)")
            if note.hasPrefix("unknown encryption version") {
                #expect(reason == "encryptedText is of a version other than NIP-44 version 2")
            }
            if note == "invalid base64" {
                #expect(reason?.hasPrefix("encryptedText is not Base64") == true)
            }
        }
    }

    @Test("so it is with the extended ones")
    func invalidExtended() throws {
        let expected = [
            "version 1": "encryptedText is of a version other",
            "# prefix": "encryptedText is of a version other",
            "base64 without padding characters": "encryptedText is not Base64",
        ]
        let rows = try Vectors.rows(Self.extended, "invalid_decrypt")
        #expect(rows.count == 8)
        for row in rows {
            let name = try row.required("name")
            let reason = try refusal(row.required("payload"))
            guard let start = expected[name] else {
                #expect(reason == nil, "\(name)")
                continue
            }
            #expect(reason?.hasPrefix(start) == true, "\(name): \(reason ?? "accepted")")
        }
    }

    @Test("a payload whose bytes are no text is answered like one that does not decrypt")
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
