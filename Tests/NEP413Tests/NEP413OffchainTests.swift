// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

/// One NEP-641 message with its NEP-413 payload.
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

@Suite("The signatures of nep641.json")
struct NEP413OffchainTests {
    /// Another wallet signed, so its signature is valid only for that wallet's preimage.
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
}
