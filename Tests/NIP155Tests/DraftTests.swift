// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import NIP155Rig
import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NIP155

@Suite("The methods, parameters and errors that the draft lists")
struct DraftTests {
    private static let event = #"{"kind":1,"content":"hello","created_at":5,"tags":[]}"#
    private static let zapReceiver =
        "9571a568a42b9e05646a349c783159b906b498119390df9a5a02667155128028"

    /// The payload of a method, its other parameters, and the secret key that answers.
    private static func call(
        _ method: NIP155Method
    ) throws -> (payload: String?, peer: String?, secret: String) {
        let alice = NostrKeys.aliceSecret
        switch method {
        case .getPublicKey: return (nil, nil, alice)
        case .signEvent: return (event, nil, alice)
        case .nip04Encrypt, .nip44Encrypt: return ("hello", NostrKeys.bobHex, alice)
        case .nip04Decrypt, .nip44Decrypt:
            let type = method == .nip04Decrypt ? "nip04_encrypt" : "nip44_encrypt"
            let url = requestURL(type, ["plaintext": "hello", "pubkey": NostrKeys.aliceHex])
            let bob = Rig(secrets: [NostrKeys.bobSecret])
            let sealed: String = try #require(try ParsedAnswer(try bob.answer(url))["result"])
            return (sealed, NostrKeys.bobHex, alice)
        case .decryptZapEvent:
            let vector = try #require(try Vectors.json("nip57.private-zap.json")["event_zap"])
            let request = try #require(vector["zap_request"])
            return (String(decoding: request.write(), as: UTF8.self), nil, zapReceiver)
        }
    }

    private static func url(
        _ method: NIP155Method, gzip: Bool, _ extra: String = ""
    ) throws -> (url: String, rig: Rig) {
        let (payload, peer, secret) = try call(method)
        let rig = Rig(secrets: [secret])
        let user = hex(try rig.accounts[0].publicKey)
        var url = requestURL(
            method.rawValue, ["id": "a b", "current_user": user, "x-cancel": "myapp://no"])
        url += "&compressionType=\(gzip ? "gzip" : "none")" + extra
        if let peer { url += "&pubkey=\(peer)" }
        if let name = method.payload, let payload {
            let value = gzip ? base64(try Gzip.compress(payload.utf8.span)) : payload
            url += "&\(name.rawValue)=\(PercentEncoding.encode(value))"
        }
        return (url, rig)
    }

    @Test(
        "Each method answers with the id and its result, plain and compressed",
        arguments: NIP155Method.allCases, [false, true])
    func methods(method: NIP155Method, gzip: Bool) throws {
        let (url, rig) = try Self.url(method, gzip: gzip)
        let answer = try ParsedAnswer(try rig.answer(url))
        #expect(answer.place == "myapp://ok")
        #expect(answer["id"] == "a b")
        guard method != .getPublicKey else {
            #expect(answer.names == ["id", "pubkey", "package"])
            return
        }
        #expect(answer.names == ["id", "result"] + (gzip ? ["compressionType"] : []))
        let value = try #require(answer["result"])
        let result =
            gzip ? try Compression.gzip.unpack(value, named: .plaintext, bytesMax: 1 << 16) : value
        switch method {
        case .getPublicKey: break
        case .signEvent: #expect(result.utf8.count == 128)
        case .nip04Encrypt: #expect(result.contains("?iv="))
        case .nip44Encrypt: #expect(try Base64.decode(result).first == 2)
        case .nip04Decrypt, .nip44Decrypt: #expect(result == "hello")
        case .decryptZapEvent:
            #expect(try JSON.parse(Array(result.utf8).span)["kind"] == 9_733)
        }
    }

    private static let draftTypes: [(NIP155Method, [String])] = [
        (.signEvent, ["signature", "event"]),
        (.nip04Encrypt, ["ciphertext"]), (.nip44Encrypt, ["ciphertext"]),
        (.nip04Decrypt, ["plaintext"]), (.nip44Decrypt, ["plaintext"]),
        (.decryptZapEvent, ["event"]),
    ]

    @Test(
        "returnType has the values that the draft gives each method, and no others",
        arguments: draftTypes)
    func returnTypes(method: NIP155Method, allowed: [String]) throws {
        for value in ["signature", "event", "ciphertext", "plaintext"] {
            let (url, rig) = try Self.url(method, gzip: false, "&returnType=\(value)")
            guard allowed.contains(value) else {
                #expect(try rig.refusal(url).code == "invalid_request", "\(value)")
                continue
            }
            let isWholeEvent = method == .signEvent && value == "event"
            #expect(
                try ParsedAnswer(try rig.answer(url)).names
                    == ["id", isWholeEvent ? "event" : "result"], "\(value)")
        }
    }

    @Test("The hints that get_public_key may carry change nothing of its answer")
    func publicKeyHints() throws {
        let plain = try Rig().answer(requestURL("get_public_key", [:]))
        for hint in ["returnType=signature", "compressionType=none", "compressionType=gzip"] {
            #expect(try Rig().answer(requestURL("get_public_key", [:]) + "&" + hint) == plain)
        }
    }

    @Test("Methods, parameters and error codes are those of the draft's registry")
    func codes() {
        #expect(
            Set(NIP155Method.allCases.map(\.rawValue)) == [
                "get_public_key", "sign_event", "nip04_encrypt", "nip04_decrypt",
                "nip44_encrypt", "nip44_decrypt", "decrypt_zap_event",
            ])
        #expect(
            Set(NIP155ErrorCode.known.map(\.rawValue)) == [
                "user_cancelled", "permission_denied", "invalid_request", "unsupported_method",
                "payload_too_large", "not_logged_in", "rate_limited", "internal_error",
            ])
        for name in [
            "id", "x-success", "x-error", "x-cancel", "compressionType", "returnType",
            "current_user", "x-source", "client_url",
        ] {
            #expect(Parameters.Name(rawValue: name) != nil, "\(name)")
        }
    }
}
