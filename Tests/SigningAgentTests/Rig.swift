// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningAgent
import SigningCore
import SigningCrypto
import SigningService
import Socket
import Synchronization

/// A running agent, with curl as its client.
final class Rig: Sendable {
    struct Answer: Sendable {
        let status: Int
        let id: String?
        let state: String?
        let reply: String?
        let code: String?
        let retrySeconds: Int?
        let body: String

        var place: String { "/v1/requests/\(id ?? "")" }
    }

    let home: OpenHome
    let signer: LocalSigner
    let owner: OwnerCheck
    /// The clock of the delay after wrong passphrases.
    let clock = StillClock()
    let states: Relay
    var socket: String { folder.path + "/agent.sock" }
    private let folder: AgentHome
    private let run: Task<ServiceError?, Never>

    init(
        asking approval: any Approval, drainSeconds: Int64 = 20,
        checkpointPause: Duration = .seconds(60)
    ) async throws {
        folder = try AgentHome()
        home = folder.open
        signer = try LocalSigner(of: home, asking: approval)
        try signer.unlock(passphrase: SecretBytes(copying: "correct horse".utf8.span))
        owner = OwnerCheck(of: home, by: signer, now: { [clock] in clock.now })
        let lock = AgentLock(of: home, by: signer, after: .standard)
        let queue = approval as? QuestionQueue ?? QuestionQueue(schemas: [])
        let events = RecordEvents(of: home, signer.ledger, reportingTo: queue.events)
        let transport = SocketTransport(
            in: try SocketPlace(
                SocketAddress(path: folder.path + "/agent.sock"), in: folder.path),
            limits: TransportLimits(drainSecondsMax: drainSeconds),
            wires: ["nip155", "connect-nostr"], frameBytesMax: 100_000,
            resources: Agent.resources(
                of: owner, in: home, by: signer, asking: queue, reportingBy: events
            ) { lock.lock() }, authenticator: TokenAuthenticator(of: signer))
        let (states, seen) = AsyncStream<TransportState>.makeStream()
        let agent = Agent(
            of: home, by: signer, lockedBy: lock,
            following: HomeWatch(of: home, records: [signer.ledger]),
            reportingTo: (approval as? QuestionQueue)?.events, checkpointPause: checkpointPause)
        let relay = Relay()
        self.states = relay
        run = Task {
            do throws(ServiceError) {
                try await agent.run(transport) { news in
                    switch news {
                    case .success(let state):
                        relay.add(state)
                        seen.yield(state)
                    case .failure(let problem): relay.add(problem)
                    }
                }
                return nil
            } catch {
                return error
            }
        }
        for await _ in states { break }
    }

    deinit { run.cancel() }

    func stop() async throws {
        run.cancel()
        if let error = await run.value { throw error }
    }

    func post(kind: Int, waitSeconds: Int = 60) async throws -> Answer {
        let url =
            "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
            + "&event=%7B%22kind%22%3A\(kind)%2C%22content%22%3A%22hello%22%7D"
        let body = #"{"wire":"nip155","frame":"\#(url)","wait_seconds":\#(waitSeconds)}"#
        return try await ask("POST", "/v1/requests", body)
    }

    func ask(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = nil
    ) async throws -> Answer {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let content =
            (body.map { ["--json", $0] } ?? [])
            + (token.map { ["--header", "Authorization: Bearer \($0)"] } ?? [])
        process.arguments =
            [
                "curl", "--silent", "--max-time", "540", "--request", method, "--write-out",
                "\n%header{retry-after}\n%{http_code}", "--unix-socket",
                folder.path + "/agent.sock",
            ] + content + ["http://localhost\(path)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
        let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
        let json = try? JSONSerialization.jsonObject(
            with: Data(parts.first.map { Array($0.utf8) } ?? []))
        let members = json as? [String: Any] ?? [:]
        let reason = members["reason"] as? [String: Any] ?? members
        return Answer(
            status: parts.last.flatMap { Int($0) } ?? 0, id: members["id"] as? String,
            state: members["state"] as? String, reply: members["reply"] as? String,
            code: reason["code"] as? String,
            retrySeconds: parts.dropLast().last.flatMap { Int($0) },
            body: parts.first.map(String.init) ?? "")
    }
}

/// Keeps the messages of the transport.
final class Relay: Sendable {
    private let states = Mutex<[TransportState]>([])
    private let failures = Mutex<[TransportError]>([])

    var all: [TransportState] { states.withLock { $0 } }
    var problems: [TransportError] { failures.withLock { $0 } }
    func add(_ problem: TransportError) { failures.withLock { $0.append(problem) } }
    func add(_ state: TransportState) { states.withLock { $0.append(state) } }
}
