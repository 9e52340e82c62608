// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningDigests
import Testing

@testable import Algorand

@Suite("Bytes that are signed for data of ARC-60") struct ARC60LoginTests {
    private static let reference = Vectors.list("arc60.json", "reference")

    @Test("the hashes that are signed are those of the reference", arguments: reference)
    func hashes(_ row: JSON) throws {
        let data = try Vectors.bytes(row["data_b64"])
        let bound = try Vectors.bytes(row["authenticatorData_b64"])
        let preimage = SigningDomain.joined(data, bound)
        #expect(ARC60Login.isSignable(preimage))
        let message = try #require(
            SigningDomain.Prehash.sha256OfBoth.message(of: preimage))
        #expect(Hex.encode(message.span) == row["signed_bytes_hex"]?.text)
        let signature = try Vectors.bytes(row["signature_b64"])
        let key = try Hex.decode(try #require(row["signer_pk_hex"]?.text))
        let isValid = Signatures.isValidEd25519(
            signature: signature.span, message: message.span, publicKey: key.span)
        #expect(isValid)
    }

    @Test("hashes that begin as a program does are not signed")
    func programs() {
        let program = Array("Program".utf8) + [UInt8](repeating: 1, count: 25)
        #expect(ReservedPrefixes.isProgram(program + program))
        let preimage = SigningDomain.joined(
            Array("{}".utf8), [UInt8](repeating: 0, count: 32))
        #expect(ARC60Login.isSignable(preimage))
        #expect(!ARC60Login.isSignable(Array(preimage.dropLast())))
        #expect(!ARC60Login.isSignable([0, 0, 1]))
        #expect(!ARC60Login.isSignable([0xff, 0xff, 0xff, 0xff, 1]))
    }

    /// The facts of a login with these members.
    private func facts(_ members: String) throws -> [String: FactValue] {
        let domain = "dapp.example.org"
        let bound = Digest.sha256(Array(domain.utf8).span)
        let login = try ARC60Login(
            JSONObject([
                .init(name: "data", value: .string(Base64.encode(Array(members.utf8).span))),
                .init(name: "domain", value: .string(domain)),
                .init(name: "authenticatorData", value: .string(Base64.encode(bound.span))),
                .init(name: "metadata", value: ["scope": 1, "encoding": "base64"]),
            ]), from: nil, at: Timestamp(seconds: 1_795_219_200))
        return Dictionary(uniqueKeysWithValues: login.facts().map { ($0.name, $0.value) })
    }

    @Test("a present but invalid value is reported as an empty value, not left out")
    func otherTypes() throws {
        let none = FactValue.list([])
        #expect(
            try facts(#"{"resources":["read","write"]}"#)["login.resources"]
                == .list([.text("read"), .text("write")]))
        for resources in [#"["read",5]"#, #"["read",{}]"#, "[]", "{}", #""read""#, "null"] {
            let found = try facts(#"{"resources":\#(resources)}"#)
            #expect(found["login.resources"] == none, "\(resources)")
        }
        for (member, name) in [
            ("uri", "login.uri"), ("statement", "login.statement"), ("chain_id", "login.chain"),
            ("account_address", "login.account"), ("nonce", "login.nonce"),
            ("issued-at", "login.issued"), ("expiration-time", "login.expires"),
        ] {
            for value in ["{}", "[]", "7", "null"] {
                #expect(try facts(#"{"\#(member)":\#(value)}"#)[name] == none, "\(member)")
            }
            #expect(try facts("{}")[name] == nil)
        }
    }
}
