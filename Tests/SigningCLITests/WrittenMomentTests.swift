// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Testing

@testable import SigningCLI

@Suite("Moments on the command line")
struct WrittenMomentTests {
    private let now = Timestamp(seconds: 1_790_000_000)

    @Test(
        "days, times in UTC and ages are read",
        arguments: [
            ("2026-11-20", "2026-11-20T00:00:00Z"),
            ("2026-11-20T14:30Z", "2026-11-20T14:30:00Z"),
            ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"),
            ("90m", "2026-09-21T12:43:20Z"), ("6h", "2026-09-21T08:13:20Z"),
            ("3d", "2026-09-18T14:13:20Z"), ("0s", "2026-09-21T14:13:20Z"),
        ])
    func read(_ text: String, _ moment: String) {
        #expect(WrittenMoment.read(text, now: now)?.utcText == moment)
    }

    @Test(
        "nothing else is",
        arguments: [
            "", "d", "-3d", "3w", "3 d", "1e3d", "99999999d", "2026-02-30", "2026-13-01",
            "2026-1-1",
            "2026-11-20T14:30", "2026-11-20T24:00Z", "2026-11-20T14Z", "2026-11-20T14:30:61Z",
            "2026-11-20T14:30+01:00", "2026-11-20 14:30Z", "20261120", "yesterday",
            "\u{FF12}026-11-20",
        ])
    func refused(_ text: String) {
        #expect(WrittenMoment.read(text, now: now) == nil)
    }
}
