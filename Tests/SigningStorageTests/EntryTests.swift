// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import TestHome
import Testing
import VectorFiles

@testable import SigningStorage

@Suite("The body of an entry")
struct EntryTests {
    private static let reason = Reason(.keyUnavailable, "locked \"\u{1}\"", rule: nil)
    private static let settlements: [Settlement] = [
        .done(resultDigests: []),
        .done(
            resultDigests: [[1, 2], [255]],
            remembers: [SealedGrant(GrantTests.grant(), seal: [7])],
            connections: [.ends(id: [3]), .forgets(SessionTests.app, ProtocolID("near"))],
            broadcast: Broadcast(
                network: "testnet", items: [.init(id: "one", sender: "a", bytes: [])]),
            identifiers: ["note1", "\u{E9}"]),
        .notUsed(reason), .failed(reason),
    ]

    /// Bodies as programs of earlier formats wrote them, by name.
    private static var fixtures: [(name: String, body: [UInt8])] {
        get throws {
            let members = try VectorFile.load("Vectors/record/entries.json").object?.members ?? []
            return members.map { ($0.name, Array(($0.value.text ?? "").utf8)) }
        }
    }

    @Test("is JSON without white space whose names are in order, with any content")
    func form() throws {
        let windows: [LimitWindow] = [
            .sliding(seconds: 60), .since(Timestamp(seconds: -1)), .ever,
        ]
        let claims = windows.map { LimitClaim(counter: "a", window: $0, maximum: 9, amount: 1) }
        let long = String(repeating: "\u{E9}", count: Entry.textMax + 1)
        let intents = [
            makeIntent(),
            makeIntent(
                claims: claims, token: ReplayToken([1], isSingleUse: true), method: long,
                grants: [GrantTests.grant()],
                serials: [SerialUse(series: "s", number: .max)]),
        ]
        let entries: [Entry] =
            intents.map { .intent(IntentEntry($0)) }
            + Self.settlements.map { .result(ResultEntry($0, of: [5])) }
            + [.refusal(RefusalEntry(makeRefusal(remembers: [GrantTests.grant()])))]
        for entry in entries {
            let draft = EntryDraft(entry, at: Timestamp(seconds: 8))
            let body = draft.body(at: Timestamp(seconds: 9))
            let json = try JSON.parse(body.span)
            #expect(json["kind"]?.text == entry.kind.rawValue)
            #expect(json["time"]?.integerValue == 9 && json["clock"]?.integerValue == 8)
            #expect(Self.ordered(json).write() == body)
            let expected = EntryBody(
                clock: Timestamp(seconds: 8), time: Timestamp(seconds: 9), entry: entry)
            #expect(try EntryBody(body) == expected)
            #expect(expected.bytes == body)
        }
        let text = try JSON.parse(intents[1].draft.body(at: Timestamp(seconds: 9)).span)
        #expect(text["method"]?.text?.unicodeScalars.count == Entry.textMax)
        #expect(text["claims"]?.list?.count == 3 && text["serials"]?.list?.count == 1)
    }

    @Test("has the bytes that it had in every format")
    func formats() throws {
        let fixtures = try Self.fixtures
        var kinds: Set<AuditKind> = []
        for (name, body) in fixtures {
            let read = try EntryBody(body)
            #expect(read.bytes == body, "\(name)")
            kinds.insert(read.entry.kind)
        }
        #expect(kinds == Set(AuditKind.allCases))
    }

    @Test("states the used amounts between its time and its end")
    func used() throws {
        let intent = makeIntent(claims: [.count()])
        let body = intent.draft.body(at: Timestamp(seconds: 9), used: [2])
        #expect(String(decoding: body, as: UTF8.self).hasSuffix(#","time":9,"used":["2"]}"#))
        guard case .intent(let read) = try EntryBody(body).entry else {
            Issue.record("not an intent")
            return
        }
        #expect(read.used == [2] && read.claims == intent.claims)
    }

    @Test("is refused when anything is cut off, added or doubled")
    func strict() throws {
        for (name, body) in try Self.fixtures {
            for count in body.indices {
                #expect(throws: EntryError.self, "\(name), \(count) bytes") {
                    try EntryBody(Array(body[..<count]))
                }
            }
            for more in [" ", "}", "\n", "\0"] {
                #expect(throws: EntryError.self, "\(name)") { try EntryBody(body + more.utf8) }
            }
            let text = String(decoding: body, as: UTF8.self)
            let first = text.dropFirst().prefix { $0 != "," }
            let changed = [
                text.replacing(#""clock":5"#, with: #""clock":5,"clock":5"#),
                text.replacing(#""clock":5"#, with: #""clock": 5"#),
                text.replacing(#""clock":5"#, with: #""clock":05"#),
                text.replacing(#""clock":5"#, with: #""clock":"5""#),
                text.replacing(#""clock":5"#, with: #""clock":5.0"#),
                text.replacing(#""clock":5,"#, with: #""clock":5,"clocks":5,"#),
                text.replacing(#","time":6"#, with: ""),
                text.replacing(#""time":6"#, with: #""time":null"#),
                "{\(first),\(first)" + text.dropFirst(first.utf8.count + 1),
            ]
            for other in changed where other != text {
                #expect(throws: EntryError.self, "\(other)") { try EntryBody(Array(other.utf8)) }
            }
        }
    }

    @Test(
        "is refused in another spelling",
        arguments: [
            (#""reason":"a""#, #""reason":"\u0061""#), (#""reason":"a""#, #""reason":"\/""#),
            (#""reason":"a""#, #""reason":"\u000a""#), (#""reason":"a""#, #""reason":"\u001F""#),
            (#""reason":"a""#, #""reason":"\x""#), (#""reason":"a""#, "\"reason\":\"\u{1}\""),
            (#""reason":"a""#, #""reason":null"#), (#""reason":"a""#, #""reason":["a"]"#),
            (#""kind":"freeze""#, #""kind":"thaw""#), (#""kind":"freeze""#, #""kind":"none""#),
            (#""kind":"freeze","#, ""), (#""time":6"#, #""time":-0"#),
            (#""time":6"#, #""time":+6"#), (#""time":6"#, #""time":6e0"#),
            (#""time":6"#, #""time":9223372036854775808"#), (#""clock":5,"kind""#, #""kind""#),
        ])
    func spelling(part: String, other: String) throws {
        let body = #"{"clock":5,"kind":"freeze","reason":"a","time":6}"#
        #expect(throws: Never.self) { try EntryBody(Array(body.utf8)) }
        let changed = body.replacing(part, with: other)
        #expect(changed != body)
        #expect(throws: EntryError.self) { try EntryBody(Array(changed.utf8)) }
    }

    @Test("may have lists in facts that are as deep as the reader's stack allows, and no deeper")
    func depth() throws {
        func body(_ depth: Int) -> [UInt8] {
            var value = FactValue.bool(true)
            for _ in 0..<depth { value = .list([value]) }
            var entry = IntentEntry(makeIntent())
            entry.request.facts = [[Fact("a", value)]]
            return EntryDraft(.intent(entry), at: Timestamp(seconds: 1))
                .body(at: Timestamp(seconds: 1))
        }
        #expect(throws: Never.self) { try EntryBody(body(EntryReader.depthMax)) }
        #expect(throws: EntryError.self) { try EntryBody(body(EntryReader.depthMax + 1)) }
    }

    /// An equal value in which every object's members are sorted by the bytes of their names.
    private static func ordered(_ json: JSON) -> JSON {
        switch json {
        case .array(let elements): .array(elements.map(ordered))
        case .object(let object):
            .sorted(
                Dictionary(
                    uniqueKeysWithValues: object.members.map { ($0.name, ordered($0.value)) }))
        default: json
        }
    }
}
