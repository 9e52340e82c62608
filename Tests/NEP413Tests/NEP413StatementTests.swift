// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

@Suite("Signed NEP-413 messages")
struct NEP413StatementTests {
    private let bytes64: [UInt8] = (0..<64).map { UInt8(($0 * 37 + 251) % 256) }
    private let bytes65: [UInt8] = (0..<65).map { UInt8(($0 * 41 + 239) % 256) }

    @Test("a plus that became a space is a plus again, also behind percent signs")
    func spaces() throws {
        // 0xFB 0xE0 begins with a plus in base64.
        let signature = [0xFB, 0xE0] + bytes64.dropFirst(2)
        let text = Base64.encode(signature.span)
        #expect(text.contains("+"))
        let spaced = text.replacing("+", with: " ")
        #expect(try SignatureForm.read(spaced, by: .ed25519).first == signature)
        let escaped = PercentEncoding.encode(text)
        #expect(escaped.contains("%2B"))
        #expect(try SignatureForm.read(escaped, by: .ed25519).first == signature)
        #expect(
            try SignatureForm.read(escaped.replacing("%2B", with: "%20"), by: .ed25519).first
                == signature)
    }

    @Test("a form counts only with exactly the curve's number of bytes")
    func lengths() throws {
        for form in [Base64.encode(bytes64.span), Hex.encode(bytes64.span)] {
            #expect(try SignatureForm.read(form, by: .ed25519).first == bytes64)
            #expect(throws: NEARRefusal.self) { try SignatureForm.read(form, by: .secp256k1) }
        }
        let hex = Hex.encode(bytes65.span)
        for form in [Base64.encode(bytes65.span), hex, "0x" + hex.uppercased()] {
            #expect(try SignatureForm.read(form, by: .secp256k1).first == bytes65)
            #expect(throws: NEARRefusal.self) { try SignatureForm.read(form, by: .ed25519) }
        }
        let near = "secp256k1:" + Base58.encode(bytes65.span)
        #expect(try SignatureForm.read(near, by: .secp256k1).first == bytes65)
        #expect(throws: NEARRefusal.self) { try SignatureForm.read(near, by: .ed25519) }
        #expect(throws: NEARRefusal.self) { try SignatureForm.read("%", by: .ed25519) }
    }

    @Test("the hub's answer is a statement that it can read")
    func roundTrip() throws {
        let signer = try Signer()
        let answer = try signer.answer(frame(["state": "xyz", "callbackUrl": "https://a.example"]))
        let plain = frame(["callbackUrl": "https://a.example"])
        let sent = try #require(try JSON.parse(plain.span).object)
        let signed = JSON.object(JSONObject(sent.members + (answer.object?.members ?? [])))
        let statement = try adapter.readSigned(signed.write().span)
        #expect(verify(statement) == "as given")
        #expect(statement.signatures[0].signer == "alice.near")
        #expect(statement.summary.text.contains("myapp.com"))
    }

    @Test("a statement without a part, or with an unknown one, is not read")
    func malformed() throws {
        let whole = try #require(
            try JSON.parse(Vectors.message("naj-no-callback").statement().span).object)
        for name in ["message", "recipient", "nonce", "publicKey", "signature"] {
            let rest = JSONObject(whole.members.filter { $0.name != name })
            #expect(throws: StatementError("\(name) is missing")) {
                try adapter.readSigned(JSON.object(rest).write().span)
            }
        }
        let additions: [JSONObject.Member] = [
            .init(name: "callbackURL", value: "https://a.example"),
            .init(name: "callbackVariants", value: "yes"),
            .init(name: "accountId", value: "Not An Account"),
            .init(name: "network", value: "moonnet"),
        ]
        for addition in additions {
            let more = JSON.object(JSONObject(whole.members + [addition]))
            #expect(throws: StatementError.self, "\(addition.name)") {
                try adapter.readSigned(more.write().span)
            }
        }
        let bytes = JSON.object(whole).write()
        for count in 0..<bytes.count {
            let part = Array(bytes.prefix(count))
            #expect(throws: StatementError.self) { try adapter.readSigned(part.span) }
        }
    }
}
