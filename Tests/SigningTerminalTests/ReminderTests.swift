// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Testing

@testable import SigningTerminal

@Suite("The summary repeated after a long question")
struct ReminderTests {
    private func reminder(_ headlines: [Summary.Headline], rows: Int) -> [String] {
        let summary = Summary(
            title: "Sign it", headlines: headlines,
            lines: [.init("memo", "long"), .init("dangers", "opaque, new_client")], warnings: [])
        return Summary.reminder(of: summary, rowsMax: rows).split(separator: "\n").map(String.init)
    }

    @Test("the gravest first, flagged lines as well, all dangers, and the number left out")
    func ordered() {
        let all: [Summary.Headline] = [
            .init(.plain, "reads"), .init(.flagged, "does what cannot be read"),
            .init(.value, "sends"), .init(.authority, "gives power"),
        ]
        #expect(
            reminder(all, rows: 12) == [
                "again, because the question is long: Sign it", "  dangers  opaque, new_client",
                "  gives power", "  sends", "  does what cannot be read", "  ... and 1 more above",
            ])
        #expect(
            reminder(all, rows: 4) == [
                "again, because the question is long: Sign it", "  dangers  opaque, new_client",
                "  gives power", "  ... and 3 more above",
            ])
    }

    @Test("one act is its title")
    func single() {
        #expect(
            reminder([.init(.plain, "reads")], rows: 12) == [
                "again, because the question is long: Sign it", "  dangers  opaque, new_client",
            ])
    }
}
