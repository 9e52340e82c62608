// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import Web

@Suite("Pages for requests on NEAR", .timeLimit(.minutes(10)))
struct NEARPagesTests {
    private static let followed: [String: String?] = [
        "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
        "Origin": nil, "Countersign-Web": nil,
    ]

    @Test(
        "links of MyNearWallet open their page, as clients write them",
        arguments: [
            "/login", "/login/", "/testnet/login/", "/testnet//login/", "/mainnet/sign", "/sign",
            "/sign-message",
        ])
    func links(_ path: String) async throws {
        let page = try await Page()
        let query = "?callbackUrl=https%3A%2F%2Fapp.example&callbackUrl=twice&x"
        for path in [path, path + query] {
            let reply = try #require(try await page.ask("GET", path, nil, Self.followed))
            #expect(reply.status == 200 && reply.body.contains("wallet.js"), "\(path)")
            #expect(reply.header("cross-origin-opener-policy") == nil)
            #expect(reply.header("content-security-policy")?.contains("unsafe") == false)
        }
        let form = try await page.ask("POST", path, "{}", Self.followed)
        #expect(form?.status == 403)
        for script in ["/near/wallet.js", "/near/link.js", "/near/bridge.js"] {
            #expect(try await page.ask("GET", script)?.status == 200)
        }
    }

    @Test("a look-alike is not one")
    func others() async throws {
        let page = try await Page()
        for path in [
            "/othernet/login", "/testnet/testnet/login", "/login/sign", "/Login", "/testnet",
            "/near/", "/near/login", "/v1/login",
        ] {
            for site in [WebSite.inbox, .windows] {
                let reply = try await page.ask("GET", path, nil, Self.followed, at: site)
                #expect(reply?.status == 403, "\(path)")
            }
        }
    }

    @Test("the bridge opens where a program opens it, and for no page")
    func bridge() async throws {
        let page = try await Page()
        let path = "/near/bridge?network=testnet&app=a%20phone"
        #expect(try await page.ask("GET", path, nil, Self.followed)?.status == 403)
        let typed = Self.followed.merging(["Sec-Fetch-Site": "none"]) { $1 }
        let reply = try #require(try await page.ask("GET", path, nil, typed))
        #expect(reply.status == 200 && reply.body.contains("bridge.js"))
        #expect(reply.header("cross-origin-opener-policy") == "same-origin")
        #expect(try await page.ask("GET", "/near/bridge?app=1&app=2", nil, typed)?.status == 400)
        #expect(try await page.ask("GET", "/near/bridge?more=1", nil, typed)?.status == 400)
    }

    @Test("the manifest is whole, and another port is another version")
    func manifest() throws {
        let origin = Page.names.windows.origin(port: 7_155)
        let manifest = NEARManifest.json(origin: origin)
        let executor = try #require(manifest["executor"]?.text)
        let prefix = "data:text/javascript,"
        #expect(executor.hasPrefix(prefix) && executor.hasSuffix("%0A%2F%2F"))
        let code = try PercentEncoding.decode(executor.dropFirst(prefix.count).utf8.span)
        #expect(code.contains("const place = \"\(origin)\";"))
        #expect(!code.contains("COUNTERSIGN_ORIGIN"))
        // near-connect replaces these words in the code, even within texts.
        for word in [".localStorage", "window.top", "window.open"] {
            #expect(!code.contains(word), "\(word)")
        }
        #expect(manifest["permissions"]?["allowsOpen"]?.list?.compactMap(\.text) == [origin])
        #expect(manifest["type"]?.text == "sandbox")
        let other = NEARManifest.json(origin: Page.names.windows.origin(port: 7_156))
        #expect(manifest["version"] != other["version"] && manifest["id"] == other["id"])
    }
}
