// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import NIP155Rig
import NostrSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import NIP155

@Suite("Outcomes of a request")
struct OutcomeTests {
    private static let expected: [(ReasonCode, String, String)] = [
        (.policyDenied, "permission_denied", "permission denied"),
        (.personDenied, "user_cancelled", "declined"),
        (.approvalUnavailable, "permission_denied", "permission denied"),
        (.approvalTimedOut, "user_cancelled", "timed out"),
        (.withdrawn, "user_cancelled", "withdrawn"),
        (.unknownFact, "internal_error", "the signer"),
        (.limitExceeded, "rate_limited", "a limit"),
        (.tooManyQuestions, "rate_limited", "too many requests wait"),
        (.replayed, "internal_error", "the signer"),
        (.pendingConflict, "invalid_request", "another request with this id"),
        (.frozen, "permission_denied", "permission denied"),
        (.policyChanged, "internal_error", "the signer"),
        (.policyUnavailable, "internal_error", "the signer"),
        (.ledgerUnavailable, "internal_error", "the signer"),
        (.keyUnavailable, "not_logged_in", "the key"),
        (.domainRefused, "invalid_request", "the key"),
        (.undecryptable, "invalid_request", "could not decrypt"),
        (.keyFailed, "internal_error", "the signer"),
        (.lookupFailed, "internal_error", "the signer"),
        (.invalidPeer, "invalid_request", "pubkey"),
        (.undeliverable, "payload_too_large", "the result"),
    ]

    @Test("Every reason has a case here")
    func complete() {
        #expect(Set(Self.expected.map(\.0)) == Set(ReasonCode.allCases))
    }

    @Test("Every reason is reported at x-error, id first", arguments: expected)
    func reasons(code: ReasonCode, wire: String, start: String) throws {
        let rig = Rig()
        let request = try rig.decode(
            requestURL("get_public_key", ["id": "4 2", "x-cancel": "myapp://no"]))
        for outcome in [
            Outcome.denied(Reason(code, "secret rule", rule: "r")),
            .failed(Reason(code, "secret rule")),
        ] {
            let url = try rig.message(rig.adapter.finalReply(outcome, to: request))
            #expect(url.hasPrefix("myapp://err?id=4%202&code=\(wire)&reason="))
            #expect(try ParsedAnswer(url)["reason"]?.hasPrefix(start) == true)
            #expect(!url.contains("secret"))
        }
    }

    @Test("Results of another shape than asked are an internal error")
    func wrongResults() throws {
        let rig = Rig()
        let request = try rig.decode(requestURL("get_public_key", [:]))
        let key = KeyResult.publicKey([1])
        for results in [[], [key, key], [.plaintext([1])], [.ciphertext([1])]] {
            let answer = try ParsedAnswer(
                try rig.message(rig.adapter.finalReply(.done(results), to: request)))
            #expect(answer["code"] == "internal_error")
        }
    }

    @Test("A result that does not fit the callback is an error that says so")
    func tooLargeResult() throws {
        let limits = NIP155Limits(callbackBytesMax: 200)
        let rig = Rig(configuration: NIP155Configuration(limits: limits))
        let event = #"{"kind":1,"content":"","created_at":5,"tags":[]}"#
        let signature = requestURL("sign_event", ["event": event])
        #expect(try ParsedAnswer(try rig.answer(signature)).place == "myapp://ok")
        // These are refused before a key is used.
        for parameters: KeyValuePairs in [
            ["event": event, "returnType": "event"], ["event": #"{"kind":1,"content":""}"#],
        ] {
            let refusal = try rig.refusal(requestURL("sign_event", parameters))
            #expect(refusal.code == "payload_too_large")
            #expect(refusal.reason.contains("compressionType=gzip"))
        }
        // The length of the text is known only after decryption.
        let text = String(repeating: "%", count: 200)
        let request = try rig.decode(requestURL("sign_event", ["event": event]))
        let reply = rig.adapter.finalReply(.done([.plaintext(Array(text.utf8))]), to: request)
        #expect(try ParsedAnswer(try rig.message(reply))["code"] == "internal_error")
    }

    @Test("A page may take a longer answer than an app")
    func webCallbacks() throws {
        let limits = NIP155Limits(callbackBytesMax: 200, webCallbackBytesMax: 2_000)
        let rig = Rig(configuration: NIP155Configuration(limits: limits))
        let event = #"{"kind":1,"content":"","created_at":5,"tags":[]}"#
        let whole: KeyValuePairs = ["event": event, "returnType": "event"]
        let web = requestURL("sign_event", whole, success: "https://e.com/cb", error: nil)
        let answer = try rig.answer(web)
        #expect(answer.hasPrefix("https://e.com/cb?event=") && answer.utf8.count > 200)
        let loopback = requestURL("sign_event", whole, success: "http://[::1]:8/", error: nil)
        for url in [requestURL("sign_event", whole), loopback] {
            #expect(try rig.refusal(url).code == "payload_too_large")
        }
    }

    @Test(
        "A text whose ciphertext fits a callback is encrypted, a longer one is refused before that",
        arguments: [
            ("nip44_encrypt", 40_960, true), ("nip44_encrypt", 40_961, false),
            ("nip04_encrypt", 43_000, true), ("nip04_encrypt", 46_000, false),
            ("nip44_encrypt", 65_535, false),
        ])
    func longText(method: String, count: Int, isFitting: Bool) throws {
        let rig = Rig()
        for compression in ["none", "gzip"] {
            let text = mixedText(count)
            let url = requestURL(
                method,
                [
                    "plaintext": compression == "gzip"
                        ? try base64(Gzip.compress(text.utf8.span)) : text,
                    "pubkey": NostrKeys.bobHex, "compressionType": compression,
                ])
            guard isFitting else {
                #expect(try rig.refusal(url).code == "payload_too_large", "\(compression)")
                continue
            }
            let answer = try rig.answer(url)
            #expect(answer.hasPrefix("myapp://ok?result="))
            #expect(answer.utf8.count <= NIP155Limits().callbackBytesMax)
        }
    }

    @Test("The answer keeps the client's own query and fragment")
    func clientQuery() throws {
        let url = requestURL(
            "get_public_key", ["id": "1"], success: "https://e.com/cb?pubkey=fake&x=1#top",
            error: nil)
        #expect(
            try Rig().answer(url)
                == "https://e.com/cb?x=1&id=1&pubkey=\(NostrKeys.aliceHex)"
                + "&package=io.countersign.hub#top"
        )
    }
}
