// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningTesting
import SigningVault
import TestHome
import Testing

@testable import SigningAgent

@Suite("The client of an agent", .timeLimit(.minutes(10)))
struct ClientTests {
    @Test("asks, is refused in words, and unlocks with a sealed passphrase")
    func asks() async throws {
        let rig = try await Rig(asking: NoApproval())
        let client = AgentClient(process: getpid(), socket: rig.socket)
        let health = try await client.ask("GET", "/v1/health")
        #expect(health.status == 200 && health.json["status"]?.text == "ok")
        rig.home.vault.lock()
        let passphrase = SecretBytes(copying: "correct horse".utf8.span)
        let sealed = try await client.sealed(passphrase)
        let body: JSON = ["passphrase": .string(sealed.text)]
        #expect(try await client.ask("POST", "/v1/unlock", body).isGood)
        #expect(rig.home.vault.isUnlocked)
        let refused = try await client.ask("GET", "/v1/nothing")
        #expect(refused.code == "not_found")
        #expect(refused.refusal.message == "the agent refused: not found")
        try await rig.stop()
    }

    @Test("a body as large as a frame may be goes through")
    func large() async throws {
        let rig = try await Rig(asking: NoApproval())
        let client = AgentClient(process: getpid(), socket: rig.socket)
        let frame = String(repeating: "x", count: 100_000)
        let reply = try await client.ask("POST", "/v1/requests", ["frame": .string(frame)])
        #expect(reply.status == 201 && reply.json["state"]?.text == "failed")
        try await rig.stop()
    }

    @Test("a socket that another process listens at is not spoken to")
    func otherProcess() async throws {
        let rig = try await Rig(asking: NoApproval())
        let client = AgentClient(process: getppid(), socket: rig.socket)
        await #expect(throws: ServiceError.self) { try await client.ask("GET", "/v1/health") }
        try await rig.stop()
    }

    @Test("a cancelled task withdraws its request")
    func cancelled() async throws {
        let person = HeldApproval()
        let rig = try await Rig(asking: person)
        let client = AgentClient(process: getpid(), socket: rig.socket)
        let frame =
            "nostrsigner://sign_event?type=sign_event&x-success=myapp://ok"
            + "&event=%7B%22kind%22%3A4%2C%22content%22%3A%22%22%7D"
        let task = Task {
            try await client.ask(
                "POST", "/v1/requests", ["wire": "nip155", "frame": .string(frame)],
                waitSeconds: 100)
        }
        await person.isAsked()
        task.cancel()
        await #expect(throws: ServiceError.self) { try await task.value }
        while person.withdrawnCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
        try await rig.stop()
    }

    @Test(
        "an invalid answer is reported as such",
        arguments: [
            "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n\r\n", "hello\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{!",
            String(repeating: "x", count: 100_000),
        ])
    func noAnswer(text: String) async throws {
        let server = try OneAnswer(text, closes: true)
        let client = AgentClient(process: getpid(), socket: server.path)
        do throws(ServiceError) {
            _ = try await client.ask("GET", "/v1/health")
            Issue.record("it was understood")
        } catch {
            #expect(error.message.contains("the agent"))
        }
    }

    @Test("an agent that never answers is waited for only as long as the client said")
    func slow() async throws {
        let server = try OneAnswer("HTTP/1.1 200", closes: false)
        let client = AgentClient(process: getpid(), socket: server.path, answerSeconds: 1)
        await #expect(throws: ServiceError.self) { try await client.ask("GET", "/v1/health") }
    }

    @Test("a home without an agent has none, with any lock file")
    func none() async throws {
        let home = try AgentHome()
        #expect(try AgentPresence(in: home.path) == .none)
        #expect(try AgentClient.find(for: home.path) == nil)
        try Data("/run/other.sock\n".utf8).write(to: URL(filePath: home.path + "/agent.lock"))
        #expect(try AgentPresence(in: home.path) == .none)
        await #expect(throws: ServiceError.self) {
            try await AgentClient.required(for: home.path)
        }
    }
}

/// A socket that sends one client a fixed answer.
private final class OneAnswer: Sendable {
    let path: String
    private let folder = TemporaryFolder()
    private let listener: Int32

    init(_ text: String, closes: Bool) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let path = folder.path + "/one.sock"
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
        try #require(status == 0 && listen(listener, 4) == 0)
        Thread.detachNewThread {
            let client = accept(listener, nil, nil)
            let bytes = Array(text.utf8)
            _ = unsafe send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if closes {
                var byte: UInt8 = 0
                shutdown(client, Int32(SHUT_WR))
                while unsafe recv(client, &byte, 1, 0) > 0 {}
                close(client)
            }
        }
    }

    deinit { close(listener) }
}
