// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCodecs
import SigningService
import Synchronization
import TestHome
import Testing

@testable import SigningAgent

/// The messages of a host.
private final class Answers: Sendable {
    private let messages = Mutex<[JSON]>([])

    func add(_ framed: [UInt8]) {
        var reader = NativeMessages()
        let whole = (try? reader.take(framed)) ?? []
        messages.withLock { $0 += whole.compactMap { try? JSON.parse($0.span) } }
    }

    var all: [JSON] { messages.withLock { $0 } }

    func first(_ count: Int) async throws -> [JSON] {
        for _ in 0..<15_000 {
            if all.count >= count { return all }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw ServiceError("only \(all.count) answers", hint: nil)
    }
}

private func framed(_ text: String) -> [UInt8] { NativeMessages.framed(Array(text.utf8)) ?? [] }

@Suite("Messages of a browser", .timeLimit(.minutes(10)))
struct NativeMessageTests {
    @Test("come out whole, however they are cut")
    func cut() throws {
        let texts = ["{}", String(repeating: "a", count: 70_000), "\u{1F600}"]
        let bytes = texts.flatMap(framed)
        for size in [1, 3, 4, 5, 1_000, bytes.count] {
            var reader = NativeMessages()
            var found: [String] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                let part = bytes[start..<min(start + size, bytes.count)]
                found += try reader.take(part).map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(found == texts)
            try reader.end()
        }
    }

    @Test(
        "a length that no message has ends it at once, before anything is held",
        arguments: [0, UInt32(NativeMessages.takenBytesMax) + 1, 0x7FFF_FFFF, .max])
    func lengths(length: UInt32) {
        var reader = NativeMessages()
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * UInt32($0))) }
        #expect(throws: NativeMessages.FramingError.length(length)) { try reader.take(bytes) }
    }

    @Test("half of one at the end is a mistake, and the longest that is taken is taken")
    func ends() throws {
        for half in [[1], [1, 0, 0], [2, 0, 0, 0, 0x7B]] as [[UInt8]] {
            var reader = NativeMessages()
            #expect(try reader.take(half).isEmpty)
            #expect(throws: NativeMessages.FramingError.cutOff) { try reader.end() }
        }
        var reader = NativeMessages()
        let longest = [UInt8](repeating: 0x20, count: NativeMessages.takenBytesMax)
        let whole = try #require(NativeMessages.framed(longest))
        #expect(try reader.take(whole) == [longest])
        #expect(NativeMessages.framed(longest + [0]) == nil)
    }
}

@Suite("The host of a browser", .timeLimit(.minutes(10)))
struct BrowserHostTests {
    private let answers = Answers()
    private static let id = String(repeating: "0a", count: 16)

    /// A host without a running agent.
    private func host() -> BrowserHost {
        BrowserHost(
            asking: { () throws(ServiceError) in
                throw ServiceError("no agent serves this home", hint: "start one")
            }, write: answers.add)
    }

    private static func call(_ id: String = id, _ rest: String = "") -> String {
        #"{"id":"\#(id)","wire":"nip07","frame":"{}","origin":"https://a.example","#
            + #""top_origin":"https://a.example","document":"d"\#(rest)}"#
    }

    /// A number as the id of a call.
    private static func id(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 32 - digits.utf8.count) + digits
    }

    private static func call(_ number: Int, in tab: String) -> [UInt8] {
        Array(call(id(number), #","tab_origin":"https://\#(tab)""#).utf8)
    }

    /// Runs a host over a pipe, as a browser does.
    private func serve(_ input: [UInt8]) async throws -> ServiceError? {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        let writing = Task.detached {
            _ = Descriptor.write(input.span, to: writer)
            close(writer)
        }
        defer { close(reader) }
        let host = host()
        let error: ServiceError?
        do throws(ServiceError) {
            try await host.serve(reader)
            error = nil
        } catch {
            return error
        }
        await writing.value
        return error
    }

    @Test("a missing agent is reported by a code and in words")
    func away() async throws {
        let host = host()
        host.receive(Array(Self.call().utf8))
        host.receive(Array(#"{"id":"\#(String(repeating: "1", count: 32))","status":true}"#.utf8))
        host.receive(Array(#"{"id":"\#(String(repeating: "2", count: 32))","inbox":true}"#.utf8))
        for answer in try await answers.first(3) {
            #expect(answer["code"] == "agent_down")
            #expect(answer["message"]?.text == "no agent serves this home; start one")
        }
        await host.end()
    }

    @Test(
        "an invalid message is answered only where a client could wait for it",
        arguments: [
            ("", nil), ("[]", nil), ("{}", nil), (#"{"id":"x"}"#, nil), (#"{"id":1}"#, nil),
            (#"{"drop":"nothing"}"#, nil), (#"{"id":"\#(id)"}"#, id),
            (call(id, #","owner":true"#), id), (#"{"id":"\#(id)","status":true,"wire":"x"}"#, id),
            (#"{"id":"\#(id)","wire":["nip07"]}"#, id),
            (#"{"id":"\#(id)","inbox":true,"path":"/v1/questions"}"#, id),
            (#"{"id":"\#(id)","inbox":"/v1/questions"}"#, id), (call(id, #","inbox":true"#), id),
            (#"{"id":"\#(id)","method":"GET","path":"/v1/grants"}"#, id),
        ])
    func hostile(message: String, id: String?) throws {
        host().receive(Array(message.utf8))
        #expect(answers.all.map { $0["id"]?.text } == (id.map { [$0] } ?? []))
        #expect(answers.all.allSatisfy { $0["code"] == "bad_request" })
    }

    @Test("ten thousand at once are each answered, by a word at least")
    func flood() async throws {
        let input = (0..<10_000).flatMap { number in
            let digits = String(number)
            let id = String(repeating: "0", count: 32 - digits.utf8.count) + digits
            return framed(Self.call(id))
        }
        #expect(try await serve(input) == nil)
        let codes = Set(answers.all.compactMap { $0["code"]?.text })
        #expect(codes.isSubset(of: ["agent_down", "busy"]))
        // A client that closes its end receives no later messages.
        #expect(answers.all.count >= 10_000 - 64)
        #expect(Set(answers.all.compactMap { $0["id"]?.text }).count == answers.all.count)
    }

    @Test("sites are counted by the tab, with all their subdomains, and keep no other site busy")
    func sites() async throws {
        let begun = Mutex(0)
        let host = BrowserHost(
            asking: { () async throws(ServiceError) in
                begun.withLock { $0 += 1 }
                try? await Task.sleep(for: .seconds(500))
                throw ServiceError("the test is over", hint: nil)
            }, write: answers.add)
        func begins(_ count: Int) async throws {
            while begun.withLock({ $0 }) < count { try await Task.sleep(for: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(50))
            #expect(begun.withLock { $0 } == count)
        }
        for number in 0..<320 {
            host.receive(Self.call(number, in: "s\(number % 5).evil.example"))
        }
        // The other requests wait in the queue of their site.
        try await begins(64)
        #expect(answers.all.isEmpty)
        for number in 2_000..<3_000 { host.receive(Self.call(number, in: "evil.example")) }
        while answers.all.count < 1_320 - 64 - 1_024 { await Task.yield() }
        #expect(answers.all.allSatisfy { $0["code"] == "busy" })
        let busyCount = answers.all.count
        #expect(busyCount == 1_320 - 64 - 1_024)
        // Two more such sites still leave places for sites without a request.
        for number in 320..<520 {
            host.receive(Self.call(number, in: number % 2 == 0 ? "b.example" : "c.example"))
        }
        try await begins(64 + 64 + 64)
        for number in 520..<530 { host.receive(Self.call(number, in: "good\(number).example")) }
        // A status request of an extension page has a place too.
        host.receive(Array(#"{"id":"\#(Self.id(600))","status":true}"#.utf8))
        try await begins(192 + 11)
        #expect(answers.all.count == busyCount)
        await host.end()
    }

    @Test("a burst of one site is answered in the order in which it came")
    func burst() async throws {
        let host = host()
        for number in 0..<300 { host.receive(Self.call(number, in: "a.example")) }
        let codes = try await answers.first(300).compactMap { $0["code"]?.text }
        #expect(codes == Array(repeating: "agent_down", count: 300))
        await host.end()
    }

    @Test("no thread waits for a call that waits")
    func threads() async throws {
        // More requests than Dispatch has threads, so blocked threads could not serve all of them.
        let count = 300
        let agent = try SilentAgent()
        let client = AgentClient(process: getpid(), socket: agent.path)
        let calls = (0..<count).map { _ in
            Task { try? await client.ask("GET", "/v1/health", waitSeconds: 500) }
        }
        await agent.holds(count)
        for call in calls { call.cancel() }
        for call in calls { #expect(await call.value == nil) }
    }

    @Test("invalid input of a browser ends it, and so does half a message")
    func noBrowser() async throws {
        let valid = framed(Self.call())
        for input in [Array("GET / HTTP/1.1\r\n\r\n".utf8), valid + [1, 0], [0, 0, 0, 0]] {
            #expect(try await serve(input)?.message.contains("invalid message") == true)
        }
    }
}

/// A socket that accepts requests and answers none.
private final class SilentAgent: Sendable {
    let path: String
    private let folder = TemporaryFolder()
    private let listener: Int32
    private let clients = Mutex<[Int32]>([])

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let path = folder.path + "/silent.sock"
        self.path = path
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: Array(path.utf8))
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, size)
            }
        }
        try #require(status == 0 && listen(listener, 300) == 0)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var part = [UInt8](repeating: 0, count: 4_096)
                _ = unsafe recv(client, &part, part.count, 0)
                self?.clients.withLock { $0.append(client) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for client in clients.withLock({ $0 }) { close(client) }
    }

    /// Returns as soon as the socket holds a number of requests.
    func holds(_ count: Int) async {
        while clients.withLock({ $0.count }) < count {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}
