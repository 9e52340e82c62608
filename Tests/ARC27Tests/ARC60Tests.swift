// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Data of ARC-60") struct ARC60Tests {
    private static let reference = Vectors.list("arc60.json", "reference")
    private static let negative = Vectors.list("arc60.json", "negative")

    private func generated() throws -> JSONObject {
        let vectors = try Vectors.load("arc60.json")
        return try #require(vectors["generated_liquid_sign_message"]?["params"]?.object)
    }

    /// A request whose parameters are changed in part; nil leaves one out.
    private func frame(_ changes: KeyValuePairs<String, JSON?>) throws -> String {
        var params = try generated()
        for (name, value) in changes {
            params.members.removeAll { $0.name == name }
            if let value { params.members.append(.init(name: name, value: value)) }
        }
        return Wire.request("sign_message", .object(params))
    }

    private func answer(
        _ changes: KeyValuePairs<String, JSON?> = [:], client: String? = nil
    ) throws -> JSON {
        var provider = try TestProvider()
        provider.client = client
        return try #require(try Wire.json(provider.answer(frame(changes))))
    }

    @Test("a request as Pera sends it is signed, also with a key in Base64")
    func signs() throws {
        let vectors = try Vectors.load("arc60.json")
        let expected = vectors["generated_liquid_sign_message"]?["signature_b64"]
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        let rows: [JSON] = [
            try answer(), try answer(client: "https://dapp.example.org"),
            try answer(client: "https://dapp.example.org:8443/x"), try answer(client: "cli"),
            try answer(["signer": .string(Base64.encode(key.span))]),
            try answer(["requestId": nil, "hdPath": "m/44'/283'/0'/0/0"]),
        ]
        for row in rows { #expect(row["result"]?["signature"] == expected) }
    }

    @Test("the data are shown member by member, and bound to the client's origin")
    func shown() throws {
        var provider = try TestProvider()
        let frame = Wire.request("sign_message", .object(try generated()))
        let unbound = try provider.decode(frame)
        #expect(unbound.dangers == [.clientMismatch])
        #expect(unbound.facts.contains(Fact("domain", .text("dapp.example.org"))))
        #expect(unbound.facts.contains(Fact("message.mode", .text("arc60"))))
        let labels = unbound.summary.lines.map(\.label)
        for name in ["domain", "account_address", "nonce", "statement", "uri"] {
            #expect(labels.contains(name))
        }
        provider.client = "https://dapp.example.org"
        #expect(try provider.decode(frame).dangers.isEmpty)
    }

    @Test(
        "a client of another origin is refused",
        arguments: [
            "https://evil.example", "https://dapp.example.org.evil.example",
            "https://dapp.example.org:x@evil.example", "https://x.dapp.example.org", "https://",
        ])
    func origin(_ client: String) throws {
        #expect(try answer(client: client)["error"]?["code"] == 4610)
    }

    /// The members of a request with other data and the domain it is bound to.
    private func changes(
        _ data: JSON, _ domain: String = "dapp.example.org"
    ) -> KeyValuePairs<String, JSON?> {
        let bytes = data.write()
        let name = Array(domain.utf8)
        let hash = Digest.sha256(name.span)
        return [
            "data": .string(Base64.encode(bytes.span)), "domain": .string(domain),
            "authenticatorData": .string(Base64.encode(hash.span)),
        ]
    }

    @Test("a domain and an account are compared byte for byte")
    func equivalents() throws {
        let kelvin = "\u{212a}.example"
        let other = try answer(changes(["domain": .string(kelvin)], "K.example"))
        #expect(other["error"]?["code"] == 4610)
        // A client's host has one form. These hosts begin with another character that is written
        // "k"; they are not normalised, because the hash covers the bytes.
        for client in ["https://K.example", "https://\(kelvin)"] {
            #expect(try answer(changes([:], "k.example"), client: client)["result"] != nil)
            let wrong = try answer(changes([:], "K.example"), client: client)
            #expect(wrong["error"]?["code"] == 4610)
        }
    }

    @Test("a name that the client chose is never a label, and hidden characters in it are flagged")
    func names() throws {
        func request(_ data: JSON) throws -> ARC27Request {
            var provider = try TestProvider()
            provider.client = "https://dapp.example.org"
            return try provider.decode(frame(changes(data)))
        }
        let ours = "asked by  https://bank.example (the answer goes there)"
        let spoof = try request(
            .object(
                JSONObject([
                    .init(name: ours, value: "x"), .init(name: "nonce", value: "1"),
                ])))
        let labels = spoof.summary.lines.map(\.label)
        #expect(labels.contains("nonce") && !labels.contains { $0.contains("bank") })
        #expect(
            spoof.summary.lines.contains(.init("other data", "{\"\(ours)\":\"x\"}", by: .client)))
        #expect(spoof.dangers.isEmpty)
        for data in [["nonce": "a\u{1}"], ["\u{202e}": "x"], ["x": ["\u{202e}"]]] as [JSON] {
            #expect(try request(data).dangers == [.controlCharacters])
        }
        let members = (100..<200).map { JSONObject.Member(name: "m\($0)", value: 1) }
        let many = try request(.object(JSONObject(members)))
        #expect(many.summary.lines.count < Summary.linesMax / 2)
    }

    @Test("a request that ARC-60 refuses is refused with its error number")
    func refuses() throws {
        func bytes(_ why: String, _ name: String) throws -> JSON {
            let row = try #require(Self.negative.first { $0["why"]?.text?.hasPrefix(why) == true })
            return try #require(row[name])
        }
        #expect(Self.negative.count == 6)
        let rows: [(KeyValuePairs<String, JSON?>, Int64)] = [
            (["domain": try bytes("domain hash", "domain")], 4610),
            (["authenticatorData": try bytes("authenticatorData", "authenticatorData_b64")], 4608),
            (["data": try bytes("data is not JSON", "data_b64")], 4609),
            (["data": try bytes("data is JSON but", "data_b64")], 4609),
            (["metadata": ["scope": 2, "encoding": "base64"]], 4600),
            (["metadata": ["scope": 1, "encoding": "hex"]], 4602),
            (["metadata": nil], 4200), (["metadata": ["scope": 1]], 4602),
            (["metadata": ["scope": 1, "encoding": "base64", "x": 1]], 4200),
            (["data": "!"], 4602), (["data": 1], 4602), (["data": "W10="], 4609),
            (["domain": nil], 4607), (["domain": ""], 4607), (["domain": "a b"], 4610),
            (["authenticatorData": nil], 4608), (["signer": nil], 4603), (["signer": "x"], 4603),
            (["hdPath": 1], 4200),
            (["requestId": .string(String(repeating: "x", count: 513))], 4200),
            // {"domain":"evil.example"}, bound to dapp.example.org
            (["data": "eyJkb21haW4iOiJldmlsLmV4YW1wbGUifQ=="], 4610),
            // {"a":1.5}: the adapter does not sign JSON with fractions, as their notation is
            // ambiguous.
            (["data": "eyJhIjoxLjV9"], 4609),
        ]
        for (changes, code) in rows {
            let error = try answer(changes)["error"]
            #expect(error?["code"] == .integer(code), "\(changes)")
        }
        let foreign = JSON.string(try SampleKeys.address(seed: SampleKeys.c))
        #expect(try answer(["signer": foreign])["error"]?["code"] == 4100)
    }

    @Test("the reference verifies as data with their signature", arguments: reference)
    func verified(_ row: JSON) throws {
        let json: JSON = [
            "data": try #require(row["data_b64"]), "signer": try #require(row["signer_address"]),
            "authenticatorData": try #require(row["authenticatorData_b64"]),
            "signature": try #require(row["signature_b64"]),
        ]
        let bytes = json.write()
        let statement = try TestProvider().adapter.readSigned(bytes.span)
        let claim = try #require(statement.signatures.first)
        let reading = try #require(claim.readings.first)
        let message = try #require(
            reading.prehash.message(of: reading.preimage))
        let isValid = Signatures.isValidEd25519(
            signature: claim.signature.span, message: message.span,
            publicKey: claim.publicKey.span)
        #expect(isValid)
    }
}
