// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Frames and envelopes") struct FrameTests {
    private static let longID = String(repeating: "x", count: 129)

    private func isSilent(_ reply: Reply) -> Bool {
        if case .silence = reply { true } else { false }
    }

    private func answer(_ method: String, _ params: JSON?) throws -> JSON? {
        try Wire.json(TestProvider().answer(Wire.request(method, params)))
    }

    @Test("every proper prefix of a frame is ignored", arguments: FrameForm.allCases)
    func prefixes(_ form: FrameForm) throws {
        let conversation = try #require(Conversation.all.first { $0.name == "sign-one" })
        let frame = try conversation.frame(form)
        let provider = try TestProvider()
        for count in 0..<frame.utf8.count {
            #expect(isSilent(try provider.answer(String(frame.prefix(count)))), "\(count) bytes")
        }
        #expect(isSilent(try provider.answer(frame + "x")))
        #expect(isSilent(try provider.answer(frame + "\u{0}")))
    }

    @Test("decoding a frame twice gives the same request", arguments: FrameForm.allCases)
    func isDeterministic(_ form: FrameForm) throws {
        let conversation = try #require(
            Conversation.all.first { $0.name == "sign-group-mine-and-theirs" })
        let provider = try TestProvider()
        let one = try provider.decode(conversation.frame(form))
        let other = try provider.decode(conversation.frame(form))
        #expect(one.operations == other.operations)
        #expect(one.facts == other.facts)
        #expect(one.summary == other.summary)
        #expect(one.answer == other.answer)
    }

    @Test("all forms of a request mean the same")
    func formsAgree() throws {
        let conversation = try #require(Conversation.all.first { $0.name == "sign-one" })
        let provider = try TestProvider()
        let requests = try FrameForm.allCases.map { try provider.decode(conversation.frame($0)) }
        for request in requests { #expect(request.operations == requests[0].operations) }
    }

    @Test("a frame over the limit is not answered")
    func oversize() throws {
        let adapter = try TestProvider().adapter
        #expect(adapter.frameBytesMax == 262_144)
        #expect(isSilent(adapter.refuseOversize(frameBytes: 262_145).reply))
        let frame = Wire.request("discover") + String(repeating: " ", count: 262_144)
        #expect(isSilent(try TestProvider().answer(frame)))
    }

    @Test("an answer over the limit becomes error 4000")
    func oversizeAnswer() throws {
        let answer = ARC27Answer(
            to: try ARC27Envelope([UInt8](Wire.request("discover").utf8).span),
            freshID: TestProvider.freshID, providerID: TestProvider.providerID)
        let long = JSON.string(String(repeating: "x", count: 262_144))
        guard case .undeliverable(let reason) = answer.reply(result: long) else {
            Issue.record("a frame over the limit")
            return
        }
        #expect(AlgorandRefusal(reason.code, method: "discover").kind == .unknown)
        #expect(try Wire.json(answer.reply(result: "x"))?["result"] == "x")
    }

    @Test(
        "an envelope that cannot be answered is ignored",
        arguments: [
            #"{}"#, #"{"id":1,"reference":"arc0027:discover:request"}"#,
            #"{"id":"","reference":"arc0027:discover:request"}"#,
            #"{"reference":"arc0027:discover:request","id":"\#(Self.longID)"}"#,
            #"{"id":"x"}"#, #"{"id":"x","reference":7}"#,
            #"{"id":"x","reference":"arc0027:request"}"#,
            #"{"id":"x","reference":"arc0027::request"}"#,
            #"{"id":"x","reference":"arc0027:\#(String(repeating: "m", count: 65)):request"}"#,
            #"{"id":"x","reference":"arc0027:discover:response"}"#,
            #"{"id":"x","id":"y","reference":"arc0027:discover:request"}"#,
            #"["id"]"#, "pGpi", "oA", "gA", "9g",
        ])
    func ignores(_ frame: String) throws {
        #expect(isSilent(try TestProvider().answer(frame)))
    }

    @Test("the id is echoed as it came")
    func echoesID() throws {
        let id = "018F3B2A-1C00-7ABC-8DEF-\u{e9}\u{1f600}"
        let frame = #"{"id":"\#(id)","reference":"arc0027:discover:request","other":1}"#
        #expect(try Wire.json(TestProvider().answer(frame))?["requestId"]?.text == id)
    }

    @Test("Base64 is read in both alphabets, padded or not")
    func base64() throws {
        let cbor = CBOR(try JSON.parse([UInt8](Wire.request("discover", [:]).utf8).span)).encode()
        for alphabet in [Base64.Alphabet.standard, .url] {
            for padding in [true, false] {
                let frame = Base64.encode(cbor.span, alphabet: alphabet, padding: padding)
                #expect(try Wire.json(TestProvider().answer(frame))?["result"] != nil)
            }
        }
    }

    @Test("a byte string in the parameters is answered with 4200, undefined is absent")
    func cborOnly() throws {
        func frame(_ params: CBOR) -> String {
            let envelope = CBOR.map([
                .init(name: "id", value: .text("x")),
                .init(name: "reference", value: .text("arc0027:sign_transactions:request")),
                .init(name: "params", value: params),
            ])
            return Base64.encode(envelope.encode().span)
        }
        let list = CBORMember(name: "txns", value: .array([]))
        let provider = try TestProvider()
        let bytes = try provider.answer(frame(.map([.init(name: "txns", value: .bytes([1]))])))
        #expect(try Wire.error(bytes)["code"] == 4200)
        let absent = try provider.answer(
            frame(.map([list, .init(name: "providerId", value: .undefined)])))
        #expect(try Wire.json(absent)?["result"]?["stxns"] == [])
        #expect(try Wire.error(provider.answer(frame(.undefined)))["code"] == 4200)
    }

    @Test("the provider id must be ours or the constant of Liquid Auth")
    func providerIDs() throws {
        let own = TestProvider.providerID
        let liquid = "02657eaf-be17-4efc-b0a4-19d654b2448e"
        let foreign = "f6d1c86b-4493-42fb-b88d-a62407b4cdf6"
        for method in ["enable", "disable", "sign_transactions"] {
            func ask(_ id: String?) throws -> JSON? {
                var members: [JSONObject.Member] = []
                if let id { members.append(.init(name: "providerId", value: .string(id))) }
                if method == "sign_transactions" { members.append(.init(name: "txns", value: [])) }
                return try answer(method, .object(JSONObject(members)))
            }
            #expect(try ask(own)?["result"]?["providerId"]?.text == own)
            #expect(try ask(own.uppercased())?["result"]?["providerId"]?.text == own)
            #expect(try ask(liquid)?["result"]?["providerId"]?.text == liquid)
            #expect(try ask(foreign)?["error"]?["code"] == 4200)
            #expect(try ask(foreign)?["error"]?["providerId"]?.text == own)
            let missing = try ask(nil)
            if method == "sign_transactions" {
                #expect(missing?["result"]?["providerId"]?.text == own)
            } else {
                #expect(missing?["error"]?["message"] == "params.providerId is missing")
            }
        }
        #expect(try answer("discover", ["providerId": .string(liquid)]) == nil)
        let error = try answer(
            "sign_transactions", ["providerId": .string(liquid), "txns": [["txn": "x"]]])
        #expect(error?["error"]?["providerId"]?.text == liquid)
    }

    @Test("wrong parameters are refused with 4200")
    func params() throws {
        let own = JSON.string(TestProvider.providerID)
        let rows: [(String, JSON)] = [
            ("discover", []), ("discover", ["providerId": 1]), ("discover", ["x": 1]),
            ("enable", ["providerId": own, "genesisHash": 1]),
            ("enable", ["providerId": own, "genesisHash": "AAAA"]),
            ("enable", ["providerId": own, "genesisHash": "!"]),
            ("enable", ["providerId": own, "x": 1]),
            ("disable", ["providerId": own, "sessionIds": "x"]),
            ("disable", ["providerId": own, "sessionIds": [1]]),
            ("sign_transactions", [:]), ("sign_transactions", ["txns": [:]]),
            ("sign_transactions", ["txns": [], "opts": [:]]), ("sign_transactions", .null),
        ]
        for (method, params) in rows {
            #expect(try answer(method, params)?["error"]?["code"] == 4200, "\(method)")
        }
        #expect(try answer("sign_transactions", nil)?["error"]?["code"] == 4200)
    }

    @Test("the genesis hash is compared as bytes")
    func genesisHash() throws {
        let hash = "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9_cOUJOiI"
        let answer = try answer(
            "enable",
            ["providerId": .string(TestProvider.providerID), "genesisHash": .string(hash)])
        #expect(answer?["result"]?["genesisId"] == "testnet-v1.0")
    }

    @Test("discover returns host, icon and every network, if configured")
    func discover() throws {
        let adapter = ARC27Adapter(
            ARC27Configuration(
                providerID: TestProvider.providerID, networks: [.mainnet, .testnet],
                host: "https://hub.example", icon: "data:,x"))
        let frame = [UInt8](Wire.request("discover").utf8)
        let request = try adapter.decode(
            frame.span,
            in: DecodingContext(
                accounts: [],
                peer: Peer(channel: "test"),
                now: Timestamp(seconds: 0), freshID: TestProvider.freshID, wasSeen: { _ in nil }))
        let result = try Wire.json(adapter.finalReply(.done([]), to: request))?["result"]
        #expect(result?["name"] == "Countersign")
        #expect(result?["host"] == "https://hub.example")
        #expect(result?["icon"] == "data:,x")
        #expect(
            result?["networks"]?.list?.map { $0["genesisHash"]?.text } == [
                "wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=",
                "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=",
            ])
    }
}
