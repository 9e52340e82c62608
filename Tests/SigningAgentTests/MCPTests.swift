// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCodecs
import SigningCore
import SigningService
import SigningStorage
import SigningTesting
import Synchronization
import Testing

@testable import SigningAgent

/// The output lines of a server.
private final class Lines: Sendable {
    private let lines = Mutex<[JSON]>([])

    func add(_ line: [UInt8]) {
        let json = (try? JSON.parse(line.span)) ?? .string("no JSON: \(line)")
        lines.withLock { $0.append(json) }
    }

    var all: [JSON] { lines.withLock { $0 } }

    /// The answer to a request; waits for it.
    func answer(to id: JSON) async throws -> JSON {
        for _ in 0..<6_000 {
            if let line = all.first(where: { $0["id"] == id }) { return line }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw ServiceError("there was no answer to \(id)", hint: nil)
    }
}

@Suite("The Model Context Protocol", .timeLimit(.minutes(10)))
struct MCPTests {
    private let lines = Lines()

    private func server(of rig: Rig? = nil, as name: String? = nil) -> MCPServer {
        let client = rig.map { AgentClient(process: getpid(), socket: $0.socket) }
        return MCPServer(
            asking: { () throws(ServiceError) in
                guard let client else {
                    throw ServiceError("no agent serves this home", hint: "start one")
                }
                return client
            }, as: name, write: lines.add)
    }

    private func send(_ text: String, to server: MCPServer) { server.receive(Array(text.utf8)) }

    private func call(_ id: Int, _ tool: String, _ arguments: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","#
            + #""arguments":\#(arguments)}}"#
    }

    private func frame(kind: Int) -> String {
        "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
            + "&event=%7B%22kind%22%3A\(kind)%2C%22content%22%3A%22hello%22%7D"
    }

    private func content(_ id: Int) async throws -> JSON {
        let result = try await lines.answer(to: .integer(Int64(id)))["result"] ?? .null
        let content = try #require(result["structuredContent"])
        // The content again as text, for clients that read nothing else.
        #expect(
            result["content"]?.list?.first?["text"]?.text
                == String(decoding: content.write(), as: UTF8.self))
        return content
    }

    @Test("both protocol versions are spoken: each request alone, or after a handshake")
    func eras() async throws {
        let server = server()
        send(
            #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"#
                + #""io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#, to: server)
        let found = try await lines.answer(to: 1)["result"]
        #expect(found?["supportedVersions"]?.list?.first?.text == "2026-07-28")
        #expect(found?["resultType"]?.text == "complete")
        send(
            #"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"#
                + #""2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
            to: server)
        let hello = try await lines.answer(to: 2)["result"]
        #expect(hello?["protocolVersion"]?.text == "2025-06-18")
        send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, to: server)
        send(#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#, to: server)
        let tools = try await lines.answer(to: "a")["result"]?["tools"]?.list ?? []
        #expect(
            tools.compactMap { $0["name"]?.text }
                == ["accounts", "explain", "submit", "wait", "withdraw", "limits"])
        send(#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#, to: server)
        #expect(try await lines.answer(to: 3)["result"] == [:])
        #expect(lines.all.count == 4)
    }

    private static func request(_ rest: String) -> String { #"{"jsonrpc":"2.0","id":1,\#(rest)}"# }
    private static let wrong: [(line: String, code: Int64)] = [
        ("{", -32_700), ("[]", -32_600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32_600),
        (request(#""method":"tools/decide""#), -32_601),
        (request(#""method":"tools/call","params":{"name":"approve"}"#), -32_602),
        (
            request(
                #""method":"tools/list","params":{"_meta":{"#
                    + #""io.modelcontextprotocol/protocolVersion":"2027-01-01"}}"#), -32_022
        ),
    ]

    @Test("an invalid request is refused by its code", arguments: wrong)
    func refused(_ line: String, _ code: Int64) {
        send(line, to: server())
        #expect(lines.all.map { $0["error"]?["code"]?.integerValue } == [code])
    }

    @Test("wrong arguments are reported where models read, as the outcome of the call")
    func wrongArguments() async throws {
        let server = server()
        for (id, (tool, arguments, word)) in [
            ("submit", #"{"approve":true}"#, "submit takes an object of: wire"),
            ("accounts", #"{"all":true}"#, "accounts takes an object of: nothing"),
            ("wait", #"{"wait_seconds":121}"#, "wait_seconds must be a number from 0 to 120"),
            ("wait", #"{"wait_seconds":"1"}"#, "wait_seconds must be a number from 0 to 120"),
            ("submit", "[]", "submit takes an object of: wire"),
        ].enumerated() {
            send(call(id, tool, arguments), to: server)
            let result = try await lines.answer(to: .integer(Int64(id)))["result"]
            #expect(result?["isError"]?.flag == true)
            #expect(try await content(id)["error"]?.text?.hasPrefix(word) == true)
        }
    }

    @Test("instructions come with the handshake, and their frames are understood")
    func instructions() async throws {
        let rig = try await Rig(asking: NoApproval())
        let server = server(of: rig, as: "helper")
        send(
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"#
                + #""2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
            to: server)
        let text = try await lines.answer(to: 1)["result"]?["instructions"]?.text ?? ""
        for frame in [MCPInstructions.note, MCPInstructions.message] {
            #expect(text.contains(frame))
        }
        let note = JSON.string(MCPInstructions.note)
        send(
            call(2, "submit", #"{"frame":\#(String(decoding: note.write(), as: UTF8.self))}"#),
            to: server)
        #expect(try await content(2)["state"]?.text == "done")
        let message = JSON.string(MCPInstructions.message)
        send(
            call(3, "submit", #"{"frame":\#(String(decoding: message.write(), as: UTF8.self))}"#),
            to: server)
        // The home holds no NEAR key, so the wire refuses in its own format.
        let answered = try await content(3)
        #expect(answered["state"]?.text == "failed")
        #expect(answered["reason"]?["code"]?.text == "account_not_found", "\(answered)")
        try await rig.stop()
    }

    @Test("a signature is requested under the client's name, and a denial says what would pass")
    func submit() async throws {
        let rig = try await Rig(asking: NoApproval())
        let server = server(of: rig, as: "helper")
        send(call(1, "accounts"), to: server)
        #expect(try await content(1)["keys"]?.list?.first?["name"]?.text == "app")
        send(call(2, "submit", #"{"frame":"\#(frame(kind: 1))"}"#), to: server)
        let done = try await content(2)
        #expect(done["state"]?.text == "done")
        #expect(done["reply"]?.text?.hasPrefix("myapp://signed") == true)
        send(call(3, "submit", #"{"frame":"\#(frame(kind: 7))"}"#), to: server)
        let denied = try await content(3)
        #expect(denied["reason"]?["code"]?.text == "approval_unavailable")
        #expect(denied["advice"]?["would_be_allowed"]?.text?.contains("kind") == true)
        send(call(4, "wait", #"{"id":"\#(denied["id"]?.text ?? "")"}"#), to: server)
        #expect(try await content(4)["advice"]?["limits"]?.list?.isEmpty == true)
        send(call(5, "limits"), to: server)
        #expect(try await content(5)["frozen"]?.isNull == true)
        send(call(6, "wait", #"{"id":"../owner/key"}"#), to: server)
        #expect(try await lines.answer(to: 6)["result"]?["isError"]?.flag == true)
        try await rig.stop()
    }

    @Test("an argument cannot inject a request into the one to the agent")
    func smuggled() async throws {
        let rig = try await Rig(asking: NoApproval())
        let server = server(of: rig, as: "helper")
        let before = try rig.signer.ledger.length().entries
        for (id, key) in [#"a\r\nX-Y: z"#, "", "a b", String(repeating: "k", count: 129)]
            .enumerated()
        {
            let frame = frame(kind: 1)
            send(
                call(id, "submit", #"{"frame":"\#(frame)","idempotency_key":"\#(key)"}"#),
                to: server)
            #expect(try await content(id)["error"]?.text?.contains("idempotency_key") == true)
        }
        let client = AgentClient(process: getpid(), socket: rig.socket)
        for (path, value) in [("/v1/health", "a\r\nb"), ("/v1/health\r\n", "a"), ("/v1/ x", "a")] {
            await #expect(throws: ServiceError.self) {
                try await client.ask("GET", path, headers: [("X-Y", value)])
            }
        }
        #expect(try rig.signer.ledger.length().entries == before)
        try await rig.stop()
    }

    @Test("a notification gets no answer")
    func silent() {
        for line in [
            #"{"jsonrpc":"2.0","id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":1,"error":{}}"#,
            #"{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}"#,
        ] {
            send(line, to: server())
        }
        #expect(lines.all.isEmpty)
    }

    @Test("a cancelled call is not answered, and its question is withdrawn")
    func cancelled() async throws {
        let approval = HeldApproval()
        let rig = try await Rig(asking: approval)
        let server = server(of: rig)
        send(call(1, "submit", #"{"frame":"\#(frame(kind: 7))","wait_seconds":60}"#), to: server)
        await approval.isAsked()
        send(
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            to: server)
        await server.end(within: .seconds(20))
        #expect(lines.all.isEmpty)
        while approval.withdrawnCount == 0 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(approval.withdrawnCount == 1)
        send(
            call(2, "submit", #"{"frame":"\#(frame(kind: 7))","wait_seconds":0}"#), to: server)
        let pending = try await content(2)
        #expect(pending["state"]?.text == "pending")
        send(call(3, "withdraw", #"{"id":"\#(pending["id"]?.text ?? "")"}"#), to: server)
        #expect(try await content(3)["state"]?.text == "denied")
        try await rig.stop()
    }

    @Test("without an agent each call says what to do")
    func alone() async throws {
        let server = server()
        send(call(1, "accounts"), to: server)
        let result = try await lines.answer(to: 1)["result"]
        #expect(result?["isError"]?.flag == true)
        #expect(result?["structuredContent"]?["hint"]?.text == "start one")
    }

    @Test(
        "lines of a file that ends are read, also without a line end, and too long ones are refused"
    )
    func input() async throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        let ping = #"{"jsonrpc":"2.0","id":7,"method":"ping"}"#
        let text = Array("\n\r\n\(ping)\r\n{\n\(ping)".utf8)
        #expect(unsafe write(ends[1], text, text.count) == text.count)
        close(ends[1])
        await server().serve(ends[0])
        close(ends[0])
        #expect(lines.all.count == 3)
        #expect(lines.all.filter { $0["id"] == 7 }.count == 2)
    }
}
