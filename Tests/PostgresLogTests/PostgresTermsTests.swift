// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningStorage
import Testing

@testable import PostgresLog

@Suite("Terms of a shared log")
struct PostgresTermsTests {
    @Test(
        "how many replicas a commit waits for",
        arguments: [
            ("", 0), ("two", 1), ("two,three", 1), ("\"two\"", 1), ("*", 1), ("1 (two)", 1),
            ("2 (two, three)", 2), ("FIRST 2 (a,b,c)", 2), ("ANY 3 (a,b,c)", 3), ("any 1(*)", 1),
            ("first1(a)", 0), ("ANY x (a)", 0), ("()", 0), (" ", 0),
        ])
    func replicas(names: String, count: Int) {
        #expect(PostgresTerms.replicaCount(in: names) == count)
    }

    @Test("asynchronous replicas are refused, unless that is accepted")
    func durability() throws {
        func row(_ names: String, _ sync: String, _ pages: String, _ count: Int64) -> PostgresRow {
            PostgresRow(values: [.text(names), .text(sync), .text(pages), .long(count)])
        }
        let good = [row("", "on", "on", 0), row("two", "on", "on", 1), row("two", "on", "on", 3)]
        for row in good {
            try PostgresTerms.checkDurability([row], replicas: 0, mayLoseLast: false)
        }
        try PostgresTerms.checkDurability(
            [row("", "on", "on", 2)], replicas: 0, mayLoseLast: true)
        for (row, replicas, mayLose) in [
            (row("", "on", "on", 1), 0, false), (row("", "on", "on", 0), 1, false),
            (row("two", "on", "on", 1), 2, false), (row("", "off", "on", 0), 0, true),
            (row("two", "on", "off", 1), 1, false),
        ] {
            #expect(throws: PostgresError.self) {
                try PostgresTerms.checkDurability(
                    [row], replicas: replicas, mayLoseLast: mayLose)
            }
        }
    }

    @Test("clocks may be a little apart")
    func clocks() throws {
        try PostgresTerms.checkClock(10_000, earliest: 10_000, latest: 10_000)
        try PostgresTerms.checkClock(10_000, earliest: 14_999, latest: 15_100)
        try PostgresTerms.checkClock(10_000, earliest: 4_000, latest: 5_001)
        // The time between the two readings is unknown.
        try PostgresTerms.checkClock(10_000, earliest: 0, latest: 20_000)
    }

    @Test(
        "clocks that are further apart are refused",
        arguments: [
            (10_000, 15_000, 16_000), (10_000, 4_000, 5_000), (Int64.min, 0, 1),
            (Int64.max, -1, 0), (0, Int64.max, Int64.max), (Int64.min, Int64.max, Int64.max),
        ] as [(Int64, Int64, Int64)])
    func wrongClocks(server: Int64, earliest: Int64, latest: Int64) {
        #expect(throws: PostgresError.self) {
            try PostgresTerms.checkClock(server, earliest: earliest, latest: latest)
        }
    }

    static let samples: [PostgresValue] = [
        .short(0), .short(.min), .short(.max), .short(-2), .long(0), .long(.min), .long(.max),
        .long(-2), .bytes([]), .bytes([0, 255]), .text(""), .text("t\u{e9}xt"),
    ]

    @Test("values come back as they went", arguments: samples)
    func roundTrip(value: PostgresValue) {
        #expect(PostgresValue(value.wire, of: value.type) == value)
    }

    @Test("integers go as the network has them")
    func bigEndian() {
        #expect(PostgresValue.short(0x0102_0304).wire == [1, 2, 3, 4])
        #expect(PostgresValue.long(0x0102_0304_0506_0708).wire == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test(
        "bytes that are not a value of a type",
        arguments: [
            (.short, []), (.short, [0, 0, 0]), (.short, [0, 0, 0, 0, 0]),
            (.long, [0, 0, 0, 0]), (.long, Array(repeating: 0, count: 9)),
            (.text, [0xff]), (.text, [0xc3]), (.text, [0xed, 0xa0, 0x80]),
        ] as [(PostgresType, [UInt8])])
    func noValues(type: PostgresType, bytes: [UInt8]) {
        #expect(PostgresValue(bytes, of: type) == nil)
    }

    @Test("a server's message is printed on one line")
    func clipped() {
        #expect("a\nb\tc\u{1b}[0m\u{7f}".clipped == "a b c?[0m?")
        #expect(String(repeating: "\u{e9}", count: 400).clipped.utf8.count == 300)
    }

    @Test("no value is part of a statement's text")
    func statements() throws {
        let schema = PostgresSchema(try PostgresAddress("postgresql://hub@/team?host=/run"))
        let batch = LogBatch(
            previous: .origin, hub: 77_777, version: 88_888, body: [1], signature: [2])
        let query = schema.appending(batch, at: batch.place)
        #expect(!query.sql.contains("77777"))
        #expect(query.arguments.count == 8)
        for number in 1...8 { #expect(query.sql.contains("$\(number)")) }
        // Prepared statements are distinguished by name, and each name has one text.
        let all = PostgresTerms.prepared + schema.prepared
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(all.allSatisfy { !$0.name.isEmpty })
    }

    @Test("errors are plain, and only detected damage is corruption")
    func errors() {
        let plain = PostgresError.refused(state: "53300", text: "x").ledgerError
        #expect(
            plain
                == .unavailable(
                    "the database has no free connection: raise its limit, or close other "
                        + "connections"))
        let other = PostgresError.refused(state: "XX000", text: "x").ledgerError
        #expect(other == .unavailable(#"the database refuses (XX000), and says "x""#))
        guard case .corruptLog = PostgresError.strange("a null").ledgerError else {
            Issue.record("a strange answer is corruption")
            return
        }
    }
}
