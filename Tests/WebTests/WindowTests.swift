// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import Testing

@testable import Web

@Suite("Windows that other pages open", .timeLimit(.minutes(10)))
struct WindowTests {
    private static func opening(_ site: String, _ more: [String: String?] = [:]) -> [String:
        String?]
    {
        let head: [String: String?] = [
            "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
            "Origin": nil, "Countersign-Web": nil,
        ]
        return head.merging(more) { $1 }
    }

    @Test(
        "any page may open one, which knows the page's origin",
        arguments: ["cross-site", "same-site", "none"])
    func opened(_ site: String) async throws {
        let page = try await Page()
        let reply = try #require(try await page.ask("GET", "/near", nil, Self.opening(site)))
        let own = try await page.ask("GET", "/near/\(Page.key)", nil, Self.opening(site))
        #expect(own?.status == 200 && own?.body == reply.body)
        #expect(reply.status == 200 && reply.body.hasSuffix("</html>\n"))
        #expect(reply.header("cross-origin-opener-policy") == nil)
        #expect(reply.header("x-frame-options") == "DENY")
        let policy = try #require(reply.header("content-security-policy"))
        for part in ["default-src 'none'", "frame-ancestors 'none'", "trusted-types 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(!policy.contains("unsafe") && !reply.body.contains("style="))
        for path in ["/near/window.js", "/near/asking.js", "/near/window.css", "/visible.js"] {
            let file = try #require(try await page.ask("GET", path, at: .windows))
            #expect(file.status == 200 && !file.body.isEmpty, "\(path)")
            #expect(file.header("cross-origin-opener-policy") == "same-origin")
        }
        // The inbox has no window for other pages.
        #expect(
            try await page.ask("GET", "/", nil, Self.opening(site))?.status
                == (site == "none" ? 200 : 403))
    }

    @Test("it is opened as a document, and by no other means")
    func notOpened() async throws {
        let page = try await Page()
        for more: [String: String?] in [
            ["Sec-Fetch-Dest": "iframe"], ["Sec-Fetch-Dest": "object"], ["Sec-Fetch-Dest": nil],
            ["Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"],
            ["Sec-Fetch-Mode": "cors"], ["Origin": "https://evil.example"],
        ] {
            let head = Self.opening("cross-site", more)
            #expect(try await page.ask("GET", "/near", nil, head)?.status == 403, "\(more)")
        }
        let head = Self.opening("cross-site")
        #expect(try await page.ask("POST", "/near", "{}", head)?.status == 403)
        for path in [
            "/near/window.js", "/near/requests", "/near/requests/00", "/near/x",
            "/near/\(Page.key)0", "/near/\(Page.key)/",
        ] {
            #expect(try await page.ask("GET", path, nil, head)?.status == 403, "\(path)")
        }
        let rebound = Self.opening("cross-site", ["Host": "evil.example:\(page.port)"])
        #expect(try await page.ask("GET", "/near", nil, rebound)?.status == 421)
    }

    @Test("only our own pages hand anything in")
    func strangers() async throws {
        let signer = KeptFrames()
        let page = try await Page(signer)
        for headers: [String: String?] in [
            ["Origin": nil], ["Origin": "null"], ["Origin": "https://app.example"],
            ["Origin": "http://\(page.host(.inbox))"], ["Sec-Fetch-Site": nil],
            ["Origin": Page.names.windows.origin(port: page.port + 1)],
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
            ["Sec-Fetch-Site": "none"],
        ] {
            let reply = try await page.hand(Page.asking(), headers)
            #expect(reply.status == 403, "\(headers)")
            #expect(reply.header("access-control-allow-origin") == nil)
        }
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            #expect(try await page.hand(Page.asking(), ["Content-Type": type]).status == 415)
        }
        #expect(try await page.hand(Page.asking(), ["Host": "evil.example"]).status == 421)
        #expect(signer.frames.isEmpty)
        #expect(try await page.hand(Page.asking()).status == 200)
        #expect(signer.frames.count == 1)
    }

    @Test("an invalid request of a page is refused before it is parsed")
    func bodies() async throws {
        let signer = KeptFrames()
        let page = try await Page(signer)
        for who in [
            #""page":"https://app.example""#, #""page":"https://app.example/","framed":false"#,
            #""page":"HTTPS://app.example","framed":false"#, #""page":"null","framed":false"#,
            #""page":"https://app.example:443","framed":false"#, #""page":7,"framed":false"#,
            #""page":"https://u@app.example","framed":false"#, #""page":"file://","framed":false"#,
            #""page":"javascript:1","framed":false"#, #""page":"https://app.example","framed":0"#,
            #""link":"https://app.example","framed":false"#, #""link":"app://x""#, #""app":"""#,
            #""app":"token:bot""#, #""app":"Token:bot""#, #""page":"https://a.example","app":"b""#,
            #""more":1"#, #""link":"https://a.example","owner":true"#,
            #""app":"\#(String(repeating: "x", count: 257))""#,
        ] {
            let reply = try await page.hand(Page.asking("{}", who))
            #expect(reply.status == 400, "\(who)")
        }
        for body in [
            "", "[]", "{}", Page.asking(""), Page.asking("{}", key: "short"),
            Page.asking("{}", key: Page.key.uppercased()), Page.asking() + "x",
        ] {
            #expect(try await page.hand(body).status == 400, "\(body)")
        }
        let large = String(repeating: "x", count: PageAsk.frameBytesMax + 1)
        #expect(try await page.hand(Page.asking(large)).status == 413)
        let larger = String(repeating: "x", count: PageAsk.bodyBytesMax)
        #expect(try await page.hand(Page.asking(larger)).status == 413)
        #expect(signer.frames.isEmpty)
    }

    @Test(
        "the client is the one that the browser reported, and a token of the owner does not count")
    func peers() async throws {
        let signer = KeptFrames()
        let page = try await Page(signer)
        let owner = ["Authorization": "Bearer " + Page.token]
        let reply = try await page.hand(Page.asking("one"), owner)
        #expect(reply.member("state") == "ended" && reply.member("reply") == "one")
        // Neither rules nor reasons: they are not the page's.
        #expect(!reply.body.contains("secret"))
        let whos = [
            #""page":"http://localhost:8080","framed":true"#, #""link":"https://app.example""#,
            #""app":"a phone""#,
        ]
        for (number, who) in whos.enumerated() {
            _ = try await page.hand(Page.asking("\(number)", who))
        }
        let peers = signer.frames.map(\.peer)
        try #require(peers.count == 4)
        #expect(peers.allSatisfy { $0.channel == "web" && $0.provedUserID == geteuid() })
        #expect(peers.allSatisfy { $0.credential == nil && $0.provedKey == nil })
        #expect(
            peers.map(\.visit) == [
                .message(origin: "https://app.example", party: "app.example", isFramed: false),
                .message(origin: "http://localhost:8080", party: "localhost", isFramed: true),
                .link, nil,
            ])
        #expect(peers.map(\.claim) == [nil, nil, "https://app.example", "a phone"])
    }
}
