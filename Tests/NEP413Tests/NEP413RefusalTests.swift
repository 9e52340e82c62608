// SPDX-License-Identifier: Apache-2.0

import NEP413
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@Suite("NEP-413 refusals")
struct NEP413RefusalTests {
    private func text(_ count: Int) -> JSON { .string(String(repeating: "x", count: count)) }

    @Test("each limit is kept exactly")
    func limits() throws {
        let account = try Signer().account
        let limits = [
            ("message", 32_768), ("recipient", 256), ("callbackUrl", 2_048), ("state", 2_048),
        ]
        for (name, maximum) in limits {
            _ = try decode(frame([name: text(maximum)]), holding: [account])
            let error = try refusal(frame([name: text(maximum + 1)]), holding: [account])
            #expect(error.code == "payload_too_large")
            #expect(error.reason == "\(name) is longer than \(maximum) bytes")
        }
        let padding = [UInt8](repeating: 0x20, count: 65_536 - frame().count)
        _ = try decode(frame() + padding, holding: [account])
        let error = try refusal(frame() + padding + [0x20], holding: [account])
        #expect(error.code == "payload_too_large")
        #expect(error.reason == "the request is longer than 65536 bytes")
        #expect(adapter.frameBytesMax == 6 << 20)
    }

    @Test(
        "a malformed request is refused",
        arguments: [
            "", "null", "[]", "\"text\"", "{}", "{\"message\":\"hi\"}",
            #"{"message":1,"recipient":"a","nonce":"NONCE"}"#,
            #"{"message":"hi","recipient":null,"nonce":"NONCE"}"#,
            #"{"message":"hi","recipient":"a","nonce":null}"#,
            #"{"message":"hi","message":"ho","recipient":"a","nonce":"NONCE"}"#,
            #"{"message":"hi","\u006dessage":"ho","recipient":"a","nonce":"NONCE"}"#,
            #"{"message":"hi","recipient":"a","nonce":"NONCE","callbackURL":"x"}"#,
            #"{"message":"hi","recipient":"a","nonce":"NONCE","callbackUrl":1}"#,
            #"{"message":"hi","recipient":"a","nonce":"NONCE","state":{}}"#,
            #"{"message":"hi","recipient":"a","nonce":"NONCE","network":"Mainnet"}"#,
            #"{"message":"hi","recipient":"a","nonce":"NONCE","network":"betanet"}"#,
            #"{"message":"\ud800","recipient":"a","nonce":"NONCE"}"#,
            #"{"message":"hi","recipient":"a","nonce":"NONCE"} x"#,
        ])
    func malformed(_ text: String) throws {
        let nonce = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        let frame = Array(text.replacing("NONCE", with: nonce).utf8)
        let error = try refusal(frame, holding: [try Signer().account])
        #expect(error.code == "invalid_request")
        let reply = try json(error.reply)
        #expect(reply["error"]?["code"] == "invalid_request")
        #expect(reply["error"]?["message"] == .string(error.reason))
        #expect(!error.reason.contains("hi"))
    }

    @Test("null counts as absent")
    func nulls() throws {
        let account = try Signer().account
        let null: JSON? = .some(.null)
        let request = try decode(
            frame([
                "callbackUrl": null, "state": null, "accountId": null, "network": null,
            ]), holding: [account])
        #expect(try request.operations == decode(frame(), holding: [account]).operations)
    }

    @Test("a request has no readable prefix, and nothing may follow it")
    func prefixes() throws {
        let account = try Signer().account
        let whole = frame(["state": "s", "callbackUrl": "https://a.example"])
        for count in 0..<whole.count {
            _ = try refusal(Array(whole.prefix(count)), holding: [account])
        }
        for byte: UInt8 in [0, 0x2C, 0x7B, 0x7D, 0xFF] {
            _ = try refusal(whole + [byte], holding: [account])
        }
    }

    @Test("the state comes back wherever it could be read")
    func state() throws {
        let account = try Signer().account
        let signed = try Signer().answer(frame(["state": "s\u{1}\""]))
        #expect(signed["state"] == "s\u{1}\"")
        #expect(try Signer().answer(frame())["state"] == nil)

        let wrong = try refusal(frame(["state": "s", "recipient": nil]), holding: [account])
        #expect(try json(wrong.reply)["state"] == "s")
        let long = try refusal(frame(["state": text(2_049)]), holding: [account])
        #expect(try json(long.reply)["state"] == nil)
        let broken = try refusal(Array("{\"state\":\"s\"".utf8), holding: [account])
        #expect(try json(broken.reply)["state"] == nil)
    }

    @Test("every reason has a code of the wire", arguments: ReasonCode.allCases)
    func reasons(_ code: ReasonCode) throws {
        let request = try decode(frame(["state": "s"]), holding: [Signer().account])
        let reason = Reason(code, "inner words", rule: "secret-rule")
        let denied = adapter.finalReply(.denied(reason), to: request)
        #expect(adapter.finalReply(.failed(reason), to: request) == denied)
        let answer = try json(denied)
        #expect(answer.object?.names == ["error", "state"])
        #expect(answer["state"] == "s")
        #expect(answer["error"]?["code"]?.text == Self.wireCodes[code])
        let message = try #require(answer["error"]?["message"]?.text)
        #expect(!message.isEmpty && !message.contains("inner") && !message.contains("secret"))
    }

    private static let wireCodes: [ReasonCode: String] = [
        .policyDenied: "permission_denied", .personDenied: "user_rejected",
        .approvalUnavailable: "approval_unavailable", .approvalTimedOut: "approval_timed_out",
        .withdrawn: "withdrawn",
        .unknownFact: "permission_denied", .limitExceeded: "rate_limited",
        .tooManyQuestions: "rate_limited",
        .replayed: "permission_denied", .pendingConflict: "permission_denied",
        .frozen: "unavailable", .policyChanged: "unavailable",
        .policyUnavailable: "unavailable", .ledgerUnavailable: "unavailable",
        .keyUnavailable: "unavailable", .domainRefused: "internal_error",
        .undecryptable: "internal_error", .keyFailed: "internal_error",
        .invalidPeer: "internal_error", .undeliverable: "internal_error",
        .lookupFailed: "network_unavailable",
    ]

    @Test("results that are not one signature become an error")
    func wrongResults() throws {
        let request = try decode(frame(), holding: [Signer().account])
        let signature = KeyResult.signature([UInt8](repeating: 1, count: 64), message: [])
        let wrong: [[KeyResult]] = [[], [.publicKey([1])], [signature, signature]]
        for results in wrong {
            let answer = try json(adapter.finalReply(.done(results), to: request))
            #expect(answer["error"]?["code"] == "internal_error")
            #expect(answer["signature"] == nil)
        }
    }
}
