// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningTesting
import Synchronization
import Testing
import VectorFiles

@testable import LiquidAuth

@Suite("Frames on a data channel", .timeLimit(.minutes(10)))
struct ChannelFramesTests {
    private func object(_ text: String?) throws -> JSON {
        try JSON.parse(try #require(text).utf8.span)
    }

    private final class Sent: Sendable { let count = Mutex(0) }

    /// Has a page send 2,000 requests; returns once it has sent more than the queue of answers
    /// holds.
    private func flood(
        _ page: PageEnd, noting sent: Sent = Sent()
    ) async throws -> Task<Void, any Error> {
        let sender = Task {
            for number in 0..<2_000 {
                try await page.send(request("\(number)"))
                sent.count.withLock { $0 += 1 }
            }
        }
        while sent.count.withLock({ $0 }) < 200 { try await Task.sleep(for: .milliseconds(5)) }
        return sender
    }

    @Test("each request gets exactly one answer, a heartbeat gets none")
    func answers() async throws {
        let rig = ChannelRig()
        rig.signer.release()
        let page = PageEnd(of: rig.transport)
        for text in ["ping", "", request("one"), "ping", request("two")] {
            try await page.send(text)
        }
        let answers = Set([await page.next(), await page.next()])
        #expect(answers == ["re: " + request("one"), "re: " + request("two")])
        await page.channel.close()
        let ending = await page.ending.value
        #expect(ending.reason == "the peer closed the channel")
        #expect(ending.count.answered == 2)
        #expect(ending.count.unanswered == 0)
        await rig.stop()
    }

    @Test("a page that was sent nothing learns that this side is there, others do not")
    func heartbeats() async throws {
        let ticks = Mailbox<Bool>(countMax: 1)
        let heartbeat = ChannelHeartbeat { () async throws(CancellationError) in
            guard await ticks.next() != nil else { throw CancellationError() }
        }
        let rig = ChannelRig(heartbeat: heartbeat)
        rig.signer.release()
        let page = PageEnd(of: rig.transport)
        for _ in 1...2 {
            _ = await ticks.put(true)
            #expect(await page.next() == "ping")
        }
        try await page.send(request("one"))
        #expect(await page.next() == "re: " + request("one"))
        // The answer counts as activity for one heartbeat; the next heartbeat is sent.
        for _ in 1...2 { _ = await ticks.put(true) }
        #expect(await page.next() == "ping")
        try await page.send(request("two"))
        #expect(await page.next() == "re: " + request("two"))
        await page.channel.close()
        // Heartbeats do not count as answers.
        #expect(await page.ending.value.count.answered == 2)
        await rig.stop()
    }

    @Test("an undecided request does not delay the end longer than the time for draining")
    func stops() async throws {
        let rig = ChannelRig(
            limits: TransportLimits(
                connectionsMax: 4, framesMax: 64, framesPerPeerMax: 3, drainSecondsMax: 0))
        let page = PageEnd(of: rig.transport)
        try await page.send(request("one"))
        await rig.signer.holds(1)
        await rig.stop(lettingGo: false)
        #expect(await page.ending.value.reason == "it was closed here")
        await rig.signer.waitForLeaving()
    }

    @Test("a page that takes no answers is not read any further, until it does")
    func takesNone() async throws {
        let rig = ChannelRig()
        rig.signer.release()
        let page = PageEnd(of: rig.transport)
        let sent = Sent()
        let sender = try await flood(page, noting: sent)
        try await Task.sleep(for: .milliseconds(500))
        // The queues in both directions are full, and each side holds one more request.
        #expect(sent.count.withLock { $0 } <= 64 + 128 + 64 + 2)
        for _ in 0..<2_000 { #expect(await page.next() != nil) }
        try await sender.value
        await rig.stop()
    }

    @Test("a page that takes no answers does not keep it from ending")
    func takesNoneAtTheEnd() async throws {
        let rig = ChannelRig()
        rig.signer.release()
        let page = PageEnd(of: rig.transport)
        let sender = try await flood(page)
        await rig.stop()
        #expect(await page.ending.value.reason == "it was closed here")
        await #expect(throws: (any Error).self) { try await sender.value }
    }

    @Test("the program that serves a channel ends with it")
    func gone() async throws {
        let rig = ChannelRig()
        for number in 1...3 {
            let page = PageEnd(of: rig.transport, host: "\(number)")
            for _ in 0..<32 {
                try await page.channel.send(ChannelMessage([0, 1, 2], isText: false))
            }
            #expect(await page.ending.value.count.unanswered == 32)
            #expect(rig.transport.servedCount == 0)
        }
        await rig.stop()
    }

    @Test("a request that waits holds up no other")
    func apart() async throws {
        let rig = ChannelRig()
        let page = PageEnd(of: rig.transport)
        try await page.send(request("one"))
        try await page.send(request("two"))
        await rig.signer.holds(2)
        rig.signer.release()
        _ = (await page.next(), await page.next())
        await rig.stop()
    }

    @Test("more requests than may wait are refused in their own form, at once")
    func tooMany() async throws {
        let rig = ChannelRig()
        let page = PageEnd(of: rig.transport)
        for number in 1...3 { try await page.send(request("\(number)")) }
        await rig.signer.holds(3)
        try await page.send(request("json"))
        let refusal = try object(await page.next())
        #expect(refusal["requestId"]?.text == "json")
        #expect(refusal["reference"]?.text == "arc0027:sign_message:response")
        #expect(refusal["error"]?["code"]?.integerValue == 4000)
        #expect(refusal["error"]?["providerId"]?.text == "p")
        let cbor = CBOR(try object(request("cbor"))).encode()
        try await page.send(Base64.encode(cbor.span, alphabet: .url, padding: false))
        let bytes = try Base64.decode(
            try #require(await page.next()), alphabet: .either, padding: .optional)
        let answer = try CBOR.decode(bytes.span).json()
        #expect(answer["requestId"]?.text == "cbor")
        #expect(answer["error"]?["code"]?.integerValue == 4000)
        await rig.stop()
    }

    @Test("an answer that the page cannot take is refused in its place")
    func tooLarge() async throws {
        let rig = ChannelRig()
        rig.signer.release()
        // The answer would be longer than the request and exceed the limit; the refusal is shorter.
        let sent = request(String(repeating: "x", count: 128)) + String(repeating: " ", count: 400)
        let page = PageEnd(of: rig.transport, maxMessageSize: sent.utf8.count)
        try await page.send(sent)
        let refusal = try object(await page.next())
        #expect(refusal["requestId"]?.text?.utf8.count == 128)
        #expect(refusal["error"]?["message"]?.text?.contains("larger than") == true)
        try await page.send(request("small"))
        #expect(await page.next() == "re: " + request("small"))
        await rig.stop()
    }

    @Test("a page that goes takes its questions along")
    func withdrawn() async throws {
        let rig = ChannelRig()
        let page = PageEnd(of: rig.transport)
        try await page.send(request("one"))
        await rig.signer.holds(1)
        await page.channel.close()
        await rig.signer.waitForLeaving()
        #expect(await page.ending.value.reason == "the peer closed the channel")
        await rig.stop()
    }

    @Test("32 invalid messages in a row end the channel")
    func unreadable() async throws {
        let rig = ChannelRig()
        rig.signer.release()
        let page = PageEnd(of: rig.transport)
        let binary = ChannelMessage([0, 1, 2], isText: false)
        for _ in 0..<31 { try await page.channel.send(binary) }
        try await page.send(request("one"))
        #expect(await page.next() == "re: " + request("one"))
        for _ in 0..<32 { try await page.channel.send(binary) }
        #expect(await page.next() == nil)
        let ending = await page.ending.value
        #expect(ending.reason.contains("32 messages in a row"))
        #expect((ending.count.answered, ending.count.unanswered) == (1, 63))
        await rig.stop()
    }

    @Test("a channel that nothing comes over ends, one with a request does not before its answer")
    func idle() async throws {
        let rig = ChannelRig(patience: ChannelPatience(idleSecondsMax: 1, secondsMax: 600))
        let (busy, idle) = (
            PageEnd(of: rig.transport), PageEnd(of: rig.transport, host: "another")
        )
        try await busy.send(request("one"))
        await rig.signer.holds(1)
        #expect(await idle.ending.value.reason == "no message came for 1 s")
        #expect(busy.channel.ending == nil)
        rig.signer.release()
        #expect(await busy.next() == "re: " + request("one"))
        #expect(await busy.ending.value.reason == "no message came for 1 s")
        await rig.stop()
    }

    @Test("a channel ends after its time, with requests waiting or not")
    func total() async throws {
        let rig = ChannelRig(patience: ChannelPatience(idleSecondsMax: 600, secondsMax: 1))
        let page = PageEnd(of: rig.transport)
        try await page.send(request("one"))
        #expect(await page.ending.value.reason == "it was open for 1 s")
        await rig.stop()
    }

    static let offers =
        (try? VectorFile.load("Vectors/algorand/arc27_messages.json"))?[
            "negotiation_frames_pera_draft"]?.list ?? []

    @Test("negotiations of the draft go as it writes", arguments: offers)
    func negotiation(offer: JSON) async throws {
        let rig = ChannelRig()
        rig.signer.release()
        let page = PageEnd(of: rig.transport)
        try await page.send(try #require(offer["in"]?.text))
        var answer = try #require(try object(await page.next()).object)
        #expect(answer["id"]?.text?.count == 36)
        answer.members.removeAll { $0.name == "id" }
        #expect(JSON.object(answer) == offer["out_without_id"])
        if offer["then"]?.text == "close" {
            #expect(await page.next() == nil)
            #expect(await page.ending.value.reason.contains("no protocol in common"))
        } else {
            try await page.send(request("one"))
            #expect(await page.next() == "re: " + request("one"))
        }
        await rig.stop()
    }

    @Test("the page offers, and a second offer is ignored")
    func laterOffer() async throws {
        #expect(Self.offers.count == 4)
        let rig = ChannelRig()
        rig.signer.release()
        let page = PageEnd(of: rig.transport)
        try await page.send(request("one"))
        _ = await page.next()
        let offer = try #require(Self.offers[0]["in"]?.text)
        try await page.send(offer)
        // The signer of the test answers every frame that it receives.
        #expect(await page.next() == "re: \(offer)")
        await rig.stop()
    }
}
