// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs
import Testing

@testable import NIP155Client
@testable import NIP155Rig
@testable import NostrSamples

@Suite("Texts, refusals and drop boxes as a client reads them")
struct ClientTextTests {
    private let client: NIP155Client
    private static let token = "abcDEF0123456_-9"
    private static let iv = String(repeating: "A", count: 22) + "=="
    private static let nip04 = "\(iv)?iv=\(iv)"

    init() throws {
        client = try NIP155Client(
            success: "myapp://ok", error: "myapp://err", cancel: "myapp://no")
    }

    private func read(
        _ call: NIP155Call, _ parameters: KeyValuePairs<String, String>, at place: String = "ok"
    ) throws -> NIP155Answer {
        let pairs = parameters.map { "&\($0.key)=\(PercentEncoding.encode($0.value))" }
        return try client.request(call, id: "1").read(
            callback: "myapp://\(place)?id=1\(pairs.joined())")
    }

    private func packed(_ text: String) throws -> String {
        base64(try Gzip.compress(text.utf8.span))
    }

    private let decrypt = NIP155Call.nip04Decrypt(ciphertext: nip04, peer: NostrKeys.bobHex)
    private let encrypt = NIP155Call.nip04Encrypt(plaintext: "x", peer: NostrKeys.bobHex)
    private let zap = NIP155Call.decryptZapEvent(json: #"{"kind":9735,"content":""}"#)

    @Test("The results of methods the adapter does not offer yet")
    func otherMethods() throws {
        #expect(try read(encrypt, ["result": Self.nip04]) == .text(Self.nip04))
        #expect(try read(decrypt, ["result": ""]) == .text(""))
        #expect(try read(decrypt, ["result": awkwardText]) == .text(awkwardText))
        let inner = #"{"kind":9733,"content":"thanks"}"#
        #expect(try read(zap, ["result": inner]) == .text(inner))
        for (call, result) in [
            (encrypt, "x"), (encrypt, ""), (zap, ""), (zap, "[]"), (zap, "{"),
            (.nip44Encrypt(plaintext: "x", peer: NostrKeys.bobHex), Self.nip04),
            (.nip44Encrypt(plaintext: "x", peer: NostrKeys.bobHex), ""),
        ] as [(NIP155Call, String)] {
            #expect(throws: NIP155ClientError.self) { try read(call, ["result": result]) }
        }
        for call in [encrypt, decrypt, zap] {
            #expect(throws: NIP155ClientError.self) { try read(call, ["event": "{}"]) }
        }
    }

    @Test("A gzip result is whole, one member, UTF-8 and at most 1 MiB")
    func gzip() throws {
        func unpack(_ value: String, type: String = "gzip") throws -> NIP155Answer {
            try read(decrypt, ["result": value, "compressionType": type])
        }
        #expect(try unpack(packed(awkwardText)) == .text(awkwardText))
        #expect(try unpack("plain", type: "none") == .text("plain"))
        let whole = try Gzip.compress("hello".utf8.span)
        var damaged = whole
        damaged[whole.count - 6] ^= 1
        let most = 1 << 20
        for value in [
            base64(Array(whole.dropLast())), base64(Array(whole.dropLast(9))),
            base64(whole + whole),
            base64(damaged), base64(whole + [0]), "", "hello", "%%%",
            base64(try Gzip.compress(([0xFF] as [UInt8]).span)),
            try packed(String(repeating: "a", count: most + 1)),
        ] {
            #expect(throws: NIP155ClientError.self, "\(value.prefix(40))") { try unpack(value) }
        }
        let longest = String(repeating: "a", count: most)
        #expect(try unpack(packed(longest)) == .text(longest))
        #expect(throws: NIP155ClientError.self) { try unpack("x", type: "zstd") }
        let signature = String(repeating: "ab", count: 64)
        let sign = NIP155Call.signEvent(
            json: #"{"kind":1,"content":""}"#, returning: .signature)
        #expect(
            try read(sign, ["result": signature, "compressionType": "gzip"])
                == .signature(signature, event: nil))
        #expect(
            try read(sign, ["result": packed(signature), "compressionType": "gzip"])
                == .signature(signature, event: nil))
    }

    @Test("A callback of more than 64 KiB is not read")
    func tooLong() throws {
        let front = "myapp://ok?id=1&result=".utf8.count
        let fits = String(repeating: "a", count: 65_536 - front)
        #expect(try read(decrypt, ["result": fits]) == .text(fits))
        #expect(throws: NIP155ClientError.notForThisRequest) {
            try read(decrypt, ["result": fits + "a"])
        }
    }

    @Test("A refusal keeps its code and reason")
    func refusals() throws {
        for code in NIP155ErrorCode.known.map(\.rawValue) + ["no_such_code", awkwardText] {
            #expect(
                try read(decrypt, ["code": code, "reason": awkwardText], at: "err")
                    == .refused(code: NIP155ErrorCode(rawValue: code), reason: awkwardText))
        }
        #expect(
            try read(decrypt, ["code": "rate_limited"], at: "err")
                == .refused(code: .rateLimited, reason: ""))
        #expect(
            try read(decrypt, ["code": "user_cancelled", "reason": "no"], at: "no")
                == .refused(code: .userCancelled, reason: "no"))
        #expect(try read(decrypt, [:], at: "no") == .refused(code: .userCancelled, reason: ""))
        #expect(throws: NIP155ClientError.self) { try read(decrypt, [:], at: "err") }
        #expect(throws: NIP155ClientError.self) { try read(decrypt, ["result": "x"], at: "err") }
        #expect(throws: NIP155ClientError.self) { try read(decrypt, ["result": "x"], at: "no") }
        #expect(throws: NIP155ClientError.self) {
            try read(decrypt, ["code": "x", "result": "x"], at: "err")
        }
        #expect(throws: NIP155ClientError.self) { try read(decrypt, ["code": "x"]) }
    }

    @Test("One callback for all three distinguishes errors by code")
    func onePlace() throws {
        let client = try NIP155Client(
            success: "myapp:cb", error: "myapp:cb", cancel: "myapp:cb")
        let request = try client.request(decrypt, id: "1")
        #expect(try request.read(callback: "myapp:cb?id=1&result=x") == .text("x"))
        #expect(
            try request.read(callback: "myapp:cb?id=1&code=internal_error&reason=r")
                == .refused(code: .internalError, reason: "r"))
        #expect(throws: NIP155ClientError.self) {
            try request.read(callback: "myapp:cb?id=1&code=internal_error&result=x")
        }
    }

    @Test("A drop box takes the payload out of the URL")
    func dropBoxRequest() throws {
        let text = mixedText(60_000) + awkwardText
        let request = try client.request(
            .nip44Encrypt(plaintext: text, peer: NostrKeys.bobHex), id: "1",
            dropBoxToken: Self.token)
        #expect(
            request.url == """
                nostrsigner://nip44_encrypt?type=nip44_encrypt&pb=\(Self.token)\
                &pubkey=\(NostrKeys.bobHex)&id=1&returnType=ciphertext&x-success=myapp%3A%2F%2Fok\
                &x-error=myapp%3A%2F%2Ferr&x-cancel=myapp%3A%2F%2Fno
                """)
        let content = try JSON.parse(#require(request.dropBoxContent).utf8.span)
        #expect(content == ["plaintext": .string(text)])
        let json = #"{"kind":1,"content":"\""}"#
        let sign = try client.request(
            .signEvent(json: json, returning: .event), id: "1", dropBoxToken: Self.token)
        #expect(sign.dropBoxContent == #"{"event":"{\"kind\":1,\"content\":\"\\\"\"}"}"#)
        for token in [
            "", String(repeating: "a", count: 15), String(repeating: "a", count: 129),
            "abcDEF0123456_-.", "../../etc/passwd", "abcDEF0123456_-\u{E9}",
        ] {
            #expect(throws: NIP155ClientError.self) {
                try client.request(decrypt, id: "1", dropBoxToken: token)
            }
        }
        #expect(throws: NIP155ClientError.self) {
            try client.request(.publicKey(), id: "1", dropBoxToken: Self.token)
        }
    }

    @Test("A result in the drop box is read by its reference")
    func dropBoxAnswer() throws {
        let request = try client.request(decrypt, id: "1", dropBoxToken: Self.token)
        let callback = "myapp://ok?id=1&result_ref=pb%3A\(Self.token)"
        let content = DropBoxContent.content("result", awkwardText)
        #expect(
            try request.read(callback: callback, dropBoxContent: content) == .text(awkwardText))
        #expect(throws: NIP155ClientError.dropBoxUnread) { try request.read(callback: callback) }
        // The URL may contain a small answer despite a drop box.
        let inline = "myapp://ok?id=1&result=x"
        #expect(try request.read(callback: inline, dropBoxContent: content) == .text("x"))
        for bad in [
            "", "[]", "{}", #"{"result":1}"#, #"{"event":"x"}"#, #"{"result":"x"} x"#,
            DropBoxContent.content("result", mixedText((1 << 20) + 1)),
        ] {
            #expect(throws: NIP155ClientError.self, "\(bad.prefix(20))") {
                try request.read(callback: callback, dropBoxContent: bad)
            }
        }
        for url in [callback + "9", callback + "&result=x", "myapp://ok?id=1&result_ref=x"] {
            #expect(throws: NIP155ClientError.self) {
                try request.read(callback: url, dropBoxContent: content)
            }
        }
        let other = try client.request(decrypt, id: "1")
        #expect(throws: NIP155ClientError.self) {
            try other.read(callback: callback, dropBoxContent: content)
        }
    }
}
