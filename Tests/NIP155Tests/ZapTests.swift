// SPDX-License-Identifier: Apache-2.0

import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import Testing

@testable import NIP155

@Suite("Private zaps")
struct ZapTests {
    private static let sender = "6b911fd37cdf5c81d4c0adb1ab7fa822ed253ab0ad9aa18d77257c88b29b718e"
    private static let receiver = "9571a568a42b9e05646a349c783159b906b498119390df9a5a02667155128028"

    private static func vector(_ name: String) throws -> (request: JSON, inner: String?) {
        let row = try #require(try Vectors.json("nip57.private-zap.json")[name])
        return (try #require(row["zap_request"]), row["inner_json"]?.text)
    }

    private static func url(_ event: String) -> String {
        requestURL("decrypt_zap_event", ["event": event, "id": "1"])
    }

    private static func text(_ json: JSON) -> String {
        String(decoding: json.write(), as: UTF8.self)
    }

    @Test(
        "Sender and receiver read the inside, from the request and from its receipt",
        arguments: ["published", "profile_zap", "event_zap"], [sender, receiver])
    func vectors(name: String, secret: String) throws {
        let (request, inner) = try Self.vector(name)
        let rig = Rig(secrets: [secret])
        let answer = try ParsedAnswer(try rig.answer(Self.url(Self.text(request))))
        #expect(answer.names == ["id", "result"])
        let result = try #require(answer["result"])
        if let inner { #expect(result == inner) }
        #expect(try JSON.parse(Array(result.utf8).span)["kind"] == 9_733)
        #expect(holds(try rig.adapter.readSigned(Array(result.utf8).span)))
        let receipt = try Self.receipt(of: Self.text(request))
        #expect(try ParsedAnswer(try rig.answer(Self.url(receipt)))["result"] == result)
    }

    /// A zap receipt as a wallet signs it.
    private static func receipt(of request: String) throws -> String {
        let quoted = Self.text(.string(request))
        let template =
            #"{"kind":9735,"content":"","created_at":1700000000,"#
            + #""tags":[["description",\#(quoted)]]}"#
        return try signed(template)
    }

    private static func signed(_ template: String) throws -> String {
        let url = requestURL("sign_event", ["event": template, "returnType": "event"])
        return try #require(try ParsedAnswer(try Rig().answer(url))["event"])
    }

    @Test("Another account's zap does not open")
    func foreign() throws {
        let (request, _) = try Self.vector("profile_zap")
        let rig = Rig()
        let decoded = try rig.decode(Self.url(Self.text(request)))
        #expect(throws: (any Error).self) { try rig.perform(decoded) }
        guard
            case .decrypt(.sentPrivateZap(let oneTimeKey, _), _, _) =
                decoded.operations[0].operation
        else {
            Issue.record("not asked as a sender")
            return
        }
        #expect(hex(oneTimeKey) == request["pubkey"]?.text)
    }

    @Test("An adapter that cannot check signatures does not offer to open zaps")
    func withoutVerifier() throws {
        let (request, _) = try Self.vector("profile_zap")
        let context = DecodingContext(
            accounts: try Rig().accounts,
            peer: Peer(channel: "t"), now: Rig.now,
            freshID: [], wasSeen: { _ in nil })
        let frame = Array(Self.url(Self.text(request)).utf8)
        let error = try #require(throws: AdapterError.self) {
            try NIP155Adapter().decode(frame.span, in: context)
        }
        #expect(error.code == "unsupported_method")
    }
}
