// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import NEAR
@testable import NEP413

@Suite("Forms of nonces")
struct NEP413FormTests {
    @Test("every form of one nonce is signed as the same bytes")
    func nonceForms() throws {
        let file = Vectors.file("nep413_signature_encodings.json")
        let forms = try #require(file["nonceForms"]?.object)
        #expect(forms.members.count == 5)
        let vector = try Vectors.message("naj-no-callback")
        let signer = try Signer(
            try #require(vector.secretKey), address: vector.accountID)
        for form in forms.members {
            var members = vector.members.filter { $0.name != "nonce" }
            members.append(.init(name: "nonce", value: form.value))
            let answer = try signer.answer(JSON.object(JSONObject(members)).write())
            #expect(answer["signature"]?.text == vector.signature, "\(form.name)")
        }
    }

    /// All forms of a nonce that counts up from zero.
    private static func forms(_ count: Int) -> [JSON] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let numbers = bytes.map { JSON.integer(Int64($0)) }
        let indexed = numbers.enumerated().map {
            JSONObject.Member(name: String($0.offset), value: $0.element)
        }
        return [
            .string(Base64.encode(bytes.span)),
            .string(Base64.encode(bytes.span, alphabet: .url, padding: false)),
            .string(Hex.encode(bytes.span)), .string(Hex.encode(bytes.span).uppercased()),
            .array(numbers), ["type": "Buffer", "data": .array(numbers)],
            .object(JSONObject(indexed)), .object(JSONObject(indexed.reversed())),
        ]
    }

    @Test("a nonce has 32 bytes in every form", arguments: [0, 1, 31, 32, 33, 48, 64])
    func nonceLengths(_ count: Int) throws {
        for form in Self.forms(count) {
            if count == 32 {
                #expect(try NonceForm.read(form) == Array(0...31))
            } else {
                #expect(throws: NEARRefusal.self, "\(form)") { try NonceForm.read(form) }
            }
        }
    }

    @Test("other shapes and values are not nonces")
    func wrongNonces() throws {
        let numbers = (0..<31).map { JSON.integer($0) }
        let lasts: [JSON] = [256, -1, .number("1.0"), .number("1e1"), "1", nil, true, []]
        var wrong = lasts.map { JSON.array(numbers + [$0]) }
        let whole = JSON.array(numbers + [31])
        wrong += [
            ["type": "Buffer", "data": whole, "more": 1], ["type": "buffer", "data": whole],
            ["data": whole], ["type": "Buffer"], ["0": whole], nil, true, 32,
            .number("1.5"), " AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=",
            .string("0x" + Hex.encode([UInt8](repeating: 1, count: 32).span)),
        ]
        let indexed = (0..<32).map { JSONObject.Member(name: "0\($0)", value: .integer($0)) }
        wrong.append(.object(JSONObject(indexed)))
        for form in wrong {
            #expect(throws: NEARRefusal.self, "\(form)") { try NonceForm.read(form) }
        }
    }
}

@Suite("A signature whose text has two meanings")
struct AmbiguousSignatureTests {
    @Test("Base58 that is Base64 as well is believed in the meaning that holds")
    func both() throws {
        let key = "ed25519:" + Base58.encode(publicKey.span)
        let statement: JSON = [
            "message": "hi", "recipient": "app.near",
            "nonce": "0000000000000000000000000000000000000000000000000000000000003599",
            "publicKey": .string(key), "signature": .string(Self.text),
        ]
        let bytes = statement.write()
        #expect(try Base64.decode(Self.text, padding: .optional).count == 64)
        #expect(verify(try adapter.readSigned(bytes.span)) == "as given")
        let other: JSON = .object(
            JSONObject(
                statement.object?.members.map {
                    $0.name == "message" ? .init(name: "message", value: "ho") : $0
                } ?? []))
        let changed = other.write()
        #expect(verify(try adapter.readSigned(changed.span)) == nil)
    }

    private static let text =
        "1TUh8Vw6AG9X2Aift7t9rx1qHP4Rnh5yYZMh6xSEfx8m1JTxWo7Tg9inEZSD8ikYoekJbQA63SF8ZUtGtsFKJw"

    private var publicKey: [UInt8] {
        let seed = [UInt8](0..<32)
        return (try? Ed25519Key(seed: SecretBytes(copying: seed.span)).publicKey) ?? []
    }
}
