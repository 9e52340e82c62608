// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import Testing

@testable import Web

@Suite("The inbox as a page", .timeLimit(.minutes(10)))
struct WebTests {
    @Test("it comes complete, with headers that keep other pages out of it")
    func page() async throws {
        let page = try await Page()
        let reply = try #require(
            try await page.ask(
                "GET", "/", nil, ["Sec-Fetch-Site": "none", "Origin": nil, "Countersign-Web": nil]))
        #expect(reply.status == 200 && reply.body.hasSuffix("</html>\n"))
        let ids = reply.body.matches(of: #/ id="([^"]+)"/#).map(\.output.1)
        #expect(ids.count > 50 && Set(ids).count == ids.count, "scripts find elements by their ids")
        let policy = try #require(reply.header("content-security-policy"))
        for part in [
            "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'",
            "form-action 'none'", "base-uri 'none'",
        ] {
            #expect(policy.contains(part))
        }
        #expect(!policy.contains("unsafe"))
        #expect(reply.header("x-frame-options") == "DENY")
        #expect(reply.header("cross-origin-opener-policy") == "same-origin")
        #expect(reply.header("cache-control") == "no-store")
        #expect(reply.header("set-cookie") == nil)
        #expect(reply.header("access-control-allow-origin") == nil)
        var count = 0
        let parts = [
            "inbox", "question", "record", "pictures", "dom", "api", "box", "visible", "acts",
        ]
        for path in ["/", "/inbox.css"] + parts.map({ "/\($0).js" }) {
            let file = try #require(try await page.ask("GET", path))
            #expect(file.status == 200 && !file.body.isEmpty)
            #expect(file.header("x-content-type-options") == "nosniff")
            count += file.body.utf8.count
        }
        #expect(count < 100 << 10)
        let acts = try #require(try await page.ask("GET", "/acts.js"))
        #expect(
            acts.body == "export const acts = {\"revokeGrant\":{\"method\":\"DELETE\","
                + "\"path\":\"/v1/grants/{id}\"}};\n")
        #expect(acts.header("content-type")?.hasPrefix("text/javascript") == true)
    }

    @Test("a tab that was opened with a code gets through, and no other")
    func paired() async throws {
        let page = try await Page()
        let none = try await page.ask("GET", "/v1/behind", nil, ["Countersign-Web": nil])
        #expect(none?.status == 401 && none?.body.contains("not_paired") == true)
        let old = String(repeating: "cd", count: 32)
        #expect(
            try await page.ask("GET", "/v1/behind", nil, ["Countersign-Web": old])?.status == 401)
        let body = #"{"code":"\#(Page.code)"}"#
        let first = try await page.ask("POST", "/web/pair", body, ["Countersign-Web": nil])
        #expect(first?.status == 201 && first?.body.contains(Page.token) == true)
        let again = try await page.ask("POST", "/web/pair", body, ["Countersign-Web": nil])
        #expect(again?.status == 403 && again?.body.contains("bad_code") == true)
        let reply = try await page.ask("GET", "/v1/behind")
        #expect(reply?.status == 200 && reply?.body == #"{"user":\#(geteuid())}"#)
        #expect(try await page.ask("GET", "/v1/nothing")?.status == 404)
    }

    @Test("nothing waits on for a tab that is closed")
    func closed() async throws {
        let page = try await Page()
        let behind = page.behind
        _ = try await page.ask("GET", "/v1/waits", leavingWhen: { behind.waitingCount > 0 })
        while page.behind.leftCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("names that lead here are not ours: DNS rebinding")
    func rebinding() async throws {
        let page = try await Page()
        for host in [
            "evil.example:\(page.port)", "localhost:\(page.port)", "127.0.0.1",
            "127.0.0.1:\(page.port)", "[::1]:\(page.port)", "127.1:\(page.port)",
            "\(page.host(.inbox))@evil.example", "x.\(page.host(.inbox))",
            page.host(.inbox).replacing(":\(page.port)", with: ""),
            page.host(.inbox).replacing(":\(page.port)", with: ".:\(page.port)"),
        ] {
            for path in ["/", "/near", "/login", "/v1/behind"] {
                let reply = try await page.ask("GET", path, nil, ["Host": host])
                #expect(reply?.status == 421, "\(host)")
                #expect(reply?.body.contains("countersign agent web") == true)
                #expect(reply?.header("clear-site-data") == "\"cache\", \"storage\"")
            }
        }
        let two = try await page.send(
            "GET / HTTP/1.1\r\nHost: \(page.host(.inbox))\r\nHost: evil.example\r\n\r\n")
        #expect(two?.status != 200)
    }

    @Test("each name serves its own pages and no others")
    func names() async throws {
        let page = try await Page()
        let opening: [String: String?] = [
            "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
            "Origin": nil, "Countersign-Web": nil,
        ]
        for path in ["/near", "/login", "/near/bridge"] {
            #expect(try await page.ask("GET", path, nil, opening, at: .windows)?.status == 200)
            #expect(try await page.ask("GET", path, nil, opening, at: .inbox)?.status == 403)
            #expect(try await page.ask("GET", path, nil, at: .inbox)?.status == 404)
        }
        #expect(try await page.ask("GET", "/", nil, opening, at: .windows)?.status == 403)
        let code = #"{"code":"\#(Page.code)"}"#
        for path in ["/", "/inbox.js", "/api.js", "/v1/behind", "/web/pair"] {
            #expect(try await page.ask("GET", path, at: .windows)?.status == 404, "\(path)")
            #expect(try await page.ask("POST", path, code, at: .windows)?.status == 404, "\(path)")
        }
        #expect(try await page.ask("POST", "/near/requests", "{}", at: .inbox)?.status == 404)
        #expect(try await page.ask("POST", "/web/pair", code)?.status == 201)
    }

    @Test("a fetch in advance and the script of a service worker are refused")
    func unattended() async throws {
        let page = try await Page()
        for more: [String: String?] in [
            ["Sec-Purpose": "prefetch"], ["Sec-Purpose": "prefetch;prerender"],
            ["Sec-Purpose": "prefetch;anonymous-client-ip"], ["Purpose": "prefetch"],
            ["X-Moz": "prefetch"],
        ] {
            let typed: [String: String?] = [
                "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Dest": "document", "Origin": nil,
            ]
            let head = typed.merging(more) { $1 }
            for path in ["/", "/near", "/login", "/near/bridge"] {
                #expect(try await page.ask("GET", path, nil, typed)?.status == 200, "\(path)")
                let reply = try #require(try await page.ask("GET", path, nil, head))
                #expect(reply.status == 403 && reply.member("code") == "prefetch", "\(path)")
            }
        }
        for site in [WebSite.inbox, .windows] {
            for path in ["/", "/inbox.js", "/near/window.js", "/sw.js"] {
                let worker: [String: String?] = [
                    "Service-Worker": "script", "Sec-Fetch-Dest": "serviceworker",
                    "Sec-Fetch-Mode": "same-origin",
                ]
                let asked = try await page.ask("GET", path, nil, worker, at: site)
                let reply = try #require(asked)
                #expect(reply.status == 403 && reply.member("code") == "no_worker", "\(path)")
                #expect(reply.header("clear-site-data") == "\"cache\", \"storage\"")
            }
        }
    }

    @Test("a tab's storage is never cleared; windows clear earlier content")
    func cleared() async throws {
        let page = try await Page()
        for path in ["/", "/inbox.js", "/v1/behind", "/v1/nothing", "/near/bridge"] {
            #expect(try await page.ask("GET", path)?.header("clear-site-data") == nil, "\(path)")
        }
        for path in ["/near", "/near/\(Page.key)", "/login", "/testnet/sign"] {
            let opening: [String: String?] = [
                "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Dest": "document", "Origin": nil,
            ]
            let reply = try await page.ask("GET", path, nil, opening)
            #expect(reply?.header("clear-site-data") == "\"storage\"", "\(path)")
        }
    }

    @Test("scripts show texts by one function alone")
    func oneWayToShow() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appending(path: "Sources/Transports/Web")
        for part in ["Page", "NEAR/Page"] {
            let files = try FileManager.default.contentsOfDirectory(
                at: folder.appending(path: part), includingPropertiesForKeys: nil)
            let scripts = files.filter { $0.pathExtension == "js" }
            #expect(!scripts.isEmpty)
            // The one is the function, the other runs in pages of others and shows no texts.
            let others: Set = ["visible.js", "executor.js"]
            for file in scripts where !others.contains(file.lastPathComponent) {
                let text = try String(contentsOf: file, encoding: .utf8)
                for word in [
                    ".textContent =", ".innerText", ".innerHTML", ".outerHTML", "createTextNode",
                    "insertAdjacent", ".write(", "new Option",
                ] {
                    #expect(!text.contains(word), "\(file.lastPathComponent): \(word)")
                }
            }
        }
    }

    @Test("requests of other pages are refused before they are read")
    func otherPages() async throws {
        let page = try await Page()
        let body = #"{"code":"\#(Page.code)"}"#
        for headers: [String: String?] in [
            ["Origin": "https://evil.example"], ["Origin": "null"],
            ["Origin": "http://127.0.0.1:\(page.port)"],
            ["Origin": "http://\(page.host(.windows))"],
            ["Origin": "https://\(page.host(.inbox))"],
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
            ["Sec-Fetch-Site": "none"], ["Origin": nil, "Sec-Fetch-Site": "cross-site"],
        ] {
            let reply = try await page.ask("POST", "/web/pair", body, headers)
            #expect(reply?.status == 403, "\(headers)")
            #expect(reply?.header("access-control-allow-origin") == nil)
        }
        // These attempts did not use up the code.
        #expect(try await page.ask("POST", "/web/pair", body)?.status == 201)
    }

    @Test("a form, the text/plain trick and a preflight are refused")
    func forms() async throws {
        let page = try await Page()
        let body = #"{"code":"\#(Page.code)"}"#
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            let reply = try await page.ask("POST", "/web/pair", body, ["Content-Type": type])
            #expect(reply?.status == 415)
            #expect(
                try await page.ask("POST", "/v1/behind", body, ["Content-Type": type])?.status
                    == 415)
        }
        let preflight = try await page.ask(
            "OPTIONS", "/v1/behind", nil, ["Access-Control-Request-Method": "POST"])
        #expect(preflight?.status == 405)
        for wrong in ["", "{}", #"{"code":1}"#, #"{"code":"x","more":1}"#, "[]"] {
            #expect(try await page.ask("POST", "/web/pair", wrong)?.status == 400)
        }
        #expect(try await page.ask("GET", "/web/pair")?.status == 405)
    }

    @Test("a page that is opened from another site gets nothing of it")
    func navigation() async throws {
        let page = try await Page()
        let from = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Origin": nil]
        #expect(try await page.ask("GET", "/", nil, from)?.status == 403)
        let typed: [String: String?] = [
            "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Origin": nil,
        ]
        #expect(try await page.ask("GET", "/", nil, typed)?.status == 200)
        #expect(try await page.ask("GET", "/v1/behind", nil, typed)?.status == 403)
        // A frame that a browser extension adds is not loaded either.
        for place in ["iframe", "frame", "embed", "object"] {
            let framed = typed.merging(["Sec-Fetch-Dest": place]) { $1 }
            #expect(try await page.ask("GET", "/", nil, framed)?.status == 403)
        }
        let opened = typed.merging(["Sec-Fetch-Dest": "document"]) { $1 }
        #expect(try await page.ask("GET", "/", nil, opened)?.status == 200)
    }

    @Test("another extension is not a page of ours, with any request")
    func extensions() async throws {
        let page = try await Page()
        let origin = "chrome-extension://\(String(repeating: "a", count: 32))"
        for (method, path) in [
            ("GET", "/v1/behind"), ("POST", "/v1/behind"), ("GET", "/web/pair"),
        ] {
            // Browsers treat some fetches of an extension like an address that the person typed.
            for headers: [String: String?] in [
                ["Origin": origin, "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "cors"],
                ["Origin": nil, "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "cors"],
            ] {
                #expect(try await page.ask(method, path, nil, headers)?.status == 403)
            }
        }
    }
}

@Suite("Names under localhost")
struct WebNameTests {
    @Test("a name is 128 random bits, and reads back")
    func names() throws {
        let name = WebName((0..<16).map { UInt8($0) })
        #expect(name.label == "000102030405060708090a0b0c0d0e0f")
        #expect(name.origin(port: 7_155) == "http://\(name.label).localhost:7155")
        #expect(WebName(label: name.label) == name)
        for text in ["", "abc", name.label.uppercased(), name.label + "0", "x" + name.label] {
            #expect(WebName(label: text) == nil, "\(text)")
        }
    }
}

@Suite("The port")
struct WebPortTests {
    @Test("belongs to no other user while it is held, and its listeners take turns")
    func held() async throws {
        let page = try await Page()
        #expect(throws: TransportError.self) { try WebPort(page.port) }
        var held: WebPort? = try WebPort(try Page.freePort())
        let port = try #require(held?.place.port)
        for _ in 0..<2 { close(try #require(try held?.listen())) }
        #expect(throws: TransportError.self) { try WebPort(port) }
        held = nil
        #expect(throws: Never.self) { try WebPort(port) }
    }

    @Test("another process holds it on ::1, which browsers try first: it is not taken")
    func sixth() throws {
        let port = try Page.freePort()
        let other = try #require(try Self.bound(port))
        #expect(throws: TransportError.self) { try WebPort(port) }
        close(other)
        let ours = try WebPort(port)
        for option in [nil, SO_REUSEADDR, SO_REUSEPORT] {
            #expect(try Self.bound(port, option) == nil)
        }
        withExtendedLifetime(ours) {}
    }

    /// A socket bound like that of another program to a port of ::1; nil if it is refused.
    private static func bound(_ port: UInt16, _ option: Int32? = nil) throws -> Int32? {
        let file = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        try #require(file >= 0)
        var one: Int32 = 1
        if let option {
            unsafe setsockopt(
                file, SOL_SOCKET, option, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0[15] = 1 }
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(file, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
        guard !isBound else { return file }
        close(file)
        return nil
    }
}

@Suite("The user at the other end of a connection")
struct WebPlaceTests {
    /// The format of `/proc/net/tcp`, recorded while clients of three ports sent and closed at
    /// once.
    private static let list = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 41
           1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001 0 42
           2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000 0 43
           3: 0100007F:C351 0100007F:1F90 04 00000000:00000000 01:00000014 00000000     0 0 0
           4: 0100007F:C352 0100007F:1F90 05 00000000:00000000 00:00000000 00000000     0 0 0
           5: 0100007F:C353 0100007F:1F90 06 00000000:00000000 03:00001770 00000000     0 0 0
           6: 0100007F:C354 0100007F:1F90 05 00000000:00000000 00:00000000 00000000     0 0 77
           7: 0100007F:C355 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0 0 0
           8: 0100007F:C356 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0 0 78
           9: 0100007F:C357 0100007F:1F90 06 00000000:00000000 03:00001770 00000000     0 0 0
          10: 0100007F:C357 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001 0 79
        """
    private static let ours = text(8_080)

    private static func text(_ port: UInt16) -> String {
        WebPlace.text(UInt32(0x7F00_0001).bigEndian, port)
    }

    @Test("is identified by the row of the other end, not by ours")
    func userID() {
        let theirs = Self.text(50_000)
        #expect(theirs == "0100007F:C350" && Self.ours == "0100007F:1F90")
        #expect(WebPlace.userID(from: theirs, to: Self.ours, in: Self.list) == 1_001)
        #expect(WebPlace.userID(from: theirs, to: theirs, in: Self.list) == nil)
        #expect(WebPlace.userID(from: Self.ours, to: Self.ours, in: "") == nil)
    }

    @Test(
        "is not identified by a closing row, or one that no process has open",
        arguments: zip(
            UInt16(50_001)...50_007, [nil, nil, nil, nil, nil, 0, 1_001] as [UInt32?]))
    func closed(port: UInt16, user: UInt32?) {
        #expect(WebPlace.userID(from: Self.text(port), to: Self.ours, in: Self.list) == user)
    }

    @Test("is looked up again when the whole request is there")
    func again() async throws {
        let page = try await Page()
        let request =
            "GET /v1/behind HTTP/1.1\r\nHost: \(page.host(.inbox))\r\n"
            + "Sec-Fetch-Site: same-origin\r\nCountersign-Web: \(Page.token)\r\n\r\n"
        #expect(try await page.send(request)?.status == 200)
        let reply = try await page.send(request, closing: true)
        #expect(reply?.status == 403 && reply?.body.contains("other_user") == true)
    }
}
