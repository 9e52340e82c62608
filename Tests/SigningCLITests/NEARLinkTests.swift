// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import SigningCLI

@Suite("Links of the scheme near:")
struct NEARLinkTests {
    private static let page = "callbackUrl=https://app.example/done"

    private func frame(_ text: String) throws -> JSON {
        try JSON.parse(try NEARLink(text).frame.span)
    }

    private func callback(_ text: String, _ reply: String) throws -> String? {
        try NEARLink(text).callback(carrying: Array(reply.utf8))
    }

    @Test(
        "a word is alone or behind a network",
        arguments: ["near:sign?", "near://sign?", "near:///sign/?", "NEAR://sign?", "Near:sign?"])
    func words(start: String) throws {
        #expect(NEARLink.isOne(start))
        let found = try frame("\(start)transactions=AAA,BBB&\(Self.page)")
        #expect(
            found == [
                "method": "signAndSendTransactions",
                "params": ["transactions": [["template": "AAA"], ["template": "BBB"]]],
            ])
        let named = start.replacing("sign", with: "testnet/sign")
        #expect(
            try frame("\(named)transactions=A&\(Self.page)")["params"]?["network"] == "testnet")
    }

    @Test(
        "other texts are not such a link", arguments: ["nearx:sign", "near", "https://near:1/", ""])
    func others(text: String) { #expect(!NEARLink.isOne(text)) }

    @Test("a message is asked for with all that is signed, and is read as forms are written")
    func message() throws {
        let text =
            "near:sign-message?message=a+b%2B%0A&recipient=r&nonce=n%2B%3D&state=s%26&\(Self.page)"
        #expect(
            try frame(text) == [
                "method": "signMessage",
                "params": [
                    "message": "a b+\n", "recipient": "r", "nonce": "n+=",
                    "callbackUrl": "https://app.example/done", "state": "s&",
                ],
            ])
        let signed = #""accountId":"a","publicKey":"k","signature":"x+/=","state":"s&""#
        let done = "https://app.example/done#"
        #expect(
            try callback(text, #"{"result":{\#(signed)}}"#)
                == done + "accountId=a&publicKey=k&signature=x%2B%2F%3D&state=s%26")
        #expect(
            try callback(text, #"{"error":{"code":"user_rejected","message":"no"}}"#)
                == "https://app.example/done#error=user_rejected%3A%20no")
    }

    @Test("a login returns the account, and asks for a key of one contract where it names one")
    func login() throws {
        let both = "success_url=myapp://in?a=1%26account_id=eve&failure_url=myapp://out"
        let plain = "near:login?\(both)"
        #expect(try frame(plain) == ["method": "signIn", "params": [:]])
        #expect(try NEARLink(plain).callbackClient == "myapp")
        let reply = #"{"result":[{"accountId":"a.near","publicKey":"ed25519:x"}]}"#
        // Query members with the names of the answer are replaced.
        #expect(
            try callback(plain, reply) == "myapp://in?a=1&account_id=a.near&all_keys=ed25519%3Ax")
        #expect(
            try callback(plain, #"{"error":{"code":"user_rejected","message":"no"}}"#)
                == "myapp://out?errorCode=userRejected&errorMessage=no")
        // Without a public key the link only shows the contract.
        #expect(
            try frame("\(plain)&contract_id=c.near&methodNames=a")["params"]
                == ["contractId": "c.near", "methodNames": ["a"]])
        let keyed = "\(plain)&contract_id=c.near&public_key=ed25519:k&methodNames=a&methodNames=b"
        #expect(
            try frame(keyed)["params"]?["addFunctionCallKey"] == [
                "contractId": "c.near", "publicKey": "ed25519:k",
                "allowMethods": ["anyMethod": false, "methodNames": ["a", "b"]],
            ])
        #expect(
            try callback(keyed, reply)?.contains("&public_key=ed25519%3Ak&all_keys=") == true)
    }

    @Test("transactions return their hashes, or the reason for their refusal")
    func hashes() throws {
        let text = "near:sign?transactions=A,B&meta=m%26&callbackUrl=http://127.0.0.1:80/x?kept=1"
        #expect(try NEARLink(text).callbackClient == "http://127.0.0.1")
        #expect(
            try callback(
                text,
                #"{"result":[{"transaction":{"hash":"h1"}},{"transaction":{"hash":"h2"}}]}"#)
                == "http://127.0.0.1:80/x?kept=1&transactionHashes=h1%2Ch2&meta=m%26")
        #expect(
            try callback(text, #"{"error":{"code":"busy","message":"no node"}}"#)
                == "http://127.0.0.1:80/x?kept=1&errorCode=busy&errorMessage=no%20node&meta=m%26"
        )
        let failed =
            #"{"error":{"code":"transaction_failed","message":"m","transactions":["#
            + #"{"hash":"h1","state":"carried_out"},{"hash":"h2","state":"failed"}]}}"#
        // The page has asked before, and its address still contains the earlier answer.
        let again = text + "%26transactionHashes=h0%26errorCode=old"
        #expect(
            try callback(again, failed)
                == "http://127.0.0.1:80/x?kept=1&errorCode=transaction_failed&errorMessage=m"
                + "&transactionStates=h1%3Acarried_out%2Ch2%3Afailed&meta=m%26")
        #expect(
            try callback(again, #"{"result":[{"transaction":{"hash":"h1"}}]}"#)
                == "http://127.0.0.1:80/x?kept=1&transactionHashes=h1&meta=m%26")
        // A reply in another format opens no address.
        for reply in ["", "[]", "{}", #"{"result":[{}]}"#, #"{"result":"x"}"#] {
            #expect(try callback(text, reply) == nil)
        }
    }

    @Test(
        "an invalid link is refused with the reason",
        arguments: [
            ("near:", "not login"), ("near:a/b/sign?\(page)", "not login"),
            ("near:SIGN?\(page)", "not login"), ("near:transfer?\(page)", "not login"),
            ("near:sign?transactions=A", "lacks callbackUrl"),
            ("near:sign?\(page)", "lacks transactions"),
            ("near:sign?transactions=&\(page)", "lacks transactions"),
            ("near:sign?transactions=A&\(page)&\(page)", "callbackUrl twice"),
            ("near:sign?transactions=A&callbackUrl=javascript:alert(1)", "scheme of an app"),
            ("near:sign?transactions=A&callbackUrl=data:text/html,x", "scheme of an app"),
            ("near:sign?transactions=A&callbackUrl=file:///etc/passwd", "scheme of an app"),
            ("near:sign?transactions=A&callbackUrl=near:sign", "scheme of an app"),
            ("near:sign?transactions=A&callbackUrl=nostrsigner://x", "scheme of an app"),
            ("near:sign?transactions=A&callbackUrl=http://app.example/", "scheme of an app"),
            (
                "near:sign?transactions=A&callbackUrl=https://app.example@evil.example/",
                "scheme of an app"
            ),
            ("near:sign?transactions=A&callbackUrl=https://a.example/%23x", "scheme of an app"),
            (
                "near:sign?transactions=A&callbackUrl=https://a.example%5C@evil.example",
                "scheme of an app"
            ),
            ("near:sign?transactions=A&callbackUrl=https://a.example/%ff", "not readable"),
            ("near:sign?transactions=%2&\(page)", "not readable"),
            ("near:sign?transactions=A&\(page)#x", "characters"),
            ("near:sign?transactions=A B&\(page)", "characters"),
            ("near:sign?transactions=A&\(page)\n", "characters"),
            ("near:login?success_url=https://a.example/", "lacks failure_url"),
            (
                "near:login?success_url=https://a.example/&failure_url=https://b.example/",
                "different sites"
            ),
            ("near:login?success_url=a://x&failure_url=b://x", "different sites"),
            (
                "near:login?success_url=https://a.example/&failure_url=https://a.example/"
                    + "&public_key=ed25519:k", "full access"
            ),
            ("near:sign-message?message=x&nonce=n&\(page)", "lacks recipient"),
        ])
    func mistakes(text: String, words: String) {
        let mistake = #expect(throws: NEARLink.ParseError.self) { try NEARLink(text) }
        #expect(mistake?.text.contains(words) == true, "\(mistake?.text ?? "")")
    }

    @Test("long links are refused")
    func bounds() {
        let long = String(repeating: "A", count: NEARLink.bytesMax)
        #expect(throws: NEARLink.ParseError.self) {
            try NEARLink("near:sign?transactions=\(long)&\(Self.page)")
        }
        let many = String(repeating: "a&", count: 257)
        #expect(throws: NEARLink.ParseError.self) { try NEARLink("near:sign?\(many)\(Self.page)") }
        let callback = "https://app.example/" + String(repeating: "a", count: 4_096)
        #expect(throws: NEARLink.ParseError.self) {
            try NEARLink("near:sign?transactions=A&callbackUrl=\(callback)")
        }
    }
}
