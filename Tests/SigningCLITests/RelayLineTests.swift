// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import SigningCLI

@Suite("The state of a relay, in words")
struct RelayLineTests {
    private func relay(_ state: String, _ problem: JSON = .null, _ more: JSON = .null) -> JSON {
        [
            "relay": "wss://r.example", "state": .string(state), "problem": problem,
            "last_refusal": more, "answers_waiting": more == .null ? 0 : 2,
        ]
    }

    @Test("a relay that refuses is wrong, in its own words; one that is open is not")
    func findings() {
        let open = Finding.relay(relay("open"))
        #expect(open.fix == nil && open.state == "wss://r.example open")
        let refused = Finding.relay(relay("refused", "restricted: members only"))
        #expect(refused.fix != nil)
        #expect(refused.state == "wss://r.example refused: restricted: members only")
        #expect(Finding.relay(relay("waiting", "connection refused")).fix != nil)
        let login = Finding.relay(relay("logging_in"))
        #expect(login.fix == nil && login.state == "wss://r.example logging in")
        let slow = RelayLine.text(relay("open", .null, "rate-limited: \u{1b}[1m"))
        #expect(
            slow == "wss://r.example open; 2 answers wait for it; the relay last refused an answer "
                + "with: rate-limited: \\u{1B}[1m")
    }
}
