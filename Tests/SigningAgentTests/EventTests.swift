// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningStorage
import SigningVault
import Synchronization
import Testing

@testable import SigningAgent
@testable import Socket

/// The text of a stream so far.
private func text(_ stream: EventStream) -> String {
    var bytes: [UInt8] = []
    while case .bytes(let part) = stream.next(4_096, wake: {}) { bytes += part }
    return String(decoding: bytes, as: UTF8.self)
}

/// The text that a client has read so far.
private final class Seen: Sendable {
    private let state = Mutex((text: "", isOver: false))

    var isOver: Bool { state.withLock { $0.isOver } }
    func add(_ data: Data) { state.withLock { $0.text += String(decoding: data, as: UTF8.self) } }
    func finish() { state.withLock { $0.isOver = true } }
    func has(_ text: String) -> Bool { state.withLock { $0.text.contains(text) } }

    func waitFor(_ text: String) async throws {
        while !has(text) { try await Task.sleep(for: .milliseconds(10)) }
    }
}

private func ids(_ text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
}

@Suite("Events", .timeLimit(.minutes(10)))
struct EventTests {
    @Test("is sent to all that follow, and after an id to one that returns")
    func follows() throws {
        let ring = EventRing()
        let one = try #require(ring.follow(after: nil) { true })
        for number in 1...3 { ring.publish("question", ["number": .integer(Int64(number))]) }
        let seen = text(one)
        #expect(seen.hasPrefix(": follows\n\nid: "))
        #expect(seen.contains("event: question\ndata: {\"number\":3}\n\n"))
        let names = ids(seen)
        #expect(names.count == 3)
        let back = try #require(ring.follow(after: names[0]) { true })
        #expect(ids(text(back)) == Array(names[1...]))
        let latest = try #require(ring.follow(after: names[2]) { true })
        #expect(ids(text(latest)).isEmpty)
    }

    @Test("reports where entries are missing", arguments: ["x", "", "00000000-1", "-1", "NEW-99"])
    func gap(_ id: String) throws {
        let ring = EventRing()
        let one = try #require(ring.follow(after: nil) { true })
        for _ in 0...EventRing.eventsMax { ring.publish("question", [:]) }
        let first = try #require(ids(text(one)).first)
        let run = first.split(separator: "-")[0]
        let gap = try #require(
            ring.follow(after: id.replacing("NEW-99", with: "\(run)-99999")) { true })
        #expect(text(gap).contains("event: gap\n"))
        // The ring dropped the first event; the event after it follows without a gap.
        #expect(text(try #require(ring.follow(after: "\(run)-0") { true })).contains("gap"))
        let whole = try #require(ring.follow(after: first) { true })
        #expect(ids(text(whole)).count == EventRing.eventsMax)
    }

    @Test("is sent to eight, and not to a client whose session is over")
    func bounds() throws {
        let ring = EventRing()
        let isOpen = Mutex(true)
        let streams = try (0..<EventRing.followersMax).map { _ in
            try #require(ring.follow(after: nil) { isOpen.withLock { $0 } })
        }
        #expect(ring.follow(after: nil) { true } == nil)
        streams[0].end()
        #expect(ring.follow(after: nil) { true } != nil)
        isOpen.withLock { $0 = false }
        ring.publish("question", ["secret": "x"])
        #expect(ring.followerCount == 1)
        #expect(streams.allSatisfy(\.isOver) && !text(streams[1]).contains("secret"))
    }

    @Test("is cut for a client that does not read, and sends a comment where nothing happens")
    func slow() async throws {
        let ring = EventRing(beat: .milliseconds(20))
        let one = try #require(ring.follow(after: nil) { true })
        _ = text(one)
        while !text(one).contains(": \n\n") { try await Task.sleep(for: .milliseconds(5)) }
        let large = JSON.string(String(repeating: "x", count: 300_000))
        for _ in 0..<5 { ring.publish("question", ["text": large]) }
        #expect(one.isOver && ring.followerCount == 0)
    }

    @Test("comes over the socket in a session, until that ends")
    func socket() async throws {
        let queue = QuestionQueue(schemas: [], events: EventRing(beat: .milliseconds(50)))
        let rig = try await Rig(asking: queue)
        #expect(try await rig.ask("GET", "/v1/events").status == 401)
        let passphrase = try SealedPassphrase(
            sealing: SecretBytes(copying: "correct horse".utf8.span), to: rig.owner.publicKey)
        let opened = try await rig.ask(
            "POST", "/v1/owner/sessions", #"{"passphrase":"\#(passphrase.text)"}"#)
        let token = try #require(try JSON.parse(opened.body.utf8.span)["token"]?.text)
        #expect(try await rig.ask("POST", "/v1/events", token: token).status == 405)
        let curl = Process()
        curl.executableURL = URL(filePath: "/usr/bin/env")
        curl.arguments = [
            "curl", "--silent", "--no-buffer", "--include", "--max-time", "540", "--header",
            "Authorization: Bearer \(token)", "--unix-socket", rig.socket,
            "http://localhost/v1/events",
        ]
        let pipe = Pipe()
        curl.standardOutput = pipe
        try curl.run()
        let seen = Seen()
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread {
            while let data = try? handle.read(upToCount: 1), !data.isEmpty { seen.add(data) }
            seen.finish()
        }
        try await seen.waitFor(": follows")
        #expect(seen.has("text/event-stream"))
        let pending = try await rig.post(kind: 4, waitSeconds: 0)
        try await seen.waitFor("event: question")
        _ = try await rig.ask("DELETE", pending.place)
        try await seen.waitFor("event: ended")
        try await seen.waitFor("\n: \n")
        // The agent serves other clients meanwhile.
        #expect(try await rig.post(kind: 1).state == "done")
        rig.home.vault.lock()
        while !seen.isOver { try await Task.sleep(for: .milliseconds(10)) }
        while curl.isRunning { try await Task.sleep(for: .milliseconds(10)) }
        #expect(curl.terminationStatus == 0)
        while queue.events.followerCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
        try await rig.stop()
    }

    @Test("a stopping agent ends the streams, and a client that leaves is forgotten")
    func ends() async throws {
        let queue = QuestionQueue(schemas: [], events: EventRing(beat: .milliseconds(50)))
        let rig = try await Rig(asking: queue)
        let passphrase = try SealedPassphrase(
            sealing: SecretBytes(copying: "correct horse".utf8.span), to: rig.owner.publicKey)
        let opened = try await rig.ask(
            "POST", "/v1/owner/sessions", #"{"passphrase":"\#(passphrase.text)"}"#)
        let token = try #require(try JSON.parse(opened.body.utf8.span)["token"]?.text)
        func follow() throws -> Process {
            let curl = Process()
            curl.executableURL = URL(filePath: "/usr/bin/env")
            curl.arguments = [
                "curl", "--silent", "--no-buffer", "--max-time", "540", "--output", "/dev/null",
                "--header", "Authorization: Bearer \(token)", "--unix-socket", rig.socket,
                "http://localhost/v1/events",
            ]
            try curl.run()
            return curl
        }
        let (one, other) = (try follow(), try follow())
        while queue.events.followerCount < 2 { try await Task.sleep(for: .milliseconds(10)) }
        kill(one.processIdentifier, SIGKILL)
        while queue.events.followerCount > 1 { try await Task.sleep(for: .milliseconds(10)) }
        try await rig.stop()
        while other.isRunning { try await Task.sleep(for: .milliseconds(10)) }
        #expect(other.terminationStatus == 0)
    }
}
