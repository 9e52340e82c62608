// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCore
import SigningTesting
import Synchronization
import TestHome
import Testing

@testable import LiquidAuth

/// A running service whose connections reach the stages that a test names.
private final class ServiceRig: Sendable {
    let service: LiquidService
    private let log = ReportLog()
    private let run: Task<Void, Never>
    var all: [LiquidReport] { log.all }

    /// Creates the service; each connection passes `stages` and then waits for its end.
    init(stages: [LiquidStage] = []) async {
        service = LiquidService(environment: FixedRandom(), reporting: { [log] in log.add($0) }) {
            _, _, _, report throws(LiquidConnectionError) in
            for stage in stages { report(stage) }
            _ = await Once<Bool>().value()
            throw .cancelled
        }
        run = Task { [service] in try? await service.run(HeldSigner()) { _ in } }
        while true {
            do {
                _ = try service.begin(order("first"))
                break
            } catch {
                await Task.yield()
            }
        }
        _ = await service.end(service.reports[0].id)
    }

    func stop() async {
        run.cancel()
        await run.value
    }
}

private final class ReportLog: Sendable {
    private let list = Mutex<[LiquidReport]>([])
    var all: [LiquidReport] { list.withLock { $0 } }
    func add(_ report: LiquidReport) { list.withLock { $0.append(report) } }
}

/// Returns a different random value each time.
private final class FixedRandom: HubEnvironment {
    private let last = Mutex<UInt8>(0)
    private let other = FixedEnvironment()

    func now() -> Timestamp { other.now() }
    func uptime() -> Duration { other.uptime() }
    func sha256(_ bytes: Span<UInt8>) -> [UInt8] { other.sha256(bytes) }
    func identity(ofClaim claim: String) -> (id: String, party: String) {
        other.identity(ofClaim: claim)
    }
    func randomBytes(_ count: Int) -> [UInt8] {
        let byte = last.withLock { last in
            last += 1
            return last
        }
        return [UInt8](repeating: byte, count: count)
    }
}

private func order(_ request: String) throws -> LiquidOrder {
    LiquidOrder(
        to: try LiquidURI("liquid://app.example/?requestId=\(request)"),
        as: LiquidLogin.User(address: "A", key: "treasury", credentials: []))
}

@Suite("Connections to pages that go on together", .timeLimit(.minutes(10)))
struct LiquidServiceTests {
    @Test("so many at one time, and one for each login")
    func limits() async throws {
        let rig = await ServiceRig()
        let reports = try (0..<LiquidService.connectionsMax).map { number in
            try rig.service.begin(order("\(number)"))
        }
        #expect(throws: LiquidService.Refusal.tooMany) { try rig.service.begin(order("more")) }
        let ended = try #require(await rig.service.end(reports[3].id))
        #expect(ended.state == .ended && ended.ending?.kind == "cancelled")
        #expect(throws: LiquidService.Refusal.sameRequest) { try rig.service.begin(order("0")) }
        _ = try rig.service.begin(order("3"))
        #expect(await rig.service.end("nobody") == nil)
        await rig.stop()
        #expect(rig.service.reports.allSatisfy { $0.state == .ended })
        #expect(throws: LiquidService.Refusal.closed) { try rig.service.begin(order("late")) }
    }

    @Test("each stage is reported, and can be waited for")
    func stages() async throws {
        let rig = await ServiceRig(stages: [
            .unknownPasskey, .loggedIn, .waiting, .connecting, .open,
        ])
        let id = try rig.service.begin(order("one")).id
        while rig.service.report(id)?.state != .open {
            let revision = rig.service.report(id)?.revision ?? 0
            #expect(await rig.service.wait(for: id, after: revision, seconds: 60))
        }
        #expect(rig.service.report(id)?.isPasskeyUnknown == true)
        async let news = rig.service.wait(for: id, after: 6, seconds: 600)
        _ = await rig.service.end(id)
        #expect(await news)
        let states = rig.all.filter { $0.id == id }.map(\.state)
        #expect(
            states == [.loggingIn, .loggingIn, .waiting, .waiting, .connecting, .open, .ended])
        // A wait for an unknown id returns at once.
        #expect(await rig.service.wait(for: "nobody", after: 0, seconds: 600))
        await rig.stop()
    }

    @Test("requests are reported as they come, without waking clients that wait for a change")
    func counts() async throws {
        let (own, page) = LoopbackChannel.pair()
        let service = LiquidService(environment: FixedEnvironment()) {
            order, _, channels, report throws(LiquidConnectionError) in
            report(.open)
            return await channels.serve(own, of: order.peer) { report(.counted($0)) }
        }
        let signer = HeldSigner()
        signer.release()
        let run = Task { try? await service.run(signer) { _ in } }
        while (try? service.begin(order("one"))) == nil { await Task.yield() }
        for number in 1...2 {
            try await page.send(ChannelMessage(Array(request("\(number)").utf8)))
            #expect(await page.next() != nil)
            // The answer is counted after it is sent.
            while service.reports.first?.count.answered != number { await Task.yield() }
            #expect(service.reports.first?.state == .open)
        }
        #expect(service.reports.first?.revision == 2)
        run.cancel()
        await run.value
        #expect(service.reports.first?.count.answered == 2)
    }

    @Test("a client that waits for a channel and leaves ends it, but not an open one")
    func leaves() async throws {
        let waiting = await ServiceRig(stages: [.waiting])
        let id = try waiting.service.begin(order("one")).id
        while waiting.service.report(id)?.state != .waiting { await Task.yield() }
        #expect(waiting.service.leave(id) && !waiting.service.leave("nobody"))
        while waiting.service.report(id)?.state != .ended { await Task.yield() }
        #expect(waiting.service.report(id)?.ending?.kind == "cancelled")
        await waiting.stop()
        let open = await ServiceRig(stages: [.waiting, .open])
        let other = try open.service.begin(order("one")).id
        while open.service.report(other)?.state != .open { await Task.yield() }
        #expect(!open.service.leave(other))
        await open.stop()
    }

    @Test("a bounded number of ended connections is listed")
    func ended() async throws {
        let rig = await ServiceRig()
        for number in 0...(LiquidService.endedMax + 1) {
            let id = try rig.service.begin(order("\(number)")).id
            _ = await rig.service.end(id)
        }
        #expect(rig.service.reports.count == LiquidService.endedMax)
        #expect(rig.service.reports.first?.requestID == "\(LiquidService.endedMax + 1)")
        await rig.stop()
    }

    @Test("too many waiting clients get an error")
    func waiting() async throws {
        let rig = await ServiceRig()
        let id = try rig.service.begin(order("one")).id
        let waiting = (0..<LiquidService.waitingMax).map { _ in
            Task { await rig.service.wait(for: id, after: 99, seconds: 600) }
        }
        while await rig.service.wait(for: id, after: 99, seconds: 0) { await Task.yield() }
        for one in waiting { one.cancel() }
        for one in waiting { #expect(await one.value) }
        #expect(await rig.service.wait(for: id, after: 99, seconds: 0))
        await rig.stop()
    }

    @Test("an open connection answers the requests it has read before it stops")
    func stops() async throws {
        let (own, page) = LoopbackChannel.pair()
        let service = LiquidService(environment: FixedEnvironment()) {
            order, _, channels, report throws(LiquidConnectionError) in
            report(.open)
            return await channels.serve(own, of: order.peer)
        }
        let signer = HeldSigner()
        let run = Task { try? await service.run(signer) { _ in } }
        while (try? service.begin(order("one"))) == nil { await Task.yield() }
        try await page.send(ChannelMessage(Array(request("1").utf8)))
        await signer.holds(1)
        run.cancel()
        signer.release()
        #expect(await page.next() != nil)
        #expect(await page.next() == nil)
        _ = await run.value
        let report = try #require(service.reports.first)
        #expect(report.ending?.kind == "closed" && report.count.answered == 1)
    }

    @Test("the error of a denied login, and the id of an order")
    func words() throws {
        let reason = Reason(.approvalTimedOut, "nobody answered")
        let failure = LiquidConnectionError(.notSigned("x"), .outcome(.denied(reason)))
        #expect(failure.kind == .denied && failure.reason == reason)
        #expect(failure.text == "the login was denied: nobody answered")
        #expect(
            LiquidConnectionError(.refused("no"), nil).text
                == "not logged in: the server refuses: no")
        #expect(LiquidConnectionError(LiquidError.cancelled, nil).kind == .cancelled)
        #expect(try order("one").peer.provedServer?.origin == "https://app.example")
        let local = LiquidOrder(
            to: try LiquidURI("liquid://http://localhost/?requestId=1"),
            as: LiquidLogin.User(address: "A", key: "treasury", credentials: []))
        #expect(local.peer.provedServer == nil && local.peer.claim == "http://localhost")
    }
}

@Suite("Certificates in place of the system's")
struct LiquidAuthoritiesTests {
    @Test("paths are resolved where they are named, and their file stays private")
    func path() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let pem = Array("-----BEGIN CERTIFICATE-----\nAA==\n".utf8)
        let held = try LiquidAuthorities(pem, in: folder.path)
        let other = try LiquidAuthorities(pem, in: folder.path)
        #expect(held.path != other.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        #expect(try Array(Data(contentsOf: URL(filePath: held.path))) == pem)
    }

    @Test("a text without a certificate is refused")
    func none() throws {
        let folder = TemporaryFolder()
        #expect(throws: LiquidAuthorities.ReadError.none) { try LiquidAuthorities([], in: "/tmp") }
        #expect(throws: LiquidAuthorities.ReadError.tooLong) {
            try LiquidAuthorities(
                [UInt8](repeating: 0x2D, count: LiquidAuthorities.bytesMax + 1), in: "/tmp")
        }
        #expect(throws: LiquidAuthorities.ReadError.self) {
            try LiquidAuthorities(
                Array("-----BEGIN CERTIFICATE-----".utf8), in: folder.path + "/none")
        }
    }
}
