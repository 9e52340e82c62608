// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Testing

@Suite("Times for people")
struct TimestampTests {
    @Test(
        "are written in UTC by the calendar",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (1_790_000_000, "2026-09-21T14:13:20Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
            (-86_400, "1969-12-31T00:00:00Z"),
        ])
    func times(seconds: Int64, text: String) {
        #expect(Timestamp(seconds: seconds).utcText == text)
    }

    @Test("can be shown, with any content", arguments: [Int64.min, .max])
    func extremes(seconds: Int64) {
        #expect(Timestamp(seconds: seconds).utcText.hasSuffix("Z"))
    }
}
