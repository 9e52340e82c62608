// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Foundation
import SigningCodecs
import SigningCore
import SigningService
import Testing

@testable import SigningAgent
@testable import Socket
@testable import Web

@Suite("Access to the page")
struct WebAccessTests {
    private static let head = HTTPHead(
        method: "POST", path: "/v1/web/codes", query: [], headers: [])

    private func address(_ access: WebAccess) async throws -> String {
        let request = HTTPRequest(head: Self.head, body: [], peer: .inProcess(), process: 0)
        let response = try #require(await access.respond(to: request))
        #expect(response.status == 201)
        return try #require(try JSON.parse(response.body.span)["url"]?.text)
    }

    @Test("an address opens one tab, which is known from then on")
    func once() async throws {
        let access = WebAccess(to: "http://a.localhost:7155", besides: "http://b.localhost:7155")
        let address = try await address(access)
        #expect(address.hasPrefix("http://a.localhost:7155/#"))
        let code = String(try #require(address.split(separator: "#").last))
        let token = try #require(access.pairing.pair(code))
        #expect(access.pairing.isKnown(token))
        #expect(access.pairing.pair(code) == nil)
        #expect(access.pairing.pair("") == nil && !access.pairing.isKnown(""))
        #expect(!access.pairing.isKnown(code))
    }

    @Test("codes and tabs end, and the oldest code makes room")
    func ends() async throws {
        let clock = StillClock()
        let access = WebAccess(to: "", besides: "", now: { clock.now })
        let first = access.makeCode()
        let codes = (0..<8).map { _ in access.makeCode() }
        #expect(access.pairing.pair(first) == nil)
        let token = try #require(access.pairing.pair(codes[0]))
        clock.pass(.seconds(WebAccess.codeSeconds))
        #expect(access.pairing.pair(codes[1]) == nil)
        #expect(access.pairing.isKnown(token))
        clock.pass(.seconds(86_400))
        #expect(!access.pairing.isKnown(token))
    }

    @Test("the place of the pages is listed, and makes no code")
    func origin() async throws {
        let access = WebAccess(to: "http://a.localhost:7155", besides: "http://b.localhost:7155")
        let code = access.makeCode()
        for _ in 0..<20 {
            let head = HTTPHead(method: "GET", path: "/v1/web/origin", query: [], headers: [])
            let request = HTTPRequest(head: head, body: [], peer: .inProcess(), process: 0)
            let response = try #require(await access.respond(to: request))
            let json = try JSON.parse(response.body.span)
            #expect(json == ["origin": "http://b.localhost:7155"] && response.status == 200)
        }
        #expect(access.pairing.pair(code) != nil)
    }

    @Test("it is requested by POST alone, and all other paths belong to other resources")
    func others() async {
        let access = WebAccess(to: "", besides: "")
        func status(_ method: String, _ path: String) async -> UInt32? {
            let head = HTTPHead(method: method, path: path, query: [], headers: [])
            let request = HTTPRequest(head: head, body: [], peer: .inProcess(), process: 0)
            return await access.respond(to: request)?.status
        }
        #expect(await status("GET", "/v1/web/codes") == 405)
        #expect(await status("POST", "/v1/web") == nil)
    }
}

@Suite("The name of a home for the pages by which others ask")
struct WindowsNameTests {
    @Test("it is drawn once, another home's is refused, and a file without one is not used")
    func once() throws {
        let home = try AgentHome()
        let name = try WindowsName.of(home.open)
        #expect(try WindowsName.of(home.open) == name)
        let other = try AgentHome()
        #expect(try WindowsName.of(other.open) != name)
        let path = WindowsName.path(in: home.path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "\(name.label)\n")
        for text in ["", name.label, "\(name.label.uppercased())\n", "evil.example\n"] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(throws: ServiceError.self) { try WindowsName.of(home.open) }
        }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: "/etc/hostname")
        #expect(throws: ServiceError.self) { try WindowsName.of(home.open) }
        try FileManager.default.removeItem(atPath: path)
        #expect(try WindowsName.of(home.open) != name)
    }

    @Test("two processes that draw it at the same time draw one")
    func together() async throws {
        let home = try AgentHome()
        let names = try await withThrowingTaskGroup(of: WebName.self) { group in
            for _ in 0..<8 {
                group.addTask { try WindowsName.of(OpenHome(at: home.path, speaking: .builtIn)) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(names.count == 1)
    }
}
