// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Nostr

@Suite("The checks of an event, and of a text")
struct ListTests {
    private func event(
        _ kind: Int, tags: [[String]], content: String = "", at time: Int64 = 1_700_000_000
    ) -> String {
        let list = tags.map { "[" + $0.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
        return #"{"kind":\#(kind),"content":"\#(content)","created_at":\#(time),"#
            + #""tags":[\#(list.joined(separator: ","))]}"#
    }

    private static let key = Note.Subject.key(KeyID("key0"))

    @Test(
        "A list with fewer entries than the last one is flagged",
        arguments: [(2, true), (3, false), (4, false)])
    func shrinking(count: Int, isShrinking: Bool) throws {
        var call = NostrCall()
        let list = event(3, tags: (0..<count).map { ["p", Self.hex($0)] } + [["title", "mine"]])
        let first = try call.use(list)
        #expect(first.operation.dangers == [.replaces])
        #expect(first.notes(about: nil).map(\.subject) == [Self.key, Self.key])
        #expect(first.notes(about: nil).map(\.name) == ["list/3", "private-list/3"])
        #expect(first.notes(about: nil).map(\.value) == [Int64(count), 0])
        call.notes += try call.use(event(3, tags: follows(0..<3))).notes(about: nil)
        let request = try call.use(list)
        #expect(request.operation.dangers.contains(.shrinksList) == isShrinking)
        #expect(request.operation.facts.contains(Fact("list.before", .integer(3))))
        #expect(request.operation.facts.contains(Fact("list.count", .integer(Int128(count)))))
        #expect(request.shown.lines.contains { $0.text.hasPrefix("\(count); 3 when") })
        #expect(
            request.shown.warnings.contains { $0.contains("leave, or may leave") }
                == isShrinking)
        #expect(
            request.shown.headlines.map(\.text)
                == (isShrinking ? ["removes 1 of 3 entries from the list"] : []))
    }

    private func follows(_ numbers: Range<Int>) -> [[String]] {
        numbers.map { ["p", Self.hex($0)] }
    }

    @Test("Lost entries are counted and named, with any replacement and in any order")
    func exchanged() throws {
        var call = NostrCall()
        call.notes += try call.use(event(3, tags: follows(0..<40))).notes(about: nil)
        let padding = [[String]](repeating: ["x", "y"], count: 60)
        let tags = padding + follows(37..<50).reversed() + follows(20..<37) + follows(50..<60)
        let request = try call.use(event(3, tags: tags))
        let operation = request.operation
        #expect(operation.dangers.contains(.shrinksList))
        #expect(operation.facts.contains(Fact("list.count", .integer(40))))
        #expect(operation.facts.contains(Fact("list.gone", .integer(20))))
        #expect(operation.facts.contains(Fact("list.new", .integer(20))))
        let summary = request.shown
        #expect(
            summary.headlines.contains(.init(.flagged, "removes 20 of 40 entries from the list")))
        // The removed entries come before the tags, which would not fit; the details name all.
        let named = summary.lines.prefix(20).filter { $0.label == "removed" }.map(\.text)
        let npub = PublicKeyText.npub([UInt8](repeating: 0, count: 31) + [11])
        #expect(named.count == 13)
        #expect(named.dropLast().last == npub)
        #expect(named.last == "8 more; all are in the details")
        #expect(summary.fullText.contains("removed entries"))
        let again = try call.use(event(3, tags: follows(0..<40).reversed()))
        #expect(!again.operation.dangers.contains(.shrinksList))
        #expect(again.shown.headlines.isEmpty)
    }

    @Test("A list that was signed here before is shown as what is new, with npubs")
    func difference() throws {
        var call = NostrCall()
        let first = try call.use(event(3, tags: follows(0..<200)))
        #expect(first.shown.lines.count { $0.label == "tag" } == 200)
        call.notes += first.notes(about: nil)
        // A relay beside a key may have changed: the list notes only keys.
        let relayed = [["p", Self.hex(5), "wss://relay.example"]]
        let tags = follows(0..<5) + relayed + follows(6..<201)
        let lines = try call.use(event(3, tags: tags)).shown.lines
        let npub = PublicKeyText.npub([UInt8](repeating: 0, count: 31) + [200])
        #expect(lines.filter { $0.label == "added" } == [Summary.Line("added", npub)])
        #expect(
            lines.filter { $0.label == "unchanged" }.map(\.text) == [
                "199 entries are as before; all are in the details"
            ])
        let shown = lines.filter { $0.label == "tag" }.map(\.parts)
        #expect(shown == relayed + [["p", Self.hex(200)]])
    }

    @Test("Entries that are not keys are kept unchanged, and shown as the client's words")
    func words() throws {
        var call = NostrCall()
        let before = [["t", "x, y"], ["word", "\u{e9}"], ["a", "30023:k:d"]]
        call.notes += try call.use(event(10_003, tags: before)).notes(about: nil)
        let request = try call.use(
            event(10_003, tags: [["word", "e\u{301}"], ["a", "30023:k:d"]]))
        #expect(request.operation.facts.contains(Fact("list.gone", .integer(2))))
        #expect(
            request.shown.lines.filter { $0.label == "removed" } == [
                Summary.Line("removed", parts: ["t", "x, y"], by: .client),
                Summary.Line("removed", parts: ["word", "\u{e9}"], by: .client),
            ])
    }

    @Test("Where a list's content is unknown it may lose entries, and no yes is remembered")
    func unknown() throws {
        var call = NostrCall()
        let whole = try #require(
            try call.use(event(3, tags: follows(0..<3))).notes(about: nil).first)
        let details = [[], Array(whole.detail.dropLast()), whole.detail + [1]]
        for detail in details {
            call.notes.append(Note(Self.key, "list/3", 3, detail: detail))
            let request = try call.use(event(3, tags: follows(0..<4)))
            let operation = request.operation
            #expect(operation.dangers.contains(.shrinksList))
            #expect(!operation.facts.contains { $0.name == "list.gone" })
            #expect(operation.undetermined == ["list.gone"])
            #expect(request.shown.headlines.first?.text.hasPrefix("may remove entries") == true)
        }
        call.notes.append(whole)
        #expect(try call.use(event(3, tags: follows(0..<4))).operation.undetermined.isEmpty)
        // An empty list cannot shrink.
        call.notes.append(Note(Self.key, "list/3", 0))
        #expect(try call.use(event(3, tags: [])).operation.dangers == [.replaces])
    }

    @Test("A list of as many keys as an event may have tags is kept whole")
    func longest() throws {
        let keys = (0..<5_000).map { number in
            ["p", String(repeating: "a", count: 60) + String(number + 4_096, radix: 16)]
        }
        var call = NostrCall()
        let list = event(3, tags: keys)
        call.notes += try call.use(list).notes(about: nil)
        #expect(try call.use(list).operation.facts.contains(Fact("list.gone", .integer(0))))
    }

    private static func hex(_ number: Int) -> String {
        String(repeating: "0", count: 62) + (number < 16 ? "0" : "") + String(number, radix: 16)
    }

    @Test("An entry that names no key, or the same twice, does not keep the count of a list")
    func padding() throws {
        var call = NostrCall()
        call.notes += try call.use(event(3, tags: follows(0..<3))).notes(about: nil)
        for padding in [["x", "y"], ["p", ""], ["p"], ["p", "ABC"], ["p", Self.hex(1)]] {
            let tags = [["p", Self.hex(1)]] + [[String]](repeating: padding, count: 50)
            let request = try call.use(event(3, tags: tags))
            #expect(request.operation.dangers.contains(.shrinksList), "\(padding)")
            #expect(request.operation.facts.contains(Fact("list.count", .integer(1))))
        }
    }

    @Test("A list that loses its private entries is flagged, and its next version is not")
    func losingPrivate() throws {
        var call = NostrCall()
        let full = try call.use(event(10_000, tags: [], content: "ciphertext"))
        #expect(full.operation.dangers == [.replaces])
        call.notes += full.notes(about: nil)
        let emptied = try call.use(event(10_000, tags: [["p", Self.hex(1)]]))
        #expect(emptied.operation.dangers.contains(.shrinksList))
        #expect(emptied.shown.lines.contains { $0.text == "gone; 10 bytes before" })
        let shorter = try call.use(event(10_000, tags: [], content: "other"))
        #expect(shorter.operation.dangers.contains(.shrinksList))
        #expect(
            shorter.shown.headlines.contains(
                .init(.flagged, "removes private entries from the list")))
        let kept = try call.use(event(10_000, tags: [], content: "otherwise!"))
        #expect(!kept.operation.dangers.contains(.shrinksList))
        // A note of an earlier version says only that the list had private entries.
        call.notes.append(Note(Self.key, "private-list/10000", 1))
        #expect(try call.use(event(10_000, tags: [])).operation.dangers.count == 2)
    }

    @Test("Sets are distinguished by their name, and other kinds leave no note")
    func sets() throws {
        let request = try NostrCall().use(event(30_000, tags: [["d", "friends"], ["t", "x"]]))
        #expect(request.notes(about: nil).first?.name == "list/30000/friends")
        #expect(
            request.shown.lines.contains(Summary.Line("named", "friends", by: .client)))
        #expect(try NostrCall().use(event(1, tags: [["p", "x"]])).notes(about: nil).isEmpty)
        #expect(try NostrCall().use(event(30_023, tags: [["d", "x"]])).notes(about: nil).isEmpty)
        let long = String(repeating: "n", count: 257)
        #expect(try NostrCall().use(event(30_000, tags: [["d", long]])).notes(about: nil).isEmpty)
    }

    @Test(
        "The class of an encrypted text is reported, in doubt as unknown",
        arguments: [
            ("hello", "text"), ("{}", "text"), (#" {"a":1}"#, "text"), ("[]", "tags"),
            (#"[["p","x"],["e"]]"#, "tags"), (#"{"kind":1,"content":"x"}"#, "event"),
            // Only some JSON parsers read these texts, or none does, so a rule about texts does not
            // match them.
            (#" {"kind":14,"content":"x"}"#, "event"), ("\n[[\"p\",\"x\"]]", "tags"),
            (#"{"kind":14.0,"content":"x"}"#, nil), (#"{"kind":1,"kind":14,"content":"x"}"#, nil),
            (#"{"kind":"1","content":"x"}"#, nil), (#"{"kind":1,"content":"x""#, nil),
            (#"{"kind":1e1,"content":"x"}"#, nil), ("\u{FEFF}{\"kind\":1,\"content\":\"x\"}", nil),
            ("\u{200B}{\"kind\":1}", nil), ("[1]", nil), ("[[]]", nil), ("[not JSON", nil),
            (#""{\"kind\":1}""#, nil), (#"{"kind":1}"#, nil),
        ] as [(String, String?)])
    func plaintextClass(text: String, name: String?) throws {
        let request = try NostrCall().use(.nip44Encrypt, text)
        let facts = request.operation.facts
        #expect(facts.first { $0.name == "plaintext.class" }?.value == name.map { .text($0) })
        #expect(request.operation.undetermined == (name == nil ? ["plaintext.class"] : []))
        let label = try #require(request.shown.lines.first { $0.label == "kind" }).text
        #expect(label.hasPrefix("unclear") == (name == nil))
    }

    @Test(
        "a deadline that is close is shown, without an age that grows while it is read",
        arguments: [
            (27_235, 0, nil, 60), (27_235, -59, nil, 1), (27_235, -61, nil, nil),
            (22_242, -30, nil, 570), (24_242, 0, 300, 299), (24_242, 0, 4_000, 600),
            (1, 0, nil, nil), (1, 0, 120, 119), (1, 0, -5, nil), (27_235, 0, -5, 60),
        ] as [(Int, Int64, Int64?, Int64?)])
    func ownTime(kind: Int, dated: Int64, expires: Int64?, left: Int64?) throws {
        let now = NostrCall.now.seconds
        let tags = expires.map { [["expiration", String(now + $0)]] } ?? []
        let use = try NostrCall().use(event(kind, tags: tags, at: now + dated))
        let terms = use.terms(of: nil, pace: Pace())
        #expect(terms.expires?.seconds == left.map { now + $0 })
        let line = use.shown.lines.first { $0.label == "useful until" }?.text
        #expect(line?.prefix(20) == terms.expires?.utcText.prefix(20))
        #expect(!use.shown.lines.contains { $0.text.contains("seconds ago") })
    }
}
