// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

/// One NEP-641 message with the NEP-413 payload it maps to.
struct OffchainVector: Sendable, CustomTestStringConvertible {
    let json: JSON
    var testDescription: String { json["id"]?.text ?? "" }

    static let all = (Vectors.file("nep641.json")["vectors"]?.list ?? []).map {
        OffchainVector(json: $0)
    }

    /// The members of the payload, the nonce as hexadecimal digits.
    func members() throws -> [String: JSON?] {
        let payload = try #require(json["nep413"])
        return [
            "message": payload["message"], "recipient": payload["recipient"],
            "nonce": payload["nonceHex"], "callbackUrl": payload["callbackUrl"],
        ]
    }
}

@Suite("The messages of nep641.json")
struct NEP413OffchainTests {
    @Test("all vectors are there, one with a callback")
    func counts() throws {
        #expect(OffchainVector.all.count == 3)
        let callbacks = OffchainVector.all.compactMap { $0.json["nep413"]?["callbackUrl"]?.text }
        #expect(callbacks.count == 1)
    }

    @Test("the recipient is taken apart into what it was made of", arguments: OffchainVector.all)
    func recipient(_ vector: OffchainVector) throws {
        let text = try #require(vector.json["nep413"]?["recipient"]?.text)
        let recipient = try #require(OffchainRecipient(text))
        let message = try #require(vector.json["msg"])
        #expect(recipient.network == message["chain_id"]?.text)
        #expect(recipient.account == message["signer_id"]?.text)
        let path = message["path"]?.list ?? []
        #expect(recipient.path == path.map { $0.text ?? "" })
        let seconds = try #require(message["timestamp"]?.text).prefix { $0 != "." }
        #expect(recipient.time == seconds + "Z")
        #expect(OffchainRecipient(text.replacing(" @ ", with: " at ")) == nil)
        #expect(OffchainRecipient(text.replacing(": ", with: ":")) == nil)
    }

    @Test("the preimage is the tag and the parts in their order", arguments: OffchainVector.all)
    func preimage(_ vector: OffchainVector) throws {
        let payload = try #require(vector.json["nep413"])
        let request = try decode(
            frame(vector.members()), holding: [try Signer(address: "extension.near").account])
        guard case .sign(let input) = request.operations[0].operation else {
            throw TestFailure("not a signing operation")
        }
        let nonce = try Hex.decode(try #require(payload["nonceHex"]?.text))
        #expect(payload["nonceHex"] == vector.json["canonicalHashSha3_256Hex"])
        var expected: [UInt8] = [0x9d, 0x01, 0x00, 0x80]
        expected += borsh(try #require(payload["message"]?.text)) + nonce
        expected += borsh(try #require(payload["recipient"]?.text))
        expected += payload["callbackUrl"]?.text.map { [1] + borsh($0) } ?? [0]
        #expect(input.preimage == expected)
        #expect(request.summary.warnings.contains { $0.contains("contracts act on this") })
    }

    /// The signature is somebody else's, so it holds only over somebody else's preimage.
    @Test("the signature of the file holds over it", arguments: OffchainVector.all)
    func signature(_ vector: OffchainVector) throws {
        let authorization = try #require(vector.json["accessKeyAuthorization"])
        #expect(
            authorization["via"]?["extra"]?["callback_url"]?.text
                == vector.json["nep413"]?["callbackUrl"]?.text)
        var members = try vector.members()
        members["publicKey"] = authorization["access_key"]
        members["signature"] = authorization["signature"]
        let statement = try adapter.readSigned(frame(members).span)
        #expect(verify(statement) == "as given")
        members["callbackUrl"] = "https://evil.example/"
        #expect(verify(try adapter.readSigned(frame(members).span)) == nil)
    }

    /// A string as Borsh has it: its length in four little-endian bytes, then UTF-8.
    private func borsh(_ text: String) -> [UInt8] {
        let count = text.utf8.count
        return [UInt8(count & 0xff), UInt8(count >> 8), 0, 0] + text.utf8
    }
}
