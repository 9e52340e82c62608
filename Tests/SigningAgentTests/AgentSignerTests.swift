// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningTesting
import Testing

@testable import SigningAgent

@Suite("The signer behind the socket", .timeLimit(.minutes(10)))
struct AgentSignerTests {
    private func signer(
        of rig: Rig, whenWaiting: @escaping @Sendable () -> Void = {}
    ) throws -> AgentSigner {
        let adapter = try #require(
            rig.home.adapters.adapters.first { $0.id.name == "nip155" })
        return AgentSigner(
            AgentClient(process: getpid(), socket: rig.socket), for: adapter,
            whenWaiting: whenWaiting)
    }

    private func frame(kind: Int) -> Frame {
        let url =
            "nostrsigner://sign_event?type=sign_event&x-success=myapp://ok"
            + "&event=%7B%22kind%22%3A\(kind)%2C%22content%22%3A%22%22%7D"
        return Frame(url, from: Peer(channel: .commandLine))
    }

    private func code(_ answer: Answer) -> ReasonCode? {
        switch answer.ending {
        case .outcome(.denied(let reason)), .outcome(.failed(let reason)): reason.code
        case .outcome(.done), .refused: nil
        }
    }

    @Test("distinguishes outcomes, with replies, reasons and rules, over the command line")
    func endings() async throws {
        // A rule of the home allows kind 1 only over the socket.
        let rig = try await Rig(asking: NoApproval())
        let signer = try signer(of: rig)
        let denied = await signer.answer(frame(kind: 5), over: AdapterID("nip155"))
        #expect(code(denied) == .policyDenied)
        guard case .outcome(.denied(let reason)) = denied.ending else {
            Issue.record("\(denied)")
            return
        }
        #expect(reason.rule == "no")
        let asked = await signer.answer(frame(kind: 1), over: AdapterID("nip155"))
        #expect(code(asked) == .approvalUnavailable)
        let refused = await signer.answer(
            Frame("nostrsigner://x?type=nothing", from: Peer(channel: .commandLine)),
            over: AdapterID("nip155"))
        guard case .refused(let error) = refused.ending else {
            Issue.record("\(refused)")
            return
        }
        #expect(!error.code.isEmpty && !error.reason.isEmpty)
        try await rig.stop()
        let gone = await signer.answer(frame(kind: 5), over: AdapterID("nip155"))
        guard case .refused(let error) = gone.ending else {
            Issue.record("\(gone)")
            return
        }
        #expect(error.code == "unavailable")
    }

    @Test("says that it waits, and brings the answer of the person")
    func waits() async throws {
        let person = HeldApproval()
        let rig = try await Rig(asking: person)
        let (waiting, noted) = AsyncStream<Void>.makeStream()
        let signer = try signer(of: rig) { noted.yield() }
        let task = Task { await signer.answer(frame(kind: 4), over: AdapterID("nip155")) }
        for await _ in waiting { break }
        person.say(yes: true)
        let answer = await task.value
        guard case .outcome(.done) = answer.ending else {
            Issue.record("\(answer)")
            return
        }
        try await rig.stop()
    }

    @Test("withdraws its request when its task is cancelled, and returns the outcome")
    func withdrawn() async throws {
        let person = HeldApproval()
        let rig = try await Rig(asking: person)
        let (waiting, noted) = AsyncStream<Void>.makeStream()
        let signer = try signer(of: rig) { noted.yield() }
        let task = Task { await signer.answer(frame(kind: 4), over: AdapterID("nip155")) }
        for await _ in waiting { break }
        task.cancel()
        let answer = await task.value
        #expect(code(answer) == .withdrawn)
        #expect(person.withdrawnCount == 1)
        try await rig.stop()
    }

    @Test("the request of a killed command is withdrawn")
    func killed() async throws {
        let person = HeldApproval()
        let rig = try await Rig(asking: person)
        let frame = String(decoding: frame(kind: 4).bytes, as: UTF8.self)
        let body = #"{"frame":"\#(frame)","channel":"cli","wait_seconds":0}"#
        let pending = try await rig.ask("POST", "/v1/requests", body)
        #expect(pending.status == 202)
        // A process that is killed before it waits withdraws nothing, so the test tries another.
        while person.withdrawnCount == 0 {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "curl", "--silent", "--verbose", "--unix-socket", rig.socket,
                "http://localhost\(pending.place)?wait_seconds=100",
            ]
            let errorPipe = Pipe()
            process.standardError = errorPipe
            try process.run()
            var text = ""
            while !text.contains("> GET ") {
                let part = errorPipe.fileHandleForReading.availableData
                try #require(!part.isEmpty)
                text += String(decoding: part, as: UTF8.self)
            }
            #expect(person.withdrawnCount == 0)
            try await Task.sleep(for: .milliseconds(200))
            kill(process.processIdentifier, SIGKILL)
            for _ in 0..<500 where person.withdrawnCount == 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        try await rig.stop()
    }

    @Test("explains a frame, and knows a client once a rule has decided about it")
    func reported() async throws {
        let rig = try await Rig(asking: NoApproval())
        let signer = try signer(of: rig)
        let explanation = try #require(await signer.explanation(of: frame(kind: 5)))
        #expect(explanation["verdict"]?.text == "deny" && explanation["connected"] == false)
        #expect(await !signer.knowsClient(of: frame(kind: 5)))
        let text = String(decoding: frame(kind: 1).bytes, as: UTF8.self)
        let allowed = try await rig.ask("POST", "/v1/requests", #"{"frame":"\#(text)"}"#)
        #expect(allowed.state == "done")
        #expect(await signer.knowsClient(of: frame(kind: 5)))
        try await rig.stop()
        #expect(await signer.explanation(of: frame(kind: 5)) == nil)
        #expect(await !signer.knowsClient(of: frame(kind: 5)))
    }

    @Test("reads a grant with its time, its limits and the older one that it replaces")
    func grants() throws {
        let text = """
            {"state":"done","reply":"r","remembered":["0a"],"grants":[{"id":"0a","answer":"yes",\
            "expires":"2026-01-01T00:00:00Z","session":false,"limits":"2 times","replaces":["0c"]},\
            {"id":"0b"}]}
            """
        let answer = try #require(AgentAnswer(try JSON.parse(text.utf8.span)))
        let grant = try #require(answer.remembered.first)
        #expect(answer.remembered.count == 1 && grant.id == "0a" && grant.answer == .yes)
        #expect(grant.expires == "2026-01-01T00:00:00Z" && grant.limits == "2 times")
        #expect(!grant.isForLogin && grant.replaces == ["0c"])
    }
}
