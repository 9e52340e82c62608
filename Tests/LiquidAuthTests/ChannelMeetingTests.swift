// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import Synchronization
import Testing

/// A signalling server in the test: keeps the wallet's signals and delivers those of the test.
private final class FakeSignals: Signalling {
    private struct State {
        var sent: [Signal] = []
        var coming: [Signal] = []
        var isClosed = false
        var error: SignallingError?
    }
    private let state = Mutex(State())

    var sent: [Signal] { state.withLock { $0.sent } }
    func put(_ signal: Signal) { state.withLock { $0.coming.append(signal) } }
    func fail(_ error: SignallingError) { state.withLock { $0.error = error } }

    func send(_ signal: Signal) async throws(SignallingError) {
        state.withLock { $0.sent.append(signal) }
    }

    func next() async throws(SignallingError) -> Signal? {
        while !Task.isCancelled {
            let (signal, error, isClosed) = state.withLock { state in
                (
                    state.coming.isEmpty ? nil : state.coming.removeFirst(), state.error,
                    state.isClosed
                )
            }
            if let signal { return signal }
            if let error { throw error }
            if isClosed { return nil }
            try? await Task.sleep(for: .milliseconds(1))
        }
        throw .cancelled
    }

    func close() async { state.withLock { $0.isClosed = true } }
}

/// An offer whose channel opens with the first answer and a candidate.
private final class FakeOffer: ChannelOffer {
    private struct State {
        var taken: [String] = []
        var candidates: [ICECandidate] = []
    }
    private let state = Mutex(State())
    private let own: LoopbackChannel
    let page: LoopbackChannel
    private let opens: Bool

    init(opens: Bool = true) {
        (own, page) = LoopbackChannel.pair()
        self.opens = opens
    }

    var taken: [String] { state.withLock { $0.taken } }
    var candidates: [ICECandidate] { state.withLock { $0.candidates } }
    func find(_ candidate: ICECandidate) { state.withLock { $0.candidates.append(candidate) } }

    func offer() async throws(ChannelError) -> String { "the offer" }
    func take(answer: String) async { state.withLock { $0.taken.append(answer) } }
    func take(_ candidate: ICECandidate) async {
        state.withLock { $0.taken.append(candidate.candidate) }
    }
    func opened() async throws(ChannelError) -> any DataChannel {
        while !opens || taken.count < 2 {
            do { try await Task.sleep(for: .milliseconds(1)) } catch { throw .cancelled }
        }
        return own
    }
    func close() async { await own.close() }
}

@Suite("The meeting before a data channel", .timeLimit(.minutes(10)))
struct ChannelMeetingTests {
    private func candidate(_ text: String) -> ICECandidate {
        ICECandidate(candidate: text, sdpMid: "0", sdpMLineIndex: 0)
    }

    @Test("one offer is repeated until there is an answer; candidates wait for it")
    func meets() async throws {
        let (offer, signals) = (FakeOffer(), FakeSignals())
        let stages = Mutex<[ChannelMeeting.Stage]>([])
        let meeting = ChannelMeeting(
            offer, over: signals,
            patience: ChannelMeeting.Patience(repeatSeconds: 1, secondsMax: 600))
        let open = Task {
            try await meeting.channel { stage in stages.withLock { $0.append(stage) } }
        }
        while signals.sent.count(where: { $0 == .offer("the offer") }) < 3 {
            try await Task.sleep(for: .milliseconds(1))
        }
        offer.find(candidate("ours"))
        while !signals.sent.contains(.offerCandidate(candidate("ours"))) {
            try await Task.sleep(for: .milliseconds(1))
        }
        signals.put(.offer("the offer"))
        signals.put(.answerCandidate(candidate("early")))
        signals.put(.answer("theirs"))
        signals.put(.answer("another's"))
        signals.put(.answerCandidate(candidate("late")))
        let channel = try await open.value
        try await channel.send(ChannelMessage(Array("hello".utf8)))
        #expect(await offer.page.next()?.bytes == Array("hello".utf8))
        #expect(offer.taken.prefix(2) == ["theirs", "early"])
        #expect(!offer.taken.contains("another's"))
        #expect(stages.withLock { $0 } == [.waiting, .answered])
    }

    @Test("candidates are taken up to a number")
    func manyCandidates() async throws {
        let (offer, signals) = (FakeOffer(opens: false), FakeSignals())
        for number in 0..<1_000 { signals.put(.answerCandidate(candidate("\(number)"))) }
        signals.put(.answer("theirs"))
        let meeting = ChannelMeeting(offer, over: signals)
        let open = Task { try await meeting.channel() }
        while offer.taken.count < 1 + Signal.candidatesMax {
            try await Task.sleep(for: .milliseconds(1))
        }
        open.cancel()
        await #expect(throws: ChannelError.cancelled) { try await open.value }
        #expect(offer.taken.count == 1 + Signal.candidatesMax)
    }

    @Test("a timeout names what was waited for")
    func patience() async throws {
        for (answer, words) in [(nil, "no page answered"), ("theirs", "a page answered, but")] {
            let (offer, signals) = (FakeOffer(opens: false), FakeSignals())
            if let answer { signals.put(.answer(answer)) }
            let meeting = ChannelMeeting(
                offer, over: signals, patience: ChannelMeeting.Patience(secondsMax: 2))
            do throws(ChannelError) {
                _ = try await meeting.channel()
                Issue.record("it has a channel")
            } catch {
                guard case .timedOut(let text) = error else { throw error }
                #expect(text.hasPrefix(words))
            }
        }
    }

    @Test("a server that ends it before an answer ends it")
    func serverEnds() async throws {
        let signals = FakeSignals()
        signals.fail(.refused("room-full"))
        do throws(ChannelError) {
            _ = try await ChannelMeeting(FakeOffer(), over: signals).channel()
            Issue.record("it has a channel")
        } catch {
            #expect(error == .closed("the server refuses the connection: room-full"))
        }
    }

    @Test("a server that goes after an answer does not")
    func serverGoes() async throws {
        let (offer, signals) = (FakeOffer(), FakeSignals())
        signals.put(.answerCandidate(candidate("early")))
        signals.put(.answer("theirs"))
        await signals.close()
        _ = try await ChannelMeeting(offer, over: signals).channel()
        #expect(offer.taken == ["theirs", "early"])
    }
}
