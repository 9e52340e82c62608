// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

/// Data built here, compared with the vectors and with recorded logins of other programs.
@Suite("Data of passkeys")
struct PasskeyDataTests {
    private let generated: JSON = Ceremony.vectors["generated"] ?? .null

    private func hex(_ name: String, in json: JSON?) throws -> [UInt8] {
        try Hex.decode(try #require(json?[name]?.text))
    }

    @Test("are those of the vectors, to the last byte")
    func generatedVectors() throws {
        let publicKey =
            try hex("p256_x_hex", in: generated) + hex("p256_y_hex", in: generated)
        let cose = try hex("cose_key_hex", in: generated)
        #expect(PasskeyData.coseKey(publicKey) == cose)
        let credential = Digest.sha256(publicKey.span)
        let registration = generated["registration"]
        let body = registration?["attestation_response_body"]
        #expect(body?["id"]?.text == Ceremony.text(credential))
        let data = PasskeyData.attestation(
            host: "dapp.example.org", credential: credential, publicKey: publicKey)
        #expect(try data == hex("authData_hex", in: registration))
        let object = try Ceremony.bytes(body?["response"]?["attestationObject"])
        #expect(PasskeyData.attestationObject(data) == object)
        let clientData = PasskeyData.clientData(
            .create, challenge: Ceremony.challenge, origin: Ceremony.origin)
        let known = try #require(registration?["clientDataJSON"]?.text)
        #expect(clientData == Array(known.utf8))
        // Only the counter differs; ours is always 0.
        let assertion = try hex("authData_hex", in: generated["authentication"])
        #expect(PasskeyData.assertion(host: "dapp.example.org").dropLast() == assertion.dropLast())
    }

    @Test("the key of the vectors has their public half and makes valid signatures")
    func key() throws {
        let scalar = try hex("p256_private_scalar_hex", in: generated)
        let key = try P256Key(secret: SecretBytes(copying: scalar.span))
        #expect(
            try key.publicKey == hex("p256_x_hex", in: generated)
                + hex("p256_y_hex", in: generated))
        let digest = Digest.sha256("login".utf8.span)
        let signature = try key.sign(digest.span)
        #expect(try DER.read(PasskeyData.der(signature)) == signature)
        func holds(_ signature: [UInt8], _ digest: [UInt8]) -> Bool {
            Signatures.isValidP256(
                signature: signature.span, digest: digest.span, publicKey: key.publicKey.span)
        }
        #expect(holds(signature, digest))
        var other = signature
        other[40] ^= 1
        #expect(!holds(other, digest) && !holds(signature, Digest.sha256("other".utf8.span)))
        #expect(!holds([UInt8](repeating: 0, count: 64), digest))
        #expect(!holds(Array(signature.dropLast()), digest))
    }

    @Test("scalars outside the curve's range are refused")
    func scalars() throws {
        let order = try Hex.decode(
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        for scalar in [[UInt8](repeating: 0, count: 32), order, [UInt8](repeating: 255, count: 32)]
        {
            #expect(throws: CryptoError.invalidSecretKey) {
                _ = try P256Key(secret: SecretBytes(copying: scalar.span)).publicKey
            }
        }
        let short = Array(order.dropLast())
        #expect(throws: CryptoError.self) {
            _ = try P256Key(secret: SecretBytes(copying: short.span)).publicKey
        }
    }

    @Test("recorded logins of others hold by the keys that their servers keep")
    func fixtures() throws {
        let fixtures = try #require(Ceremony.vectors["fixtures"])
        let answers = try #require(fixtures["assertion.response.body"]?.list)
        let users = try #require(fixtures["assertion.response.response"]?.list)
        #expect(answers.count == users.count && answers.count > 3)
        for (answer, user) in zip(answers, users) {
            let response = try #require(answer["response"])
            let credential = try #require(
                user["credentials"]?.list?.first { $0["credId"] == answer["id"] })
            let cose = try Ceremony.bytes(credential["publicKey"])
            let publicKey = Array(cose[10..<42] + cose[45..<77])
            #expect(PasskeyData.coseKey(publicKey) == cose)
            let preimage = SigningDomain.joined(
                try Ceremony.bytes(response["authenticatorData"]),
                try Ceremony.bytes(response["clientDataJSON"]))
            let digest = try #require(
                SigningDomain.Prehash.sha256WithHash.message(of: preimage))
            let signature = try DER.read(try Ceremony.bytes(response["signature"]))
            let isValid = Signatures.isValidP256(
                signature: signature.span, digest: digest.span, publicKey: publicKey.span)
            #expect(isValid)
        }
    }

    @Test("recorded registrations are signed over the bare challenge")
    func registrations() throws {
        let fixtures = try #require(Ceremony.vectors["fixtures"])
        let options = try #require(fixtures["attestation.request.response"]?.list)
        let answers = try #require(fixtures["attestation.response.body"]?.list)
        #expect(options.count == answers.count && answers.count > 3)
        for (option, answer) in zip(options, answers) {
            let liquid = try #require(answer["clientExtensionResults"]?["liquid"])
            let key = try AlgorandAddress.parse(try #require(liquid["address"]?.text))
            let challenge = try Ceremony.bytes(option["challenge"])
            let signature = try Ceremony.bytes(liquid["signature"])
            let isValid = Signatures.isValidEd25519(
                signature: signature.span, message: challenge.span, publicKey: key.span)
            #expect(isValid && LiquidChallenge.isSignable(challenge))
        }
    }

    @Test("the domain of logins admits nothing else")
    func domain() throws {
        func claims(_ data: [UInt8], _ client: [UInt8]) -> Bool {
            SigningDomain.liquidAssertion.isValid(SigningDomain.joined(data, client), [])
        }
        let data = PasskeyData.assertion(host: "dapp.example.org")
        let client = PasskeyData.clientData(
            .get, challenge: Ceremony.challenge, origin: Ceremony.origin)
        #expect(claims(data, client))
        #expect(claims(PasskeyData.assertion(host: "example.org"), client))
        #expect(!claims(PasskeyData.assertion(host: "org"), client))
        #expect(!claims(PasskeyData.assertion(host: "evil.example"), client))
        #expect(!claims(data + [0], client) && !claims(Array(data.dropLast()), client))
        #expect(!claims(data, client + [0x20]))
        let create = PasskeyData.clientData(
            .create, challenge: Ceremony.challenge, origin: Ceremony.origin)
        #expect(!claims(data, create))
        var flags = data
        flags[32] = 0x01
        #expect(!claims(flags, client))
        var counter = data
        counter[36] = 1
        #expect(!claims(counter, client))
    }
}
