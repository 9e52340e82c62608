// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27
@testable import ARC27Client
@testable import ARC27Rig
@testable import AlgorandSamples

@Suite("Requests of a client") struct ClientRequestTests {
    /// The vectors whose members have another order within `txns`, or another form of Base64.
    private static let otherwise: Set<String> = [
        "sign-rekeyed-authaddr", "sign-multisig-partial", "sign-one-base64url-in",
        "invalid-bad-authaddr", "invalid-msig-address-mismatch",
    ]

    /// The vectors have `params` before `reference`; the client writes the order of the
    /// specification.
    private static func inOurOrder(_ json: JSON) -> JSON {
        let names = ["id", "reference", "params"]
        return .object(
            JSONObject(
                names.compactMap { name in
                    json[name].map { JSONObject.Member(name: name, value: $0) }
                }))
    }

    @Test("are those of the vectors, byte for byte", arguments: Conversation.all)
    func vectors(_ conversation: Conversation) throws {
        let request = try ClientVectors.request(conversation)
        #expect((request == nil) == ClientVectors.refused.contains(conversation.name))
        guard let request else { return }
        let json = try #require(conversation.json["request"]?["json"])
        let frame = try conversation.frame(.definite)
        let cbor = try Base64.decode(frame, alphabet: .url, padding: .forbidden)
        let value = try CBOR.decode(cbor.span).json()
        let ours = try Base64.decode(
            request.text(.cbor), alphabet: .url, padding: .forbidden)
        if conversation.name == "sign-one-base64url-in" {
            let call = try #require(try ClientVectors.call(json))
            #expect(call == request.call)
        } else if Self.otherwise.contains(conversation.name) {
            let written = try CBOR.decode(ours.span).json()
            #expect(
                CBOR(written.withSortedMembers).encode()
                    == CBOR(value.withSortedMembers).encode())
        } else {
            #expect(ours == CBOR(Self.inOurOrder(value)).encode())
            #expect(try request.frame(.json) == Self.inOurOrder(json).write())
        }
        if json.object?.names.dropFirst().first == "reference" {
            #expect(try request.text(.cbor) == frame)
        }
    }

    @Test("all forms hold the same")
    func forms() throws {
        let client = try ARC27Client(providerID: TestProvider.providerID)
        let request = try client.request(.enable(), freshID: TestProvider.freshID)
        #expect(request.id == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(request.reference == "arc0027:enable:request")
        let json = try request.frame(.json)
        #expect(
            String(decoding: json, as: UTF8.self) == """
                {"id":"ffffffff-ffff-4fff-bfff-ffffffffffff","reference":"arc0027:enable:request",\
                "params":{"providerId":"85533948-4d0b-4727-904e-dd35305d49aa"}}
                """)
        let url = try Base64.decode(request.text(.cbor), alphabet: .url, padding: .forbidden)
        #expect(try Base64.decode(request.text(.cborPadded)) == url)
        #expect(try CBOR.decode(url.span).json() == JSON.parse(json.span))
    }

    @Test("every member has its place")
    func members() throws {
        let bytes = try TransactionRow.offered[0].bytes()
        let address = try SampleKeys.address(seed: SampleKeys.a)
        let client = try ARC27Client(providerID: ARC27Client.liquidProviderID)
        let item = ARC27Client.TransactionToSign(
            bytes, authAddress: address, signers: [address], message: "m\n", groupMessage: "g")
        let frame = try client.request(.signTransactions([item]), id: "1").frame(.json)
        let params = try JSON.parse(frame.span)["params"]
        #expect(params?["providerId"]?.text == "02657eaf-be17-4efc-b0a4-19d654b2448e")
        #expect(
            params?["txns"] == [
                [
                    "txn": .string(Base64.encode(bytes.span)), "authAddr": .string(address),
                    "signers": [.string(address)], "message": "m\n", "groupMessage": "g",
                ]
            ])
        let data = ARC27Client.DataToSign(
            [UInt8]("{}".utf8), signer: address, domain: "dapp.example",
            authenticatorData: [UInt8](repeating: 1, count: 32), path: "m/44'/283'/0'/0/0")
        let asked = try client.request(.signData(data), id: "1").frame(.json)
        #expect(
            try JSON.parse(asked.span)["params"]?.object?.names == [
                "data", "signer", "domain", "authenticatorData", "hdPath", "metadata",
                "providerId",
            ])
    }

    @Test("the client library does not send a request that every provider refuses")
    func invalidCalls() throws {
        let bytes = try TransactionRow.offered[0].bytes()
        let address = try SampleKeys.address(seed: SampleKeys.a)
        let item = ARC27Client.TransactionToSign(bytes)
        func data(
            _ text: String = "{}", by signer: String? = nil, domain: String = "d", count: Int = 32
        ) -> ARC27Client.Call {
            .signData(
                ARC27Client.DataToSign(
                    [UInt8](text.utf8), signer: signer ?? address, domain: domain,
                    authenticatorData: [UInt8](repeating: 0, count: count)))
        }
        let long = String(repeating: "1", count: 16_385)
        let calls: [ARC27Client.Call] = [
            .enable(genesisHash: [1]), .disable(genesisHash: []), .disable(sessionIDs: [""]),
            .disable(sessionIDs: ["a\nb"]),
            .disable(sessionIDs: [String](repeating: "s", count: 1_001)),
            .signTransactions([ARC27Client.TransactionToSign([])]),
            .signTransactions([ARC27Client.TransactionToSign(bytes, authAddress: "x")]),
            .signTransactions([ARC27Client.TransactionToSign(bytes, signers: [""])]),
            .signTransactions([ARC27Client.TransactionToSign(bytes, signed: bytes)]),
            .signTransactions([ARC27Client.TransactionToSign(bytes, signers: [], signed: bytes)]),
            .signAndPostTransactions(
                [ARC27Client.TransactionToSign](repeating: item, count: 1_001)),
            .postTransactions([bytes]), .postTransactions([[]]),
            .signMessage("x", signer: "x"), data("{"), data(long), data(by: "x"),
            data(domain: ""), data(count: 31),
            data(count: 385),
        ]
        let client = try ARC27Client(providerID: TestProvider.providerID)
        for call in calls {
            let error = #expect(throws: ARC27ClientError.self, "\(call.method)") {
                try client.request(call, id: "1")
            }
            guard case .invalidCall = error else { throw Wrong() }
        }
        for id in ["", String(repeating: "x", count: 129), "a\u{202e}"] {
            #expect(throws: ARC27ClientError.self) { try client.request(.discover, id: id) }
            #expect(throws: ARC27ClientError.self) { try ARC27Client(providerID: id) }
        }
        #expect(throws: ARC27ClientError.self) { try client.request(.discover, freshID: [1]) }
        #expect(throws: ARC27ClientError.self) { try ARC27Client().request(.enable(), id: "1") }
        _ = try ARC27Client().request(data(), id: "1")
    }

    @Test("a request over one frame is not written")
    func oversize() throws {
        let client = try ARC27Client(providerID: TestProvider.providerID)
        let text = String(repeating: "x", count: ARC27Client.frameBytesMax)
        let request = try client.request(.signMessage(text), id: "1")
        for form in ARC27Client.Form.allCases {
            let error = #expect(throws: ARC27ClientError.self) { try request.frame(form) }
            guard case .frameTooLarge(_, 262_144) = error else { throw Wrong() }
        }
    }

    private struct Wrong: Error {}

    @Test("the limits and names of the wire are those of the provider")
    func limits() {
        #expect(ARC27Client.frameBytesMax == ARC27Wire.frameBytesMax)
        #expect(ARC27Client.idBytesMax == ARC27Wire.idBytesMax)
        #expect(ARC27Client.liquidProviderID == ARC27Wire.liquidProviderID)
        #expect(WireText.methodBytesMax == ARC27Wire.methodBytesMax)
    }
}
