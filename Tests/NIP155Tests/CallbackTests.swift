// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import NIP155Rig
import SigningCore
import SigningTesting
import Testing

@testable import NIP155

@Suite("Callbacks")
struct CallbackTests {
    private let strict = NIP155Configuration(extraSchemes: ["nip55-ios-test"])

    @Test(
        "The identity of a client is its origin, or the scheme of its app",
        arguments: [
            ("https://example.com", "https://example.com"),
            ("HTTPS://Example.COM:443/cb?x=1#f", "https://example.com"),
            ("https://example.com:8443/", "https://example.com:8443"),
            ("https://example.com:0443/", "https://example.com"),
            ("https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443"),
            ("https://example.com?x", "https://example.com"),
            ("myapp://ok", "myapp"), ("MyApp://other/path", "myapp"), ("myapp:", "myapp"),
            ("my.app+1-x:/cb", "my.app+1-x"),
        ])
    func identity(text: String, expected: String) throws {
        #expect(try Callback(text, for: strict.callbackRules).identity == expected)
    }

    @Test(
        "Callbacks that could do harm or have no clear target are refused",
        arguments: [
            "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd",
            "blob:https://e.com/1", "about:blank", "vbscript:x", "view-source:https://e.com",
            "content://x", "intent://x", "http://example.com", "http://127.0.0.2/", "ws://e.com",
            "ssh://x", "steam://x", "vnc://x", "apt://x", "chrome-extension://x", "jar:x",
            "shell:x",
            "filesystem:x", "ms-msdt:x", "search-ms:x", "jnlp://x", "android-app://x", "itms://x",
            "bunker://x", "nostrconnect://x", "nostr:x", "lightning:x", "SSH://x", "otpauth://x",
            "wss://e.com", "ftp://e.com", "mailto:a@e.com", "tel:1", "sms:1",
            "nostrsigner://sign_event", "NostrSigner:x", "countersign-nostr://x",
            "countersign-near://x", "countersign:x", "nip55-ios-test://x", "https:", "https://",
            "https:///path", "https:example.com", "https://user@example.com/",
            "https://user:pw@example.com/", "myapp://user@host", "https://e.com:0/",
            "https://e.com:65536/", "https://e.com:/", "https://e.com:x/", "https://e..com@x",
            "https://.e.com/", "https://e.com\\@evil.com/", "https://e%2ecom/",
            "https://\u{E9}.com/", "https://e.com/\u{E9}", "https://e.com/ x", "https://e.com/\n",
            "https://e.com/\u{0}", "https://[::1", "https://[::1]x/", "https://[gg]/", "myapp",
            "", "1app://x", "my_app://x", "://x", "https://e.com/{x}",
        ])
    func refused(text: String) {
        #expect(throws: NIP155Refusal.self) { try Callback(text, for: strict.callbackRules) }
    }

    @Test("A callback of 2048 bytes is read, a longer one is not")
    func length() throws {
        let longest = "myapp://" + String(repeating: "a", count: 2_040)
        #expect(try Callback(longest, for: strict.callbackRules).text == longest)
        #expect(throws: NIP155Refusal.self) {
            try Callback(longest + "a", for: strict.callbackRules)
        }
    }

    @Test(
        "Loopback HTTP can be switched off, and is loopback only",
        arguments: [
            ("http://127.0.0.1:8080/cb", "http://127.0.0.1:8080"),
            ("http://127.0.0.1/cb", "http://127.0.0.1"), ("http://[::1]:80/", "http://[::1]"),
            ("http://localhost:9999/", "http://localhost:9999"),
            ("http://127.0.0.1.evil.com/", nil), ("http://localhost.evil.com/", nil),
            ("http://127.0.0.2/", nil), ("http://127.0.0.1@evil.com/", nil),
            ("http://[::2]/", nil), ("http://app.example/", nil), ("http://0.0.0.0/", nil),
        ] as [(String, String?)])
    func loopback(text: String, expected: String?) throws {
        let callback = try? Callback(text, for: strict.callbackRules)
        #expect(callback?.identity == expected)
        // Any local program can listen at this address.
        #expect(callback.map { $0.proof == .claimed } ?? true)
        let closed = NIP155Configuration(allowsLoopbackHTTP: false)
        #expect(throws: NIP155Refusal.self) { try Callback(text, for: closed.callbackRules) }
    }

    @Test("Reserved names are removed however they are written")
    func reservedNames() throws {
        let callback = try Callback(
            "myapp:cb?%69d=1&ID=2&a=&result&reason=x&&b", for: strict.callbackRules)
        let url = callback.url(
            adding: [AnswerParameter("id", "\u{E9} &=#")], reserved: strict.reservedNames)
        #expect(url == "myapp:cb?ID=2&a=&b&id=%C3%A9%20%26%3D%23")
    }

    @Test("Without x-error only a cancellation is reported, at x-cancel")
    func cancelOnly() throws {
        let rig = Rig()
        let url = requestURL(
            "get_public_key", ["x-cancel": "myapp://no", "id": "1"], error: nil)
        let request = try rig.decode(url)
        let declined = Outcome.denied(Reason(.personDenied, "no"))
        #expect(
            try rig.message(rig.adapter.finalReply(declined, to: request))
                == "myapp://no?id=1&code=user_cancelled&reason=declined")
        let refused = Outcome.denied(Reason(.policyDenied, "no"))
        #expect(rig.adapter.finalReply(refused, to: request) == .silence("permission denied"))
    }

    @Test("x-cancel at another client is refused, reported at the good x-error")
    func cancelElsewhere() throws {
        let rig = Rig()
        let refusal = try rig.refusal(
            requestURL("get_public_key", ["x-cancel": "other://no", "id": "5"]))
        let answer = try ParsedAnswer(try rig.message(refusal.reply))
        #expect(answer.place == "myapp://err")
        #expect(answer.names == ["id", "code", "reason"])
        #expect(answer["code"] == "invalid_request")
    }

    @Test("There is no reply where x-success is bad, or x-error leads elsewhere")
    func undeliverable() throws {
        let rig = Rig()
        let pairs: [(String?, String?)] = [
            ("javascript:x", "file:///x"), ("https://a.com/", "https://b.com/"),
            ("https://a.com/", "https://a.com:8443/"), ("https://a.com/", "myapp://err"),
            (nil, nil), (nil, "file:///x"), ("myapp://ok", "data:x"), ("javascript:x", nil),
        ]
        for (success, error) in pairs {
            let refusal = try rig.refusal(
                requestURL("get_public_key", [:], success: success, error: error))
            #expect(refusal.code == "invalid_request")
            #expect(refusal.reply == .silence(refusal.reason), "\(success ?? "-")")
        }
    }

    @Test("A bad or missing x-success is reported at a good x-error")
    func badSuccess() throws {
        let rig = Rig()
        for success in ["javascript:x", "https://user@a.com/", "https://", nil] {
            let refusal = try rig.refusal(
                requestURL("get_public_key", ["id": "3"], success: success))
            #expect(
                try rig.message(refusal.reply).hasPrefix("myapp://err?id=3&code=invalid_request&"))
        }
    }

    @Test("The compatible form adds the names of x-callback-url")
    func compatible() throws {
        let rig = Rig(configuration: NIP155Configuration(xCallbackCompatible: true))
        let refusal = try rig.refusal(
            requestURL("sign_psbt", ["id": "9"], error: "myapp://err?errorCode=5"))
        let answer = try ParsedAnswer(try rig.message(refusal.reply))
        #expect(answer.names == ["id", "code", "reason", "errorCode", "errorMessage"])
        #expect(answer["errorCode"] == "unsupported_method")
    }
}
