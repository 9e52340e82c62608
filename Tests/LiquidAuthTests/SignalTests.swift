// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import Testing

@Suite("Signals")
struct SignalTests {
    @Test("are equal where all of them is")
    func equality() {
        let one = ICECandidate(candidate: "candidate:1", sdpMid: "0", sdpMLineIndex: 0)
        let other = ICECandidate(candidate: "candidate:1", sdpMid: "0", sdpMLineIndex: nil)
        #expect(Signal.offerCandidate(one) == .offerCandidate(one))
        #expect(Signal.offerCandidate(one) != .offerCandidate(other))
        #expect(Signal.offerCandidate(one) != .answerCandidate(one))
        #expect(Signal.offer("v=0") != .answer("v=0"))
    }
}
