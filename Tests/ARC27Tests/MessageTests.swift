// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27
@testable import Algorand

@Suite("sign_message") struct MessageTests {
    private static let own = JSON.string(TestProvider.providerID)
    private static let vectors = Vectors.list("bytes_signing.json", "vectors")

    private func provider(
        _ mode: AlgorandMessageMode, seeds: [[UInt8]] = [SampleKeys.a]
    ) throws -> TestProvider {
        var provider = try TestProvider(
            seeds: seeds, clients: ["dapp": ARC27ClientSettings(messages: mode)])
        provider.client = "dapp"
        return provider
    }

    private func answer(
        _ text: String, _ mode: AlgorandMessageMode, signer: JSON? = nil
    ) throws -> JSON {
        var params = JSONObject([
            .init(name: "providerId", value: Self.own),
            .init(name: "message", value: .string(text)),
        ])
        if let signer { params.members.append(.init(name: "signer", value: signer)) }
        let reply = try provider(mode).answer(Wire.request("sign_message", .object(params)))
        return try #require(try Wire.json(reply))
    }

    @Test("the vectors of both modes come out", arguments: ["MX", "raw"])
    func signs(_ kind: String) throws {
        let row = try #require(Self.vectors.first { $0["kind"]?.text == kind })
        let text = String(decoding: try Vectors.bytes(row["data_b64"]), as: UTF8.self)
        let answer = try answer(text, kind == "MX" ? .mx : .raw, signer: row["address"])
        #expect(answer["result"]?["signature"] == row["signature_b64"])
        #expect(answer["result"]?["signer"] == row["address"])
        #expect(answer["result"]?["providerId"] == Self.own)
    }

    @Test("a raw text that is not valid on its own is refused, and MX is another matter")
    func refuses() throws {
        let error = try #require(try answer("TX", .raw)["error"])
        #expect(error["code"] == 4200)
        #expect(error["message"]?.text?.contains("reserved prefix") == true)
        #expect(try answer("TX", .mx)["result"] != nil)
        #expect(try TestProvider().adapter.domains.count == 3)
    }

    @Test("a request is shown, flagged and described to rules")
    func judged() throws {
        let params: JSON = ["providerId": Self.own, "message": "Hello\u{202e}"]
        let frame = Wire.request("sign_message", params)
        let plain = try provider(.mx).decode(frame)
        #expect(plain.dangers == [.controlCharacters])
        #expect(plain.facts.contains(Fact("message.mode", .text("mx"))))
        #expect(plain.facts.contains(Fact("message.bytes", .integer(8))))
        #expect(plain.operations.map(\.effects) == [[.provesIdentity]])
        #expect(plain.summary.lines.contains { $0.label == "message" && $0.author == .client })
        let raw = try provider(.raw).decode(frame)
        #expect(raw.dangers == [.rawMessage, .controlCharacters])
        #expect(raw.facts.contains(Fact("message.mode", .text("raw"))))
        #expect(raw.summary.warnings.count == 2)
    }

    @Test("the signer is one held here; without one, the only account")
    func signer() throws {
        let other = JSON.string(try SampleKeys.address(seed: SampleKeys.c))
        let error = try #require(try answer("x", .mx, signer: other)["error"])
        #expect(error["code"] == 4100 && error["data"]?["signer"] == other)
        #expect(try answer("x", .mx)["result"] != nil)
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        for signer in [1, "x", "", .string(Base64.encode(key.span))] as [JSON] {
            #expect(try answer("x", .mx, signer: signer)["error"]?["code"] == 4200)
        }
        let two = try provider(.mx, seeds: [SampleKeys.a, SampleKeys.b])
        let frame = Wire.request("sign_message", ["providerId": Self.own, "message": "x"])
        #expect(try Wire.error(two.answer(frame))["code"] == 4200)
    }

    @Test("wrong parameters are refused with 4200")
    func params() throws {
        let long = JSON.string(String(repeating: "x", count: MessageToSign.bytesMax + 1))
        let rows: [JSON] = [
            ["message": "x"], ["providerId": Self.own], ["providerId": Self.own, "message": 1],
            ["providerId": Self.own, "message": long],
            ["providerId": Self.own, "message": "x", "domain": "a.example"],
            ["providerId": Self.own, "message": "x", "data": "e30="],
            ["providerId": Self.own, "message": "x", "other": 1],
        ]
        for params in rows {
            let reply = try provider(.mx).answer(Wire.request("sign_message", params))
            #expect(try Wire.error(reply)["code"] == 4200)
        }
    }

    @Test("a message with its signature is read, however it was signed", arguments: ["MX", "raw"])
    func verified(_ kind: String) throws {
        let row = try #require(Self.vectors.first { $0["kind"]?.text == kind })
        let text = String(decoding: try Vectors.bytes(row["data_b64"]), as: UTF8.self)
        let json: JSON = [
            "message": .string(text), "signer": row["address"] ?? .null,
            "signature": row["signature_b64"] ?? .null,
        ]
        let bytes = json.write()
        let statement = try TestProvider().adapter.readSigned(bytes.span)
        let claim = try #require(statement.signatures.first)
        let holding = claim.readings.filter { reading in
            let preimage = reading.preimage
            return Signatures.isValidEd25519(
                signature: claim.signature.span, message: preimage.span,
                publicKey: claim.publicKey.span)
        }
        #expect(holding.map(\.name) == [kind == "MX" ? "with MX before it" : "without a prefix"])
        #expect(statement.summary.lines.map(\.text) == [text])
    }

    @Test("an invalid message request is refused with its reason")
    func unverified() throws {
        let row = try #require(Self.vectors.first)
        let rows: [(JSON, String)] = [
            (["message": "x", "signature": row["signature_b64"] ?? .null], "signer is missing"),
            (
                ["message": "x", "signature": "AA==", "signer": row["address"] ?? .null],
                "signature does not have 64 bytes"
            ),
            (
                [
                    "data": "e30=", "signature": row["signature_b64"] ?? .null,
                    "signer": row["address"] ?? .null,
                ], "authenticatorData is missing, or not base64"
            ),
            (["message": "x"], "it must have result.stxns, or a message with its signature"),
        ]
        for (json, reason) in rows {
            let bytes = json.write()
            let error = try #require(throws: StatementError.self) {
                try TestProvider().adapter.readSigned(bytes.span)
            }
            #expect(error.reason == reason)
        }
    }
}
