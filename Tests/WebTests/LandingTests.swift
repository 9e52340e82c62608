// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Synchronization
import Testing

@testable import Web

@Suite("The page that sends an answer on", .timeLimit(.minutes(10)))
struct LandingTests {
    private static let action = "https://example.com/in?a=1&b=%22"
    private static let secret =
        [UInt8](repeating: 0x1B, count: 16) + [UInt8](repeating: 0xAB, count: 16)
    private static let result = #"{"content":"<b>\" & 'x'"}"#

    private struct Served: Sendable {
        let landing: AnswerLanding
        let ending: Task<AnswerLanding.Outcome?, Never>
        var host: String { String(landing.address.split(separator: "/")[1]) }
        var port: UInt16 { host.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
        var path: String { "/" + (landing.address.split(separator: "/").last ?? "") }

        /// Fetches the page like a browser that a program opened, except for the given `headers`.
        func fetch(
            _ path: String? = nil, method: String = "GET", _ headers: [String: String?] = [:]
        ) async throws -> Reply? {
            var all: [String: String?] = [
                "Host": host, "Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document",
                "Sec-Fetch-Mode": "navigate",
            ]
            all.merge(headers) { $1 }
            let lines = all.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
            return try await Page.exchange(
                "\(method) \(path ?? self.path) HTTP/1.1\r\n\(lines.joined())\r\n", at: port)
        }
    }

    private func serve(
        seconds: Int64 = 300, _ content: AnswerLanding.Content? = nil
    ) async throws -> Served {
        let form = try #require(
            LandingForm(
                action: Self.action,
                fields: [("id", "42"), ("event", Self.result), ("submit", "7")]))
        let landing = try AnswerLanding(content ?? .form(form), secret: Self.secret)
        let (opened, isOpen) = AsyncStream<Void>.makeStream()
        let ending = Task {
            try? await landing.serve(seconds: seconds) {
                isOpen.yield()
                isOpen.finish()
                return nil
            }
        }
        for await _ in opened { break }
        return Served(landing: landing, ending: ending)
    }

    @Test("it is there once, whole, and runs nothing but its own script")
    func once() async throws {
        let served = try await serve()
        #expect(served.path == "/" + String(repeating: "ab", count: 16))
        #expect(served.host == String(repeating: "1b", count: 16) + ".localhost:\(served.port)")
        let page = try #require(try await served.fetch())
        #expect(page.status == 200)
        #expect(
            page.body.contains(
                #"<form method="post" action="https://example.com/in?a=1&amp;b=%22">"#))
        #expect(
            page.body.contains(
                #"value="{&quot;content&quot;:&quot;&lt;b&gt;\&quot; &amp; 'x'&quot;}""#))
        #expect(page.body.contains(#"name="event" "#))
        #expect(page.body.contains(#"name="id" value="42""#))
        // A field with this name hides the form's `submit` method, so the page calls the
        // prototype's.
        #expect(page.body.contains(#"name="submit" value="7""#))
        #expect(page.body.contains("HTMLFormElement.prototype.submit.call(document.forms[0])"))
        #expect(page.header("content-security-policy")?.contains("default-src 'none'") == true)
        #expect(page.header("content-security-policy")?.contains("unsafe-inline") == false)
        #expect(page.header("referrer-policy") == "no-referrer")
        #expect(page.header("cache-control") == "no-store")
        // A second fetch gets 410, or finds the server closed.
        let again = try? await served.fetch()
        #expect(again.flatMap { $0 }.map { $0.status == 410 } ?? true)
        #expect(await served.ending.value == .fetched)
    }

    @Test("it leads to an address that is not in any program's arguments")
    func link() async throws {
        let address = "https://example.com/in?a=1&plaintext=%22secret%22"
        let served = try await serve(seconds: 300, .link(try #require(LandingLink(address))))
        #expect(!served.landing.address.contains("secret"))
        let page = try #require(try await served.fetch())
        #expect(
            page.body.contains(
                #"<a href="https://example.com/in?a=1&amp;plaintext=%22secret%22">"#))
        #expect(page.body.contains("<script>location.replace(document.links[0].href)</script>"))
        #expect(await served.ending.value == .fetched)
        for other in [
            "http://example.com/in", "http://127.0.0.1.example.com/in", "http://127.0.0.2/",
            "myapp://in", "https://e.example/ x", "javascript:1",
        ] {
            #expect(LandingLink(other) == nil)
        }
        for own in ["http://127.0.0.1:8080/in?a=1", "http://[::1]:8080/", "http://localhost/in"] {
            #expect(LandingLink(own) != nil)
        }
    }

    @Test("a visitor without the address gets nothing, and uses nothing up")
    func others() async throws {
        let served = try await serve()
        for host in [
            "localhost:\(served.port)", "127.0.0.1", "evil.example:\(served.port)",
            "127.0.0.1:\(served.port)", "[::1]:\(served.port)",
            String(repeating: "1c", count: 16) + ".localhost:\(served.port)",
        ] {
            #expect(try await served.fetch(nil, ["Host": host])?.status == 421, "\(host)")
        }
        for path in ["/", "/" + String(repeating: "ac", count: 16), served.path + "/"] {
            #expect(try await served.fetch(path)?.status == 404, "\(path)")
        }
        #expect(try await served.fetch(served.path + "?x=1")?.status == 404)
        #expect(try await served.fetch(nil, method: "POST", ["Content-Length": "0"])?.status == 405)
        for headers: [String: String?] in [
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-origin"],
            ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Dest": "iframe"],
            ["Sec-Fetch-Dest": "empty"], ["Origin": "https://evil.example"],
            ["Sec-Purpose": "prefetch"], ["Sec-Purpose": "prefetch;prerender"],
            ["Purpose": "prefetch"], ["Service-Worker": "script"],
        ] {
            let reply = try await served.fetch(nil, headers)
            #expect(reply?.status == 403, "\(headers)")
            #expect(reply?.body.contains("content") == false)
        }
        #expect(try await served.fetch()?.status == 200)
        #expect(await served.ending.value == .fetched)
    }

    @Test("it ends if no page comes, or no browser can be opened")
    func ends() async throws {
        #expect(await (try serve(seconds: 1)).ending.value == .expired)
        let form = try #require(LandingForm(action: Self.action, fields: []))
        let landing = try AnswerLanding(.form(form), secret: Self.secret)
        let error = TransportError("no browser", hint: "get one")
        #expect(try await landing.serve { error } == .unopened(error))
    }

    @Test(
        "answers that browsers would change are not sent by a form",
        arguments: [
            ("_charset_", "1"), ("_CharSet_", "1"), ("isindex", "1"), ("", "1"), ("a\nb", "1"),
            ("event", "1\r\n2"), ("event", "1\n"), ("event", "1\u{0}2"),
        ])
    func own(name: String, value: String) {
        #expect(LandingForm(action: Self.action, fields: [("id", "4"), (name, value)]) == nil)
        #expect(LandingForm(action: Self.action, fields: [("charset", "\t1")]) != nil)
    }
}
