// SPDX-License-Identifier: Apache-2.0

import NIP46
import SigningCore
import Synchronization
import Testing

@testable import Relays

@Suite("Answers that wait for a relay")
struct OutboxTests {
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func pass(_ seconds: Double) { time.withLock { $0 += .seconds(seconds) } }
    }

    private let clock = Clock()
    private let outbox: AnswerOutbox
    private let relays: [RelayAddress]

    init() throws {
        outbox = AnswerOutbox { [clock] in clock.now }
        relays = try RelayAddress.list(["wss://a.example", "wss://b.example"])
    }

    private func put(_ byte: UInt8, _ id: String, of signer: String = "a", until: Int64 = 300) {
        outbox.put([byte], as: id, of: signer, for: relays, until: Timestamp(seconds: until))
    }

    private func due(_ places: Int...) -> Int {
        outbox.due(at: Set(places.map { relays[$0] })).count
    }

    @Test("an answer waits for the first relay that takes it, or for its end")
    func ends() {
        put(1, "one", until: 10)
        outbox.put(
            [2], as: "two", of: "a", for: [relays[0]], until: Timestamp(seconds: 20))
        #expect(Set(outbox.waiting(for: relays[0])) == [[1], [2]])
        #expect(outbox.waiting(for: relays[1]) == [[1]])
        outbox.forgetExpired(at: Timestamp(seconds: 10))
        #expect(outbox.waiting(for: relays[1]) == [])
        outbox.take("two", by: relays[0])
        #expect(outbox.waiting(for: relays[0]) == [])
    }

    @Test("a relay is offered an answer again after 1, 2, 4 ... seconds until it takes it")
    func offers() {
        put(1, "one")
        var times: [Int] = []
        for second in 1...300 {
            clock.pass(1)
            if due(0) > 0 { times.append(second) }
        }
        #expect(times == [1, 3, 7, 15, 31, 63, 127, 255])
        // A relay that was unreachable still gets the first attempt.
        #expect(due(1) == 1)
        #expect(outbox.count(for: relays[0]) == 1)
        outbox.forgetExpired(at: Timestamp(seconds: 300))
        #expect(due(0, 1) == 0 && outbox.count(for: relays[0]) == 0)
    }

    @Test("an answer that was taken is handed over once more, for a client that was late")
    func late() {
        put(1, "one")
        outbox.take("one", by: relays[1])
        #expect(outbox.count(for: relays[0]) == 0)
        clock.pass(1)
        #expect(due(0, 1) == 0)
        clock.pass(1)
        #expect(outbox.due(at: Set(relays)).map(\.0) == [relays[1]])
        // This was the last attempt, and the relay's reply does not matter.
        outbox.take("one", by: relays[1])
        clock.pass(300)
        #expect(due(0, 1) == 0 && !outbox.holds("one"))
    }

    @Test("of many answers at once few are handed over twice")
    func many() {
        for number in 0..<100 {
            put(1, "\(number)")
            outbox.take("\(number)", by: relays[0])
        }
        clock.pass(2)
        #expect(due(0) == 16)
    }

    @Test("answers of one client take no place of another's")
    func room() {
        put(1, "one", of: "quiet", until: 1)
        for number in 0..<3_000 { put(2, "\(number)", of: "loud", until: 2 + Int64(number)) }
        let waiting = outbox.waiting(for: relays[0])
        #expect(waiting.count == 1_000)
        #expect(waiting.contains([1]))
    }
}
