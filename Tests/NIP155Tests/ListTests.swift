// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
import SigningCore
import Testing

@testable import NIP155

@Suite("What a request is held against")
struct ListTests {
    private func event(_ kind: Int, tags: [[String]], content: String = "") -> String {
        let list = tags.map { "[" + $0.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
        return requestURL(
            "sign_event",
            [
                "event":
                    #"{"kind":\#(kind),"content":"\#(content)","created_at":1700000000,"#
                    + #""tags":[\#(list.joined(separator: ","))]}"#
            ])
    }

    private static let key = Note.Subject.key(KeyID("key0"))

    @Test(
        "A list with fewer entries than the last one is flagged",
        arguments: [(2, true), (3, false), (4, false)])
    func shrinking(count: Int, isShrinking: Bool) throws {
        var rig = Rig()
        let url = event(3, tags: (0..<count).map { ["p", Self.hex($0)] } + [["title", "mine"]])
        let first = try rig.decode(url)
        #expect(first.operations[0].dangers == [.replaces])
        #expect(first.terms.notes.map(\.subject) == [Self.key, Self.key])
        #expect(first.terms.notes.map(\.name) == ["list/3", "private-list/3"])
        #expect(first.terms.notes.map(\.value) == [Int64(count), 0])
        rig.notes += try rig.decode(event(3, tags: follows(0..<3))).terms.notes
        let request = try rig.decode(url)
        #expect(request.operations[0].dangers.contains(.shrinksList) == isShrinking)
        #expect(request.operations[0].facts.contains(Fact("list.before", .integer(3))))
        #expect(request.operations[0].facts.contains(Fact("list.count", .integer(Int128(count)))))
        #expect(request.summary.lines.contains { $0.text.hasPrefix("\(count); 3 when") })
        #expect(
            request.summary.warnings.contains { $0.contains("loses, or may lose") }
                == isShrinking)
        #expect(
            request.summary.headlines.map(\.text)
                == (isShrinking ? ["takes 1 of 3 entries off the list"] : []))
    }

    private func follows(_ numbers: Range<Int>) -> [[String]] {
        numbers.map { ["p", Self.hex($0)] }
    }

    @Test("What goes is counted and named, whatever comes in its place and in whatever order")
    func exchanged() throws {
        var rig = Rig()
        rig.notes += try rig.decode(event(3, tags: follows(0..<40))).terms.notes
        let padding = [[String]](repeating: ["x", "y"], count: 60)
        let tags = padding + follows(37..<50).reversed() + follows(20..<37) + follows(50..<60)
        let request = try rig.decode(event(3, tags: tags))
        let operation = request.operations[0]
        #expect(operation.dangers.contains(.shrinksList))
        #expect(operation.facts.contains(Fact("list.count", .integer(40))))
        #expect(operation.facts.contains(Fact("list.gone", .integer(20))))
        #expect(operation.facts.contains(Fact("list.new", .integer(20))))
        let summary = request.summary
        #expect(
            summary.headlines.contains(.init(.flagged, "takes 20 of 40 entries off the list")))
        // They stand before the tags, which would push them out, and the details name all.
        let named = summary.lines.prefix(20).filter { $0.label == "goes" }.map(\.text)
        let npub = PublicKeyText.npub([UInt8](repeating: 0, count: 31) + [11])
        #expect(named.count == 13)
        #expect(named.dropLast().last == npub)
        #expect(named.last == "8 more; the details name all")
        #expect(summary.fullText.contains("entries that go"))
        let again = try rig.decode(event(3, tags: follows(0..<40).reversed()))
        #expect(!again.operations[0].dangers.contains(.shrinksList))
        #expect(again.summary.headlines.isEmpty)
    }

    @Test("Entries that are no keys are kept as they are, and shown as the client's words")
    func words() throws {
        var rig = Rig()
        let before = [["t", "x, y"], ["word", "\u{e9}"], ["a", "30023:k:d"]]
        rig.notes += try rig.decode(event(10_003, tags: before)).terms.notes
        let request = try rig.decode(
            event(10_003, tags: [["word", "e\u{301}"], ["a", "30023:k:d"]]))
        #expect(request.operations[0].facts.contains(Fact("list.gone", .integer(2))))
        #expect(
            request.summary.lines.filter { $0.label == "goes" } == [
                Summary.Line("goes", parts: ["t", "x, y"], by: .client),
                Summary.Line("goes", parts: ["word", "\u{e9}"], by: .client),
            ])
    }

    @Test("Where what a list held is not known, it may lose entries, and no yes is remembered")
    func unknown() throws {
        var rig = Rig()
        let whole = try #require(try rig.decode(event(3, tags: follows(0..<3))).terms.notes.first)
        let details = [[], Array(whole.detail.dropLast()), whole.detail + [1]]
        for detail in details {
            rig.notes.append(Note(Self.key, "list/3", 3, detail: detail))
            let request = try rig.decode(event(3, tags: follows(0..<4)))
            let operation = request.operations[0]
            #expect(operation.dangers.contains(.shrinksList))
            #expect(!operation.facts.contains { $0.name == "list.gone" })
            #expect(operation.undetermined == ["list.gone"])
            #expect(request.summary.headlines.first?.text.hasPrefix("may take entries") == true)
        }
        rig.notes.append(whole)
        #expect(try rig.decode(event(3, tags: follows(0..<4))).operations[0].undetermined.isEmpty)
        // Nothing can go from what was empty.
        rig.notes.append(Note(Self.key, "list/3", 0))
        #expect(try rig.decode(event(3, tags: [])).operations[0].dangers == [.replaces])
    }

    @Test("A list of as many keys as an event may have tags is kept whole")
    func longest() throws {
        let keys = (0..<5_000).map { number in
            ["p", String(repeating: "a", count: 60) + String(number + 4_096, radix: 16)]
        }
        var rig = Rig()
        let url = event(3, tags: keys)
        rig.notes += try rig.decode(url).terms.notes
        #expect(try rig.decode(url).operations[0].facts.contains(Fact("list.gone", .integer(0))))
    }

    private static func hex(_ number: Int) -> String {
        String(repeating: "0", count: 62) + (number < 16 ? "0" : "") + String(number, radix: 16)
    }

    @Test("What names nobody, or the same twice, does not keep the count of a list")
    func padding() throws {
        var rig = Rig()
        rig.notes += try rig.decode(event(3, tags: follows(0..<3))).terms.notes
        for padding in [["x", "y"], ["p", ""], ["p"], ["p", "ABC"], ["p", Self.hex(1)]] {
            let tags = [["p", Self.hex(1)]] + [[String]](repeating: padding, count: 50)
            let request = try rig.decode(event(3, tags: tags))
            #expect(request.operations[0].dangers.contains(.shrinksList), "\(padding)")
            #expect(request.operations[0].facts.contains(Fact("list.count", .integer(1))))
        }
    }

    @Test("A list that loses its private entries is flagged, and its next version is not")
    func losingPrivate() throws {
        var rig = Rig()
        let full = try rig.decode(event(10_000, tags: [], content: "ciphertext"))
        #expect(full.operations[0].dangers == [.replaces])
        rig.notes += full.terms.notes
        let emptied = try rig.decode(event(10_000, tags: [["p", Self.hex(1)]]))
        #expect(emptied.operations[0].dangers.contains(.shrinksList))
        #expect(emptied.summary.lines.contains { $0.text == "gone; 10 bytes before" })
        let shorter = try rig.decode(event(10_000, tags: [], content: "other"))
        #expect(shorter.operations[0].dangers.contains(.shrinksList))
        #expect(
            shorter.summary.headlines.contains(
                .init(.flagged, "takes private entries off the list")))
        let kept = try rig.decode(event(10_000, tags: [], content: "otherwise!"))
        #expect(!kept.operations[0].dangers.contains(.shrinksList))
        // As a version before noted it: that there was something.
        rig.notes.append(Note(Self.key, "private-list/10000", 1))
        #expect(try rig.decode(event(10_000, tags: [])).operations[0].dangers.count == 2)
    }

    @Test("Sets are told apart by their name, and what is no list leaves no note")
    func sets() throws {
        let request = try Rig().decode(event(30_000, tags: [["d", "friends"], ["t", "x"]]))
        #expect(request.terms.notes.first?.name == "list/30000/friends")
        #expect(
            request.summary.lines.contains(Summary.Line("named", "friends", by: .client)))
        #expect(try Rig().decode(event(1, tags: [["p", "x"]])).terms.notes.isEmpty)
        #expect(try Rig().decode(event(30_023, tags: [["d", "x"]])).terms.notes.isEmpty)
        let long = String(repeating: "n", count: 257)
        #expect(try Rig().decode(event(30_000, tags: [["d", long]])).terms.notes.isEmpty)
    }

    @Test("An account without a key that signs events is chosen by nobody")
    func otherAlgorithms() throws {
        let key = [UInt8](repeating: 3, count: 32)
        let shared = Account(
            id: KeyID("shared"), name: "shared", protocolID: ProtocolID("nostr"),
            algorithm: .multisig, publicKey: key, address: Hex.encode(key.span), network: nil,
            multisig: MultisigMembers(version: 1, threshold: 1, keys: [key]))
        var rig = Rig()
        rig.others = [shared]
        let plain = requestURL("get_public_key", [:])
        #expect(try rig.decode(plain).use.account.name == "account0")
        #expect(throws: AdapterError.self) {
            try rig.decode(requestURL("get_public_key", ["current_user": shared.address]))
        }
        rig.notes.append(
            Note(.client("myapp", .callback), "account", 0x0303_0303_0303_0303))
        #expect(try rig.decode(plain).use.account.name == "account0")
        rig.secrets = []
        #expect(throws: AdapterError.self) { try rig.decode(plain) }
    }

    @Test("A client that was told of an account is answered with it from then on")
    func boundAccount() throws {
        var rig = Rig(secrets: [Rig.aliceSecret, Rig.bobSecret])
        let ask = requestURL("get_public_key", ["current_user": Rig.bobHex])
        let told = try #require(try rig.decode(ask).terms.notes.first)
        #expect(told.subject == .client("myapp", .callback))
        let plain = requestURL("get_public_key", [:])
        #expect(try rig.decode(plain).use.account.name == "account0")
        rig.notes.append(told)
        #expect(try rig.decode(plain).use.account.name == "account1")
        let other = requestURL("get_public_key", ["current_user": Rig.aliceHex])
        rig.notes += try rig.decode(other).terms.notes
        #expect(try rig.decode(plain).use.account.name == "account0")
        rig.notes.append(Note(told.subject, told.name, 5))
        #expect(try rig.decode(plain).use.account.name == "account0")
        // What the request itself names goes before.
        #expect(try rig.decode(ask).use.account.name == "account1")
        let elsewhere = requestURL(
            "get_public_key", [:], success: "other://x", error: nil)
        #expect(try rig.decode(elsewhere).use.account.name == "account0")
    }

    @Test(
        "The class of a text that is encrypted is told, and in doubt none",
        arguments: [
            ("hello", "text"), ("{}", "text"), (#" {"a":1}"#, "text"), ("[]", "tags"),
            (#"[["p","x"],["e"]]"#, "tags"), (#"{"kind":1,"content":"x"}"#, "event"),
            // Read by JavaScript, by others, or by nobody: a rule for texts covers none of them.
            (#" {"kind":14,"content":"x"}"#, "event"), ("\n[[\"p\",\"x\"]]", "tags"),
            (#"{"kind":14.0,"content":"x"}"#, nil), (#"{"kind":1,"kind":14,"content":"x"}"#, nil),
            (#"{"kind":"1","content":"x"}"#, nil), (#"{"kind":1,"content":"x""#, nil),
            (#"{"kind":1e1,"content":"x"}"#, nil), ("\u{FEFF}{\"kind\":1,\"content\":\"x\"}", nil),
            ("\u{200B}{\"kind\":1}", nil), ("[1]", nil), ("[[]]", nil), ("[not JSON", nil),
            (#""{\"kind\":1}""#, nil), (#"{"kind":1}"#, nil),
        ] as [(String, String?)])
    func plaintextClass(text: String, name: String?) throws {
        let url = requestURL("nip44_encrypt", ["plaintext": text, "pubkey": Rig.bobHex])
        let request = try Rig().decode(url)
        let facts = request.operations[0].facts
        #expect(facts.first { $0.name == "plaintext.class" }?.value == name.map { .text($0) })
        #expect(request.operations[0].undetermined == (name == nil ? ["plaintext.class"] : []))
        let label = try #require(request.summary.lines.first { $0.label == "is" }).text
        #expect(label.hasPrefix("in doubt") == (name == nil))
    }

    @Test("A homepage elsewhere makes a request good for one time")
    func oneTime() throws {
        let url = requestURL(
            "get_public_key", ["client_url": "https://b.example"], success: "https://a.example/",
            error: nil)
        #expect(try Rig().decode(url).terms.isOneTime)
        let same = requestURL(
            "get_public_key", ["client_url": "https://a.example"], success: "https://a.example/",
            error: nil)
        #expect(try !Rig().decode(same).terms.isOneTime)
    }

    @Test("The age of an HTTP login is shown")
    func age() throws {
        let lines = try Rig().decode(event(27_235, tags: [["u", "https://a.example"]])).summary
            .lines
        #expect(lines.contains(Summary.Line("dated", "100 seconds ago")))
    }
}
