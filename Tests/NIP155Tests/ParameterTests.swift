// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import NIP155

@Suite("Parameters")
struct ParameterTests {
    private let hello = #"{"kind":1,"content":"hello","tags":[],"created_at":1700000000}"#

    @Test(
        "The form of the URL",
        arguments: [
            "NOSTRSIGNER://GET_PUBLIC_KEY?type=get_public_key&x-success=myapp://ok",
            "nostrsigner://get_public_key/?type=get_public_key&x-success=myapp://ok",
            "nostrsigner://?type=get_public_key&x-success=myapp://ok",
            "nostrsigner:///get_public_key?type=get_public_key&x-success=myapp://ok",
            "nostrsigner://x-callback-url/get_public_key?type=get_public_key&x-success=myapp:",
            "nostrsigner://X-Callback-URL/?type=get_public_key&x-success=myapp:",
            "countersign-nostr://get_public_key?type=get_public_key&x-success=myapp:",
            "nostrsigner://get_public_key?type=get_public_key&x-success=myapp:&v=1&later=1",
            "nostrsigner://get_public_key?type=get_public_key&x-success=myapp:\r\n \t",
            "nostrsigner://get_public_key?&&type=get_public_key&x-success=myapp:&id&later",
            "nostrsigner://get_public_key?t%79pe=get_public_key&x-success=myapp:",
        ])
    func forms(url: String) throws {
        #expect(try Rig().decode(url).method == "get_public_key")
    }

    @Test(
        "Other URLs get silence",
        arguments: [
            "", "nostrsigner", "https://example.com/?type=get_public_key", "nip55-ios-test://x",
            " nostrsigner://get_public_key?type=get_public_key&x-success=myapp:&x-error=myapp:",
            "nostrsigner://get_public_key?type=get_public_key&x-success=myapp:&x-error=myapp:#f",
            "nostrsigner://get_public_key?type=get_public_key&x-success=my app:&x-error=myapp:",
            "nostrsigner://get_public_key?type=get_public_key\n&x-success=myapp:&x-error=myapp:",
            "nostrsigner://get_public_key?type=get_public_key",
        ])
    func notURLs(url: String) throws {
        let refusal = try Rig().refusal(url)
        #expect(refusal.code == "invalid_request")
        #expect(refusal.reply == .silence(refusal.reason))
    }

    @Test("Bytes that are not UTF-8 are refused")
    func invalidUTF8() throws {
        let context = DecodingContext(
            accounts: [], peer: Peer(channel: "t", provedUserID: nil, claim: nil),
            now: Rig.now, freshID: [], wasSeen: { _ in nil })
        let frame = Array("nostrsigner://x?type=".utf8) + [0xFF]
        #expect(throws: AdapterError.self) {
            try NIP155Adapter().decode(frame.span, in: context)
        }
    }

    /// Invalid requests; each is answered at x-error with the id and with this code.
    private static let faults: [(String, KeyValuePairs<String, String>, String)] = [
        ("get_public_key", ["pb": "tokentokentokentoken"], "invalid_request"),
        ("get_public_key", ["v": "2"], "unsupported_method"),
        ("get_public_key", ["compressionType": "zip"], "invalid_request"),
        ("get_public_key", ["compressionType": "GZIP"], "invalid_request"),
        ("get_public_key", ["current_user": "xyz"], "invalid_request"),
        ("get_public_key", ["current_user": NostrKeys.bobHex], "permission_denied"),
        ("get_public_key", ["permissions": "["], "invalid_request"),
        ("get_public_key", ["permissions": "{}"], "invalid_request"),
        ("get_public_key", ["permissions": "[1]"], "invalid_request"),
        ("get_public_key", ["permissions": #"[{"kind":1}]"#], "invalid_request"),
        ("get_public_key", ["permissions": #"[{"type":1}]"#], "invalid_request"),
        (
            "get_public_key", ["permissions": #"[{"type":"sign_event","kind":65536}]"#],
            "invalid_request"
        ),
        (
            "get_public_key", ["permissions": #"[{"type":"nip44_decrypt","kind":1}]"#],
            "invalid_request"
        ),
        ("sign_event", [:], "invalid_request"),
        ("sign_event", ["event": ""], "invalid_request"),
        ("sign_event", ["event": "[]"], "invalid_request"),
        ("sign_event", ["event": #"{"kind":1,"content":""}"#, "v": "0"], "unsupported_method"),
        (
            "sign_event", ["event": #"{"kind":1,"content":""}"#, "returnType": "ciphertext"],
            "invalid_request"
        ),
        (
            "sign_event", ["event": #"{"kind":1,"content":""}"#, "returnType": "Event"],
            "invalid_request"
        ),
        ("nip44_encrypt", ["pubkey": NostrKeys.bobHex], "invalid_request"),
        ("nip44_encrypt", ["plaintext": "", "pubkey": NostrKeys.bobHex], "invalid_request"),
        ("nip44_encrypt", ["plaintext": "a"], "invalid_request"),
        ("nip44_encrypt", ["plaintext": "a", "pubkey": "abcd"], "invalid_request"),
        (
            "nip44_encrypt",
            ["plaintext": "a", "pubkey": NostrKeys.bobHex, "returnType": "plaintext"],
            "invalid_request"
        ),
        ("nip44_decrypt", ["pubkey": NostrKeys.bobHex], "invalid_request"),
        ("nip44_decrypt", ["encryptedText": "#x", "pubkey": NostrKeys.bobHex], "invalid_request"),
        ("nip04_encrypt", ["plaintext": "a"], "invalid_request"),
        ("nip04_decrypt", ["encryptedText": "a?iv=b"], "invalid_request"),
        ("decrypt_zap_event", ["event": "{}"], "invalid_request"),
        ("SIGN_EVENT", ["event": "{}"], "invalid_request"),
        ("sign_psbt", [:], "unsupported_method"),
    ]

    @Test("Every error behind good callbacks is reported at x-error, id first", arguments: faults)
    func delivered(
        type: String, parameters: KeyValuePairs<String, String>, code: String
    ) throws {
        let url = requestURL(type, parameters) + "&id=a%20b%2Bc"
        let refusal = try Rig().refusal(url)
        #expect(refusal.code == code)
        let answer = try ParsedAnswer(try Rig().message(refusal.reply))
        #expect(answer.place == "myapp://err")
        #expect(answer.names == ["id", "code", "reason"])
        #expect(answer["id"] == "a b+c")
        #expect(answer["code"] == code)
        #expect(answer["reason"] == refusal.reason)
    }

    @Test("A repeated or badly encoded parameter is reported where the callbacks are good")
    func repeated() throws {
        let base = requestURL("get_public_key", [:])
        for extra in ["&type=get_public_key", "&v=1&v=1", "&id=%4", "&zzz=%ZZ", "&%=1", "&v=%FF"] {
            let refusal = try Rig().refusal(base + extra)
            let answer = try ParsedAnswer(try Rig().message(refusal.reply))
            #expect(answer["code"] == "invalid_request", "\(extra)")
        }
        let twice = try Rig().refusal(base + "&x-error=myapp://err")
        #expect(twice.reply == .silence(twice.reason))
        #expect(try Rig().decode(base + "&zzz=1&zzz=2").method == "get_public_key")
    }

    @Test("An id of 256 bytes comes back, a longer one is too large and does not")
    func longID() throws {
        let id = String(repeating: "i", count: 256)
        let url = requestURL("get_public_key", [:]) + "&id="
        #expect(try ParsedAnswer(try Rig().answer(url + id))["id"] == id)
        let refusal = try Rig().refusal(url + id + "i")
        #expect(refusal.code == "payload_too_large")
        #expect(
            try ParsedAnswer(try Rig().message(refusal.reply)).names == ["code", "reason"])
    }

    @Test("The client and its claimed name")
    func hints() throws {
        let long = String(repeating: "n", count: 80)
        let cases: [(KeyValuePairs<String, String>, String?)] = [
            (["x-source": "A", "client_name": "B"], "A"), (["client_name": "B"], "B"),
            (["x-source": "a\u{202E}b\n\u{7}c"], "abc"), ([:], nil), (["x-source": ""], nil),
            (["x-source": long], String(long.prefix(64))), (["x-source": "\u{200B}"], nil),
        ]
        for (parameters, name) in cases {
            let client = try Rig().decode(requestURL("get_public_key", parameters)).client
            #expect(
                client
                    == Client(id: "myapp", name: name, proof: .callback, callback: "myapp"))
        }
        let web = requestURL(
            "get_public_key", [:], success: "https://Example.com:443/cb", error: nil)
        #expect(try Rig().decode(web).client?.id == "https://example.com")
    }

    @Test("A homepage at another origin than the callback is warned of")
    func homepage() throws {
        for (homepage, isWarned) in [
            ("https://example.com/about", false), ("https://evil.com/", true), ("x", true),
        ] {
            let url = requestURL(
                "get_public_key", ["client_url": homepage], success: "https://example.com/cb",
                error: nil)
            let warnings = try Rig().decode(url).summary.warnings
            #expect(warnings.contains { $0.contains("homepage") } == isWarned)
        }
    }

    @Test("The account is the one named, else the event's author, else the first")
    func accounts() throws {
        let both = Rig(secrets: [NostrKeys.aliceSecret, NostrKeys.bobSecret])
        let alice = try Hex.decode(NostrKeys.aliceHex)
        let bob = try Hex.decode(NostrKeys.bobHex)
        let byBob = hello.dropLast() + #","pubkey":"\#(NostrKeys.bobHex)"}"#
        let cases: [(KeyValuePairs<String, String>, [UInt8], Bool)] = [
            (["event": hello], alice, false), (["event": String(byBob)], bob, false),
            (["event": hello, "current_user": NostrKeys.bobHex.uppercased()], bob, false),
            (["event": hello, "current_user": PublicKeyText.npub(bob)], bob, false),
            (["event": String(byBob), "current_user": NostrKeys.aliceHex], alice, true),
        ]
        for (parameters, key, isReplaced) in cases {
            let request = try both.decode(requestURL("sign_event", parameters))
            #expect(request.use.account.publicKey == key)
            #expect(request.operations[0].account == request.use.account)
            #expect(request.operations[0].dangers.contains(.pubkeyMismatch) == isReplaced)
        }
        let nobody = try Rig(secrets: []).refusal(requestURL("get_public_key", [:]))
        #expect(nobody.code == "not_logged_in")
    }

    @Test("An account that is not held and a denied one get the same answer")
    func noEnumeration() throws {
        let rig = Rig()
        let unknown = try rig.refusal(
            requestURL("get_public_key", ["current_user": NostrKeys.bobHex]))
        let held = try rig.decode(
            requestURL("get_public_key", ["current_user": NostrKeys.aliceHex]))
        for code in [ReasonCode.policyDenied, .approvalUnavailable, .frozen] {
            let denied = Outcome.denied(Reason(code, "rule x", rule: "x"))
            #expect(rig.adapter.finalReply(denied, to: held) == unknown.reply)
        }
    }

    @Test("A URL beyond the limit is refused at its x-error; one twice as long is not even read")
    func oversize() throws {
        let base = requestURL("get_public_key", [:]) + "&later="
        let fill = String(repeating: "a", count: NIP155Limits().urlBytesMax - base.utf8.count)
        #expect(try Rig().decode(base + fill).method == "get_public_key")
        let refusal = try Rig().refusal(base + fill + "a")
        #expect(refusal.code == "payload_too_large")
        #expect(try Rig().message(refusal.reply).hasPrefix("myapp://err?code=payload_too_large&"))
        let huge = NIP155Adapter().refuseOversize(frameBytes: 10 << 20)
        #expect(huge.code == "payload_too_large")
        #expect(huge.reply == .silence(huge.reason))
    }
}
