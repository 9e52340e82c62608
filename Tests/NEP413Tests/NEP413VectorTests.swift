// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import NEP413
import SigningCodecs
import SigningCore
import Testing

@Suite("NEP-413 vectors")
struct NEP413VectorTests {
    @Test("all vectors are there")
    func counts() {
        #expect(Vectors.messages.count == 21)
        #expect(Vectors.messages.filter { $0.secretKey?.hasPrefix("ed25519:") == true }.count == 19)
        #expect(Vectors.negatives.count == 14)
        #expect(Vectors.encodings.count == 16)
    }

    @Test("the preimage is the tag and the Borsh bytes", arguments: Vectors.messages)
    func preimage(_ vector: MessageVector) throws {
        let signer = try Signer(address: vector.accountID)
        let request = try decode(vector.frame, holding: [signer.account])
        guard case .sign(let input) = request.operations[0].operation else {
            throw TestFailure("not a signing operation")
        }
        let expected = try #require(vector.json["prehashSha256Hex"]?.text)
        #expect(hexOfHash(input.preimage) == expected)

        let payload = Array(input.preimage.dropFirst(4))
        #expect(Array(input.preimage.prefix(4)) == [0x9d, 0x01, 0x00, 0x80])
        if let borsh = vector.json["payloadBorshHex"]?.text {
            #expect(hex(payload) == borsh)
        } else {
            let digest = try #require(vector.json["payloadBorshSha256Hex"]?.text)
            #expect(hexOfHash(payload) == digest)
            #expect(vector.json["payloadBorshLength"]?.integerValue == Int64(payload.count))
        }
    }

    @Test("a real signature is the expected one, byte for byte", arguments: Vectors.messages)
    func signature(_ vector: MessageVector) throws {
        guard let secretKey = vector.secretKey, secretKey.hasPrefix("ed25519:") else { return }
        let signer = try Signer(secretKey, address: vector.accountID)
        let answer = try signer.answer(vector.frame)
        #expect(
            answer == [
                "accountId": .string(vector.accountID), "publicKey": .string(vector.publicKey),
                "signature": .string(vector.signature),
            ])
    }

    @Test("every signature verifies as given", arguments: Vectors.messages)
    func verifies(_ vector: MessageVector) throws {
        let statement = try adapter.readSigned(vector.statement().span)
        #expect(verify(statement) == "as given")
        #expect(statement.signatures[0].readings.count == 1)
    }

    @Test("every signature fails once its message is another", arguments: Vectors.messages)
    func failsWhenChanged(_ vector: MessageVector) throws {
        let bytes = vector.statement()
        let text = String(decoding: bytes, as: UTF8.self)
        let changed = text.replacing("\"message\":\"", with: "\"message\":\"!", maxReplacements: 1)
        let statement = try adapter.readSigned(Array(changed.utf8).span)
        #expect(changed != text)
        #expect(verify(statement) == nil)
    }

    @Test("wrong signatures are readable and do not verify", arguments: Vectors.negatives)
    func negative(_ vector: MessageVector) throws {
        let statement = try adapter.readSigned(vector.statement().span)
        #expect(verify(statement) == nil)
    }

    @Test("callback variants are tried only on demand, and the one that holds is named")
    func callbackVariants() throws {
        let expected = [
            "callback-added": "callbackUrl left out", "none-vs-empty": "callbackUrl left out",
        ]
        for vector in Vectors.negatives {
            let bytes = vector.statement([.init(name: "callbackVariants", value: true)])
            let statement = try adapter.readSigned(bytes.span)
            #expect(verify(statement) == expected[vector.id], "\(vector.id)")
        }
        let plain = try Vectors.message("naj-no-callback")
        let variants = plain.statement([.init(name: "callbackVariants", value: true)])
        let statement = try adapter.readSigned(variants.span)
        #expect(verify(statement) == "as given")
        #expect(statement.signatures[0].readings.map(\.name) == ["as given", "callbackUrl empty"])
    }

    @Test("signatures are read in the encodings met in the wild", arguments: Vectors.encodings)
    func encoding(_ row: EncodingVector) throws {
        let vector = try Vectors.message("naj-no-callback")
        let members: [JSONObject.Member] = [
            .init(name: "publicKey", value: .string(vector.publicKey)),
            .init(name: "signature", value: .string(row.text)),
        ]
        let bytes = JSON.object(JSONObject(vector.members + members)).write()
        guard row.isAccepted else {
            #expect(throws: StatementError.self) { try adapter.readSigned(bytes.span) }
            return
        }
        let statement = try adapter.readSigned(bytes.span)
        let file = Vectors.file("nep413_signature_encodings.json")
        let expected = try #require(file["signatureHex"]?.text)
        #expect(hex(statement.signatures[0].signature) == expected)
        #expect(verify(statement) == "as given")
    }
}
