// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import SigningTesting
import Testing

@testable import Socket

@Suite("The socket's place, and its access", .timeLimit(.minutes(10)))
struct PlaceTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("it is its owner's alone, and goes when it ends")
    func modes() async throws {
        let served = try await Served()
        #expect(try mode(served.folder.socket) == 0o600)
        let files = try FileManager.default.contentsOfDirectory(atPath: served.folder.path)
        #expect(files.sorted() == ["agent.sock", "agent.sock.lock"])
        #expect(await served.stop() == nil)
        #expect(throws: POSIXError.self) { try served.client() }
        #expect(!FileManager.default.fileExists(atPath: served.folder.socket))
    }

    @Test("no second server takes the same place meanwhile")
    func second() async throws {
        let served = try await Served()
        #expect(throws: TransportError.self) {
            try SocketTransport(
                at: SocketAddress(path: served.folder.socket), wires: [], frameBytesMax: 1)
        }
        #expect(try await served.ask("GET", "/v1/health")?.status == 200)
    }

    @Test("a socket that was left behind is replaced, another file is not")
    func leftBehind() async throws {
        let folder = try SocketFolder()
        let stale = try SocketPlace(SocketAddress(path: folder.socket)).listen()
        close(stale)
        #expect(FileManager.default.fileExists(atPath: folder.socket))
        let served = try await Served(folder: folder)
        #expect(try await served.ask("GET", "/v1/health")?.status == 200)
        let other = try SocketFolder()
        try Data("mine".utf8).write(to: URL(filePath: other.socket))
        #expect(throws: TransportError.self) { try SocketPlace(SocketAddress(path: other.socket)) }
        #expect(try Data(contentsOf: URL(filePath: other.socket)) == Data("mine".utf8))
    }

    @Test("a folder that others can read is refused, and a path that is too long")
    func folders() throws {
        let folder = try SocketFolder()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.path)
        #expect(throws: TransportError.self) { try SocketPlace(SocketAddress(path: folder.socket)) }
        #expect(throws: TransportError.self) {
            try SocketPlace(
                SocketAddress(path: "/tmp/\(String(repeating: "x", count: 100))/a"))
        }
    }

    @Test("a folder with files of others is refused, except the home that is served")
    func others() throws {
        for name in ["id_ed25519", "config/x", "a.lock/x"] {
            let folder = try SocketFolder()
            let parts = name.split(separator: "/")
            let path = "\(folder.path)/\(parts[0])"
            if parts.count > 1 {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false)
            } else {
                try Data("mine".utf8).write(to: URL(filePath: path))
            }
            let address = SocketAddress(path: folder.socket)
            #expect(throws: TransportError.self, "\(name)") { try SocketPlace(address) }
            #expect(throws: TransportError.self) { try SocketPlace.check(address, in: "/none") }
            try SocketPlace.check(address, in: folder.path)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left == [String(parts[0])])
            _ = try SocketPlace(address, in: folder.path + "/.")
        }
        let folder = try SocketFolder()
        _ = try SocketPlace(SocketAddress(path: folder.path + "/other.sock")).listen()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/pb", withIntermediateDirectories: false)
        _ = try SocketPlace(SocketAddress(path: folder.socket))
    }

    @Test("the kernel identifies the client")
    func facts() async throws {
        let served = try await Served()
        let client = try served.client()
        #expect(await client.ask(RawClient.request("GET", "/v1/health"))?.status == 200)
        #expect(PeerProcess.unit(in: "0::/user.slice/app.slice/x.service\n") == "x.service")
        #expect(PeerProcess.unit(in: "0::/\n") == nil)
        #expect(PeerProcess.unit(in: "1:x:/a.scope") == nil)
        var ends: [Int32] = [0, 0]
        #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let facts = PeerFacts(of: ends[0])
        #expect(facts?.userID == geteuid())
        #expect(facts?.process?.executable?.isEmpty == false)
        let mark = try #require(facts?.peer(by: "socket").processMark)
        #expect(mark.hasPrefix("\(getpid()) ") && mark.count > "\(getpid()) ".count)
        #expect(PeerFacts(of: -1) == nil)
    }

    @Test(
        "another user gets an error and is disconnected", .enabled(if: geteuid() == 0, "needs root")
    )
    func otherUser() async throws {
        let served = try await Served()
        for (path, mode) in [(served.folder.path, 0o755), (served.folder.socket, 0o666)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = [
            "--reuid=65534", "--clear-groups", "curl", "--silent", "--max-time", "300",
            "--write-out", "%{http_code}", "--unix-socket", served.folder.socket,
            "http://localhost/v1/health",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = await served.folder.reading(pipe)
        #expect(text.hasSuffix("403") && text.contains("other_user"))
    }
}

extension SocketFolder {
    /// The output of a program, read on a thread that may block.
    fileprivate func reading(_ pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}

@Suite("Limits of the socket", .timeLimit(.minutes(10)))
struct LimitTests {
    @Test("too many requests in flight get a time to come again, and others go on")
    func frames() async throws {
        let served = try await Served(
            TransportLimits(framesMax: 3, framesPerPeerMax: 2), authenticator: .byName)
        for name in ["one", "two"] {
            let body = #"{"frame":"a","client":"\#(name)","wait_seconds":0}"#
            #expect(try await served.ask("POST", "/v1/requests", body)?.status == 202)
        }
        // Requests of one process count together, under any name and channel.
        let pending = #"{"frame":"a","client":"three","channel":"cli","wait_seconds":0}"#
        let busy = try await served.ask("POST", "/v1/requests", pending)
        #expect(busy?.status == 503 && busy?.isProblem == true)
        #expect(busy?.head.contains("retry-after: 1") == true)
        #expect(busy?.head.contains("connection: close") == true)
        let other = #"{"frame":"a","wait_seconds":0}"#
        let token = ["Authorization: Bearer other"]
        func ask() async throws -> Int? {
            try await served.ask("POST", "/v1/requests", other, headers: token)?.status
        }
        // Requests with a token take no places of processes.
        #expect(try await ask() == 202)
        #expect(try await ask() == 202)
        #expect(try await ask() == 503)
        #expect(try await served.ask("GET", "/v1/health")?.status == 200)
        served.signer.release()
        // Tries until the earlier answers were sent.
        var status = 503
        while status == 503 {
            status = try await ask() ?? 0
        }
        #expect(status == 202 || status == 201)
    }

    @Test("too many connections get a time to come again")
    func connections() async throws {
        let served = try await Served(TransportLimits(connectionsMax: 2))
        let health = RawClient.request("GET", "/v1/health")
        let (first, second) = (try served.client(), try served.client())
        for client in [first, second] {
            let held = RawClient.request(
                "POST", "/v1/requests", #"{"frame":"a","wait_seconds":99}"#)
            client.put(Array(held.utf8))
        }
        await served.signer.holds(2)
        let third = try await served.client().ask(health)
        #expect(third?.status == 503 && third?.head.contains("retry-after: 1") == true)
        served.signer.release()
        #expect(await first.blocking { $0.get()?.status } == 201)
    }

    @Test("a silent client makes room for another, and one that waits does not")
    func silent() async throws {
        let served = try await Served(TransportLimits(connectionsMax: 2))
        let health = RawClient.request("GET", "/v1/health")
        let waiting = try served.client()
        waiting.put(
            Array(
                RawClient.request("POST", "/v1/requests", #"{"frame":"a","wait_seconds":99}"#).utf8)
        )
        await served.signer.holds(1)
        let silent = try served.client()
        #expect(await silent.ask(health)?.status == 200)
        try await Task.sleep(for: .seconds(SocketLimits.roomSeconds))
        #expect(try await served.ask("GET", "/v1/health")?.status == 200)
        #expect(await silent.ask(health) == nil)
        served.signer.release()
        #expect(await waiting.blocking { $0.get()?.status } == 201)
    }

    @Test("a bounded number wait for one request, and further ones get its state")
    func waiters() async throws {
        let served = try await Served()
        let request = #"{"frame":"a","wait_seconds":0}"#
        let id = try #require(
            member("id", of: try await served.ask("POST", "/v1/requests", request)))
        let path = "/v1/requests/\(id)?wait_seconds=100"
        let clients = try (0...SocketLimits.waitersMax).map { _ in try served.client() }
        for client in clients { client.put(Array(RawClient.request("GET", path).utf8)) }
        let states = await withTaskGroup(of: String?.self) { group in
            for client in clients {
                group.addTask { member("state", of: await client.blocking { $0.get() }) }
            }
            let first = await group.next() ?? nil
            served.signer.release()
            return await group.reduce(into: [first]) { $0.append($1) }
        }
        #expect(states[0] == "pending")
        #expect(states.dropFirst().allSatisfy { $0 != nil && $0 != "pending" })
    }

    @Test("answers are kept by number and by size, the newest last")
    func kept() async throws {
        let served = try await Served(
            TransportLimits(connectionsMax: 4, framesMax: 4), frameBytesMax: 1_000)
        served.signer.release()
        let client = try served.client()
        let request = RawClient.request("POST", "/v1/requests", #"{"frame":"a"}"#)
        // Runs on one thread, as a task would wait for its turn beside a thousand other tests.
        let ids = await client.blocking { client in
            (0...SocketLimits.keptMax).compactMap { _ in
                client.put(Array(request.utf8))
                return member("id", of: client.get())
            }
        }
        try #require(ids.count == SocketLimits.keptMax + 1)
        #expect(try await served.ask("GET", "/v1/requests/\(ids[0])")?.status == 404)
        #expect(try await served.ask("GET", "/v1/requests/\(ids[1])")?.status == 200)
        #expect(Set(ids).count == ids.count)
    }

    @Test("the answers of one client do not displace another's")
    func keptOfOthers() async throws {
        let served = try await Served(
            TransportLimits(connectionsMax: 4, framesMax: 4), authenticator: .byName)
        served.signer.release()
        let body = #"{"frame":"a"}"#
        let token = ["Authorization: Bearer other", "Idempotency-Key: once"]
        func ask() async throws -> RawClient.Answer? {
            try await served.ask("POST", "/v1/requests", body, headers: token)
        }
        let first = try await ask()
        let client = try served.client()
        let count = await client.blocking { client in
            (0...SocketLimits.keptMax).count { _ in
                client.put(Array(RawClient.request("POST", "/v1/requests", body).utf8))
                return client.get()?.status == 201
            }
        }
        #expect(count == SocketLimits.keptMax + 1)
        // The request is the same, so the signer is not asked again.
        let again = try await ask()
        #expect(first?.status == 201 && again?.status == 200)
        #expect(member("id", of: first) == member("id", of: again))
    }

    @Test("one process leaves connections to others")
    func connectionsOfOne() async throws {
        let served = try await Served(
            TransportLimits(connectionsMax: 40, framesMax: 80, framesPerPeerMax: 80))
        let request = RawClient.request("POST", "/v1/requests", #"{"frame":"a","wait_seconds":99}"#)
        let clients = try (0..<30).map { _ in try served.client() }
        for client in clients { client.put(Array(request.utf8)) }
        await served.signer.holds(clients.count)
        let health = RawClient.request("GET", "/v1/health")
        let other = Process()
        other.executableURL = URL(filePath: "/usr/bin/env")
        other.arguments = [
            "curl", "--silent", "--max-time", "500", "--unix-socket", served.folder.socket,
            "--output", "/dev/null", "--write-out", "%{http_code}", "http://localhost/v1/health",
        ]
        let pipe = Pipe()
        other.standardOutput = pipe
        #expect(try await served.client().ask(health)?.status == 503)
        try other.run()
        #expect(await served.folder.reading(pipe) == "200")
        served.signer.release()
    }

    @Test("one client's bodies and frames leave room to those of others")
    func held() {
        let (one, two) = (
            Peer(channel: "socket", processMark: "1 1").countedClient,
            Peer(channel: "socket", credential: .program("bot")).countedClient
        )
        let share = SocketLimits.heldBytesMax / 4
        var held = HeldBytes()
        held.add(share, of: one)
        #expect(!held.isTooMuch(of: one, onceAllowed: 1_000))
        held.add(1, of: one)
        #expect(held.isTooMuch(of: one, onceAllowed: 1_000))
        #expect(!held.isTooMuch(of: two, onceAllowed: 1_000))
        // The largest frame of a wire may exceed a client's share.
        #expect(!held.isTooMuch(of: one, onceAllowed: share + 1))
        held.add(-share - 1, of: one)
        #expect(held.all == 0 && !held.isTooMuch(of: one, onceAllowed: 0))
        for number in 0..<5 {
            held.add(share, of: Peer(channel: "socket", processMark: "\(number)").countedClient)
        }
        #expect(held.isTooMuch(of: two, onceAllowed: 1_000))
    }
}
