// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs
import Testing

@testable import NIP155Client
@testable import NIP155Rig
@testable import NostrSamples

@Suite("Answers that a client accepts")
struct ClientAnswerTests {
    private let client: NIP155Client
    private static let signature = String(repeating: "ab", count: 64)
    private static let wanted =
        #"{"kind":1,"content":"caf\u00e9","tags":[["t","x"]],"created_at":5}"#

    init() throws {
        client = try NIP155Client(
            success: "https://Example.com:443/cb?state=a%20b&x#f", error: "https://example.com/err",
            cancel: "https://example.com/no")
    }

    private func key(permissions: [NIP155Permission] = []) throws -> NIP155PendingRequest {
        try client.request(.publicKey(permissions: permissions), id: "4 2")
    }

    private func signing(_ returning: NIP155Call.Returning) throws -> NIP155PendingRequest {
        try client.request(
            .signEvent(json: Self.wanted, returning: returning), id: "4 2",
            currentUser: NostrKeys.aliceHex)
    }

    /// A callback at x-success with values that this function encodes.
    private func url(_ parameters: KeyValuePairs<String, String>) -> String {
        let pairs = parameters.map { "&\($0.key)=\(PercentEncoding.encode($0.value))" }
        return "https://example.com/cb?state=a%20b&x&id=4%202\(pairs.joined())#f"
    }

    private func signed(
        content: String = "caf\u{E9}", author: String = NostrKeys.aliceHex, kind: Int = 1,
        tags: String = #"[["t","x"]]"#, time: Int = 5, id: String = NostrKeys.bobHex
    ) -> String {
        """
        {"id":"\(id)","pubkey":"\(author)","created_at":\(time),"kind":\(kind),\
        "tags":\(tags),"content":"\(content)","sig":"\(Self.signature)"}
        """
    }

    private func expectInvalid(
        _ request: NIP155PendingRequest, _ callback: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(
            throws: NIP155ClientError.self, "\(callback)", sourceLocation: sourceLocation
        ) { try request.read(callback: callback) }
        guard case .invalidAnswer? = error else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
    }

    @Test("The place may be written as a browser writes it")
    func places() throws {
        let expected = NIP155Answer.publicKey(hex: NostrKeys.aliceHex, package: nil, granted: nil)
        for front in [
            "https://example.com/cb?state=a%20b&x=&", "HTTPS://EXAMPLE.COM/cb?x&state=%61%20b&",
            "https://example.com:443/cb?more=1&state=a%20b&x&",
        ] {
            for end in ["", "#f", "#?id=0&pubkey=0", "&extra=1&extra=2"] {
                let text = "\(front)pubkey=\(NostrKeys.aliceHex)&id=4%202\(end)"
                #expect(try key().read(callback: text) == expected, "\(text)")
            }
        }
        let root = try NIP155Client(success: "https://e.com?s=1").request(.publicKey(), id: "1")
        #expect(
            try root.read(callback: "https://e.com/?s=1&id=1&pubkey=\(NostrKeys.aliceHex)")
                == expected)
        let app = try NIP155Client(success: "myapp:cb").request(.publicKey(), id: "1")
        #expect(try app.read(callback: "MYAPP:cb?id=1&pubkey=\(NostrKeys.aliceHex)") == expected)
    }

    @Test(
        "A callback elsewhere, or for another request, is not an answer",
        arguments: [
            "https://example.com/cb2?state=a%20b&x&id=4%202", "myapp://cb?state=a%20b&x&id=4%202",
            "https://example.com/?state=a%20b&x&id=4%202",
            "https://evil.com/cb?state=a%20b&x&id=4%202",
            "http://example.com/cb?state=a%20b&x&id=4%202",
            "https://example.com:8443/cb?state=a%20b&x&id=4%202",
            "https://example.com/CB?state=a%20b&x&id=4%202",
            "https://example.com/cb?state=a%20c&x&id=4%202", "https://example.com/cb?x&id=4%202",
            "https://example.com/cb?state=a%20b&x&id=42", "https://example.com/cb?state=a%20b&x",
            "https://example.com/cb?state=a%20b&x&id=",
            "https://example.com/cb?state=a%20b&x&id=4+2",
            "https://example.com/cb?state=a%20b&x&id=4%25202", "",
            "https://example.com/cb#?state=a%20b&x&id=4%202",
            "https://example.com/err?id=5&code=x", "nostrsigner://cb?state=a%20b&x&id=4%202",
        ])
    func elsewhere(front: String) throws {
        #expect(throws: NIP155ClientError.notForThisRequest) {
            try key().read(callback: "\(front)&pubkey=\(NostrKeys.aliceHex)")
        }
    }

    @Test("id is compared by bytes, not by looks")
    func idBytes() throws {
        let request = try client.request(.publicKey(), id: "\u{E9}")
        let front = "https://example.com/cb?state=a%20b&x&pubkey=\(NostrKeys.aliceHex)"
        _ = try request.read(callback: "\(front)&id=%C3%A9")
        #expect(throws: NIP155ClientError.notForThisRequest) {
            try request.read(callback: "\(front)&id=e%CC%81")
        }
    }

    @Test("A reserved name twice, or a bad encoding, spoils the answer")
    func badQueries() throws {
        let good = url(["pubkey": NostrKeys.aliceHex])
        for more in [
            "id=4%202", "id", "pubkey=\(NostrKeys.bobHex)", "%70ubkey=x", "package=a&package=b",
            "a=%zz", "a=%ff", "a=%c0%80", "package=%",
        ] {
            let text = good.replacing("#f", with: "&\(more)#f")
            expectInvalid(try key(), text)
        }
        for hex in ["", "x", NostrKeys.aliceHex.uppercased(), NostrKeys.aliceHex + "00"] {
            expectInvalid(try key(), url(["pubkey": hex]))
        }
        expectInvalid(try key(), url([:]))
    }

    @Test("Granted permissions are within those asked for")
    func granted() throws {
        let wishes = [NIP155Permission(.signEvent, kind: 1), NIP155Permission(.nip44Decrypt)]
        func read(_ json: String, asked: [NIP155Permission]) throws -> [NIP155Permission]? {
            let answer = try key(permissions: asked).read(
                callback: url([
                    "pubkey": NostrKeys.aliceHex, "package": "a.b", "granted_permissions": json,
                ]))
            guard case .publicKey(NostrKeys.aliceHex, "a.b", let granted) = answer else {
                return nil
            }
            return granted
        }
        #expect(try read("[]", asked: []) == [])
        let one = #"[{"type":"sign_event","kind":1}]"#
        #expect(try read(one, asked: wishes) == [wishes[0]])
        #expect(try read(one, asked: [NIP155Permission(.signEvent)]) == [wishes[0]])
        for json in [
            #"[{"type":"sign_event"}]"#, #"[{"type":"sign_event","kind":2}]"#,
            #"[{"type":"nip44_encrypt"}]"#, #"{"type":"nip44_decrypt"}"#, "[1]", "x",
        ] {
            #expect(throws: NIP155ClientError.self, "\(json)") { try read(json, asked: wishes) }
        }
    }

    @Test("A signed event has the requested content, byte for byte")
    func events() throws {
        let event = try signing(.event)
        #expect(try event.read(callback: url(["event": signed()])) == .event(signed()))
        let both = url(["result": Self.signature, "event": signed()])
        #expect(
            try signing(.signature).read(callback: both)
                == .signature(Self.signature, event: signed()))
        for other in [
            signed(content: "cafe\u{301}"), signed(content: "other"),
            signed(author: NostrKeys.bobHex),
            signed(kind: 2), signed(tags: "[]"), signed(tags: #"[["t","x"],["t","y"]]"#),
            signed(time: 6), signed(id: "x"), signed(author: NostrKeys.aliceHex.uppercased()),
            signed() + "x", String(signed().dropLast()), Self.wanted, "",
            signed().replacing("\"kind\":1", with: "\"kind\":1,\"kind\":1"),
        ] {
            expectInvalid(event, url(["event": other]))
            expectInvalid(
                try signing(.signature), url(["result": Self.signature, "event": other]))
        }
        expectInvalid(event, url(["result": Self.signature]))
        for result in ["", "ab", Self.signature.uppercased(), Self.signature + "ab"] {
            expectInvalid(try signing(.signature), url(["result": result]))
        }
        let wrong = String(repeating: "cd", count: 64)
        expectInvalid(try signing(.signature), url(["result": wrong, "event": signed()]))
        expectInvalid(try signing(.signature), url(["event": signed()]))
    }

    @Test("The signer sets the time where the client wrote none")
    func undated() throws {
        let request = try client.request(
            .signEvent(json: #"{"kind":1,"content":""}"#, returning: .event), id: "4 2")
        let good = signed(content: "", tags: "[]", time: 77)
        #expect(try request.read(callback: url(["event": good])) == .event(good))
        expectInvalid(request, url(["event": signed(content: "", time: 77)]))
    }
}
