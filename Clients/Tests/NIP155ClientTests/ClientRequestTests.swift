// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import SigningCodecs
import Testing

@testable import NIP155
@testable import NIP155Client
@testable import NIP155Rig
@testable import NostrSamples

@Suite("Requests of a client")
struct ClientRequestTests {
    private let client: NIP155Client
    private let event = #"{"kind":1,"content":"hello"}"#
    private let iv = String(repeating: "A", count: 22) + "=="

    init() throws { client = try NIP155Client(success: "myapp://ok") }

    private func parameters(_ url: String) throws -> RequestParameters {
        let mark = try #require(url.firstIndex(of: "?"))
        let parameters = RequestParameters(query: url[mark...].dropFirst())
        #expect(parameters.refusal == nil)
        return parameters
    }

    @Test("The URL of the draft's first example, encoded once")
    func wholeURL() throws {
        let client = try NIP155Client(
            success: "myapp://nostr/signed", error: "myapp://nostr/error",
            cancel: "myapp://nostr/no", name: "My Client+", homepage: "https://example.com")
        let request = try client.request(
            .signEvent(json: event, returning: .signature), id: "42",
            currentUser: NostrKeys.aliceHex)
        #expect(
            request.url == """
                nostrsigner://sign_event?type=sign_event\
                &event=%7B%22kind%22%3A1%2C%22content%22%3A%22hello%22%7D\
                &current_user=\(NostrKeys.aliceHex)&id=42&returnType=signature\
                &x-success=myapp%3A%2F%2Fnostr%2Fsigned&x-error=myapp%3A%2F%2Fnostr%2Ferror\
                &x-cancel=myapp%3A%2F%2Fnostr%2Fno&x-source=My%20Client%2B\
                &client_url=https%3A%2F%2Fexample.com
                """)
        #expect(request.dropBoxContent == nil)
    }

    @Test("Unlike Appendix A nothing is encoded twice")
    func appendixA() throws {
        let url = try client.request(
            .nip44Encrypt(plaintext: "100%25 {", peer: NostrKeys.bobHex), id: "1"
        ).url
        #expect(url.contains("&plaintext=100%2525%20%7B&"))
        #expect(try parameters(url)[.plaintext] == "100%25 {")
        // URLQueryItem encodes the value that encodedEventJSON already encoded.
        let twice = PercentEncoding.encode(PercentEncoding.encode(event))
        let once = try client.request(.signEvent(json: event, returning: .event), id: "1").url
        #expect(twice.hasPrefix("%257B"))
        #expect(!once.contains(twice))
        #expect(try parameters(once)[.event] == event)
    }

    @Test("Methods the adapter does not offer yet")
    func otherMethods() throws {
        let encrypt = try client.request(
            .nip04Encrypt(plaintext: "", peer: NostrKeys.bobHex), id: "1")
        #expect(
            encrypt.url == """
                nostrsigner://nip04_encrypt?type=nip04_encrypt&plaintext=\
                &pubkey=\(NostrKeys.bobHex)\
                &id=1&returnType=ciphertext&x-success=myapp%3A%2F%2Fok
                """)
        let text = "\(iv)?iv=\(iv)"
        let decrypt = try client.request(
            .nip04Decrypt(ciphertext: text, peer: NostrKeys.bobHex), id: "1")
        #expect(decrypt.url.hasPrefix("nostrsigner://nip04_decrypt?type=nip04_decrypt&"))
        #expect(try parameters(decrypt.url)[.encryptedText] == text)
        #expect(try parameters(decrypt.url)[.returnType] == "plaintext")
        let zap = try client.request(
            .decryptZapEvent(json: #"{"kind":9734,"content":""}"#), id: "1")
        #expect(zap.url.hasPrefix("nostrsigner://decrypt_zap_event?type=decrypt_zap_event&"))
        #expect(try parameters(zap.url)[.event] == #"{"kind":9734,"content":""}"#)
        #expect(try parameters(zap.url)[.returnType] == "event")
    }

    @Test("Automatic compression begins above the limit and never makes a URL longer")
    func compression() throws {
        func url(_ text: String, _ compression: NIP155Compression) throws -> String {
            try client.request(
                .nip44Encrypt(plaintext: text, peer: NostrKeys.bobHex), id: "1",
                compression: compression
            ).url
        }
        let base = try url("a", .none).utf8.count - 1
        let fits = mixedText(NIP155Client.plainURLBytesMax - base)
        #expect(try url(fits, .automatic) == url(fits, .none))
        let long = fits + "1"
        #expect(try url(long, .automatic) == url(long, .gzip))
        let parameters = try parameters(try url(long, .gzip))
        #expect(parameters[.compressionType] == "gzip")
        let unpacked = try Compression.gzip.unpack(
            try #require(parameters[.plaintext]), named: .plaintext, bytesMax: 1 << 16)
        #expect(unpacked == long)
        // A signer would refuse such a compression ratio, so the client does not compress the text.
        let bomb = String(repeating: "a", count: 60_000)
        #expect(try url(bomb, .automatic) == url(bomb, .none))
        #expect(throws: NIP155ClientError.self) { try url(bomb, .gzip) }
        // Random characters of six bits each: Base64 would cost more than gzip saves.
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var state: UInt64 = 1
        let noise = String(
            (0..<9_000).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                return letters[Int(state >> 58)]
            })
        #expect(try url(noise, .gzip).utf8.count > url(noise, .none).utf8.count)
        #expect(try url(noise, .automatic) == url(noise, .none))
        let key = try client.request(.publicKey(), id: "1", compression: .gzip).url
        #expect(!key.contains("compressionType"))
    }

    @Test("A URL over 64 KiB is refused with the way out")
    func tooLong() throws {
        let call = NIP155Call.nip44Encrypt(
            plaintext: String(repeating: "\u{1F919}", count: 16_000), peer: NostrKeys.bobHex)
        let error = try #require(throws: NIP155ClientError.self) {
            try client.request(call, id: "1", compression: .none)
        }
        guard case .urlTooLong(let bytes, 65_536) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(bytes > 192_000)
        #expect(error.text.contains("(pb)"))
    }

    @Test("Calls a signer must refuse are not made")
    func badCalls() throws {
        let bob = NostrKeys.bobHex
        let kind = #"{"kind":1,"content":""}"#
        let calls: [NIP155Call] = [
            .signEvent(json: "", returning: .event), .signEvent(json: "[]", returning: .event),
            .signEvent(json: #"{"kind":1}"#, returning: .event),
            .signEvent(json: #"{"content":""}"#, returning: .event),
            .signEvent(json: #"{"kind":1.0,"content":""}"#, returning: .event),
            .signEvent(json: #"{"kind":65536,"content":""}"#, returning: .event),
            .signEvent(json: #"{"kind":1,"kind":1,"content":""}"#, returning: .event),
            .signEvent(json: "%7B%7D", returning: .event),
            .decryptZapEvent(json: kind), .decryptZapEvent(json: #"{"kind":9735}"#),
            .nip44Encrypt(plaintext: "", peer: bob),
            .nip44Encrypt(plaintext: mixedText((1 << 20) + 1), peer: bob),
            .nip44Encrypt(plaintext: "x", peer: ""),
            .nip44Encrypt(plaintext: "x", peer: String(bob.dropLast(2))),
            .nip44Encrypt(plaintext: "x", peer: bob + "00"),
            .nip44Encrypt(plaintext: "x", peer: "zz" + bob.dropFirst(2)),
            .nip44Decrypt(ciphertext: "", peer: bob),
            .nip44Decrypt(ciphertext: "#2", peer: bob),
            .nip44Decrypt(ciphertext: String(repeating: "A", count: 132), peer: bob),
            .nip04Decrypt(ciphertext: "", peer: bob),
            .nip04Decrypt(ciphertext: "\(iv)?iv=", peer: bob),
            .nip04Decrypt(ciphertext: "?iv=\(iv)", peer: bob),
            .nip04Decrypt(ciphertext: "AAAA?iv=\(iv)", peer: bob),
            .nip04Decrypt(ciphertext: "\(iv)?iv=AAAA", peer: bob),
            .nip04Encrypt(plaintext: "x", peer: "npub1"),
            .publicKey(permissions: [NIP155Permission(.getPublicKey)]),
            .publicKey(permissions: [NIP155Permission(.nip44Decrypt, kind: 1)]),
            .publicKey(permissions: Array(repeating: NIP155Permission(.signEvent), count: 33)),
        ]
        for call in calls {
            let error = #expect(throws: NIP155ClientError.self, "\(call)") {
                try client.request(call, id: "1", compression: .none)
            }
            guard case .invalidCall? = error else {
                Issue.record("\(call): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("id has 1 to 256 bytes, currentUser 64 digits")
    func identifiers() throws {
        let longest = String(repeating: "\u{E9}", count: 128)
        #expect(try client.request(.publicKey(), id: longest).id == longest)
        for id in ["", longest + "x"] {
            #expect(throws: NIP155ClientError.self) { try client.request(.publicKey(), id: id) }
        }
        #expect(throws: NIP155ClientError.self) {
            try client.request(.publicKey(), id: "1", currentUser: "alice")
        }
    }

    @Test(
        "Callbacks a signer must refuse make no client",
        arguments: [
            ("javascript:alert(1)", nil, nil), ("nostrsigner://x", nil, nil),
            ("acme-signer://x", nil, nil), ("http://127.0.0.2/", nil, nil), ("", nil, nil),
            ("https://user@e.com", nil, nil), ("myapp://ok", "otherapp://err", nil),
            ("myapp://ok", nil, "otherapp://no"), ("https://e.com", "https://f.com", nil),
            ("https://e.com", "https://e.com:8443", nil), ("https://e.com", "myapp://err", nil),
            ("myapp://ok?id=1", nil, nil), ("myapp://ok?%69d=1", nil, nil),
            ("myapp://ok", "myapp://err?errorCode=1", nil), ("myapp://ok?x=%zz", nil, nil),
            ("myapp://ok", "javascript:alert(1)", nil), ("myapp://ok", nil, "myapp://no?code"),
        ] as [(String, String?, String?)])
    func badCallbacks(success: String, error: String?, cancel: String?) throws {
        let thrown = try #require(throws: NIP155ClientError.self) {
            try NIP155Client(
                success: success, error: error, cancel: cancel, scheme: "acme-signer")
        }
        guard case .invalidClient = thrown else {
            Issue.record("\(thrown)")
            return
        }
    }

    @Test("Schemes, loopback and homepage")
    func otherChoices() throws {
        for scheme in ["", "https", "javascript", "Acme", "1a", "a b", "a:", "a\u{E9}"] {
            #expect(throws: NIP155ClientError.self, "\(scheme)") {
                try NIP155Client(success: "myapp://ok", scheme: scheme)
            }
        }
        let other = try NIP155Client(success: "myapp://ok", scheme: "countersign-nostr")
        #expect(
            try other.request(.publicKey(), id: "1").url.hasPrefix(
                "countersign-nostr://get_public_key?"))
        let loopback = "http://127.0.0.1:8080/cb"
        #expect(
            try NIP155Client(success: loopback).callbacks.error == nil)
        for homepage in ["", "example.com", "http://e.com", "httpx://e.com", "myapp://x"] {
            #expect(throws: NIP155ClientError.self) {
                try NIP155Client(success: "myapp://ok", homepage: homepage)
            }
        }
    }

    @Test("The reserved names are those the signer removes")
    func reserved() {
        let configuration = NIP155Configuration(xCallbackCompatible: true)
        #expect(
            Set(AnswerParameterName.allCases.map(\.rawValue)) == configuration.reservedNames)
    }
}
