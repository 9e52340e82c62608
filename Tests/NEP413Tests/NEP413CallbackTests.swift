// SPDX-License-Identifier: Apache-2.0

import NEP413
import SigningCodecs
import Testing

@Suite("Answers in the fragment of callbackUrl")
struct NEP413CallbackTests {
    private let signed = Array(
        #"{"accountId":"a.near","publicKey":"ed25519:1A","signature":"a+/=","state":"x&y=#"}"#.utf8)

    @Test("every value is percent-encoded, in the fragment and nowhere else")
    func success() {
        let fragment =
            "#accountId=a.near&publicKey=ed25519%3A1A&signature=a%2B%2F%3D&state=x%26y%3D%23"
        for url in [
            "https://app.example/cb?x=1", "http://127.0.0.1:8080/", "http://localhost/cb",
            "http://[::1]:3000/cb", "myapp://callback",
        ] {
            #expect(NEP413Callback.url(url, carrying: signed) == url + fragment)
        }
        let call = Array("{\"result\":".utf8) + signed + Array("}".utf8)
        #expect(
            NEP413Callback.url("https://app.example", carrying: call)
                == "https://app.example" + fragment)
    }

    @Test("a refusal is an error with its reason and the state")
    func refusal() {
        let reply = Array(
            #"{"error":{"code":"user_rejected","message":"the owner said no"},"state":"s"}"#.utf8)
        #expect(
            NEP413Callback.url("https://app.example/", carrying: reply)
                == "https://app.example/#error=user_rejected%3A%20the%20owner%20said%20no&state=s")
    }

    @Test(
        "no answer goes where it could run, be read by others, or be taken for another",
        arguments: [
            "", "app.example", "http://app.example/", "http://127.0.0.1.evil.example/",
            "http://127.0.0.1@evil.example/", "http://localhost.evil.example/",
            "javascript:alert(1)", "javascript://x/%0aalert(1)", "data://text/html,x",
            "file:///etc/passwd", "FILE:///etc/passwd", "nostrsigner://x", "countersign-nostr://x",
            "https://app.example/#old", "https://user@app.example/", "https://app.example\\@evil/",
            "https:/app.example", "ftp://app.example/", "mailto://x",
        ])
    func refused(_ url: String) {
        #expect(NEP413Callback.url(url, carrying: signed) == nil)
    }

    @Test("an invalid answer is not carried")
    func noAnswer() {
        for text in ["", "[]", "{}", #"{"accountId":"a"}"#, #"{"result":[]}"#] {
            #expect(NEP413Callback.url("https://app.example", carrying: Array(text.utf8)) == nil)
        }
    }
}
