// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite("Origins of the web")
struct WebOriginTests {
    @Test(
        "every way to write a place gives one origin",
        arguments: [
            ("https://app.example", "https://app.example"),
            ("HTTPS://App.EXAMPLE:443/cb?x=1#f", "https://app.example"),
            ("https://app.example./", "https://app.example"),
            ("https://app.example:0443?x", "https://app.example"),
            ("https://app.example.:443", "https://app.example"),
            ("https://app.example:8443/", "https://app.example:8443"),
            ("https://app.example:80", "https://app.example:80"),
            ("http://app.example:80", "http://app.example"),
            ("wss://Relay.Example:443/x", "wss://relay.example"),
            ("ws://relay.example:080", "ws://relay.example"),
            ("https://B\u{fc}cher.example", "https://xn--bcher-kva.example"),
            ("https://b\u{fc}cher\u{3002}example", "https://xn--bcher-kva.example"),
            ("https://XN--BCHER-KVA.example", "https://xn--bcher-kva.example"),
            // Current browsers do not map the sharp s to "ss".
            ("https://fa\u{df}.example", "https://xn--fa-hia.example"),
            ("https://e\u{301}.example", "https://xn--9ca.example"),
            ("https://a\u{ad}b.example", "https://ab.example"),
            ("https://r3---sn_x.example", "https://r3---sn_x.example"),
            ("https://127.0.0.1:8080", "https://127.0.0.1:8080"),
            ("https://\u{ff11}27.0.0.1", "https://127.0.0.1"),
            ("http://[::1]:80/", "http://[::1]"),
            ("https://[2001:DB8:0:0:0:0:0:1]:8443/", "https://[2001:db8::1]:8443"),
            ("https://[1:0:0:2:0:0:0:3]", "https://[1:0:0:2::3]"),
            ("https://[1:0:2:3:4:5:6:7]", "https://[1:0:2:3:4:5:6:7]"),
            ("https://[::ffff:127.0.0.1]", "https://[::ffff:7f00:1]"),
            ("https://[::]", "https://[::]"), ("https://[1::]", "https://[1::]"),
            ("myapp://Open#x", "myapp://open"),
        ])
    func normal(url: String, expected: String) throws {
        let origin = try WebOrigin(url)
        #expect(origin.text == expected)
        // Parsing a normal form gives the same form.
        #expect(try WebOrigin(origin.text) == origin)
    }

    @Test(
        "a URL that readers disagree about has no origin",
        arguments: [
            "", "app.example", "app.example:443", "https:", "https://", "https:///x", "https:/a.b",
            "https:a.b", "://a.b", "1x://a.b", "my_app://x", "https://a@b.example",
            "https://a:b@c.example", "https://@a.example", "https://a.example\\@b.example",
            "https:\\\\a.example", "https://a.example:", "https://a.example:x",
            "https://a.example:0", "https://a.example:65536", "https://a.example:+443",
            "https://a.example:99999999999999999999", "https://a:1:2", "https://.a.example",
            "https://a..example", "https://a.example..", "https://.", "https://a%2eexample",
            "https://a.exam\tple", " https://a.example", "https://a.example/ x",
            "https://a.example/\u{0}", "https://a\u{0}b\u{fc}.example", "https://a!b.example",
            // "a/c" as one character, which some parsers split at the slash.
            "https://\u{2100}.example", "https://a\u{200d}b.example", "https://xn--a.example",
            "https://xn--ab-.example", "https://\u{fffd}.example",
            // Numbers that browsers read as IP addresses in other notations.
            "https://127.1", "https://2130706433", "https://0x7f.0.0.1", "https://0x7f000001",
            "https://127.0.0.01", "https://1.2.3.256", "https://1.2.3.4.5", "https://a.1",
            "https://a.0x1", "https://[", "https://[]", "https://[::1", "https://::1",
            "https://[::1]x", "https://[gg::]", "https://[1:2:3:4:5:6:7]", "https://[1::2::3]",
            "https://[:::]", "https://[1:2:3:4:5:6:7::8]", "https://[12345::]", "https://[+1::]",
            "https://[::1%25eth0]", "https://[1.2.3.4]", "https://[1.2.3.4::]",
            "https://[::1.2.3]",
        ])
    func refused(url: String) {
        #expect(throws: CodecError.self) { try WebOrigin(url) }
    }

    @Test("names and labels are as long as DNS lets them be")
    func lengths() throws {
        let label = String(repeating: "a", count: 63)
        let longest = [label, label, label, String(repeating: "b", count: 61)]
            .joined(separator: ".")
        #expect(try HostName(longest).text == longest)
        #expect(try HostName(longest + ".").text == longest)
        #expect(throws: CodecError.self) { try HostName(longest + "b") }
        #expect(throws: CodecError.self) { try HostName(label + "a.example") }
        #expect(throws: CodecError.self) { try HostName(String(repeating: "\u{ad}", count: 999)) }
    }

    @Test(
        "the registrable domain is the suffix and one label",
        arguments: [
            ("app.example", "app.example"), ("a.b.app.example", "app.example"),
            ("www.shop.co.uk", "shop.co.uk"), ("co.uk", "co.uk"),
            // Different people register names under these suffixes.
            ("alice.github.io", "alice.github.io"), ("x.alice.github.io", "alice.github.io"),
            ("www.\u{43f}\u{440}\u{438}.\u{440}\u{444}", "xn--h1and.xn--p1ai"),
            ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"),
        ])
    func registrable(host: String, domain: String) throws {
        #expect(try HostName(host).registrableDomain == domain)
    }

    @Test(
        "a client's name for itself is an origin where it is one",
        arguments: [
            ("https://App.example.:443/login?x", "https://app.example", "app.example"),
            ("https://a.b.app.example:8443", "https://a.b.app.example:8443", "app.example"),
            ("http://localhost:3000", "http://localhost:3000", "localhost"),
            ("countersign", "countersign", "countersign"), ("App.Example", "App.Example", nil),
            ("https://a@app.example", "https://a@app.example", nil), ("", "", nil),
            ("myapp://x", "myapp://x", nil),
        ] as [(String, String, String?)])
    func claims(claim: String, id: String, party: String?) {
        let identity = ClientIdentity(claim: claim)
        #expect(identity.id == id)
        #expect(identity.party == party ?? claim)
        #expect(ClientIdentity(claim: id) == identity)
    }
}
