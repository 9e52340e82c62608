// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningTesting
import TestHome
import Testing

/// Changes each member of an allowed request; if the person saw it and it may not vary, the hub
/// must ask again.
@Suite("Scope of a remembered yes for Nostr")
struct RememberedNostrTests {
    private static let time = 1_795_219_200
    private static let one = String(repeating: "1", count: 64)
    private static let two = String(repeating: "2", count: 64)
    private static let bob = "fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a1460297556"
    private static let carol = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

    struct Case: CustomTestStringConvertible {
        let name: String
        let url: String
        /// The URLs that are answered without a question.
        var covered: [String] = []
        /// The URLs about which a person is asked.
        var asked: [String] = []
        var testDescription: String { name }
    }

    private static func event(
        _ kind: Int, _ tags: [[String]], content: String = "hello", at time: Int = time,
        client: String = "https://app.example", account: String? = nil
    ) -> String {
        let tags = JSON.array(tags.map { .array($0.map { .string($0) }) })
        let event = JSON.object(
            JSONObject([
                .init(name: "kind", value: .integer(Int64(kind))),
                .init(name: "content", value: .string(content)),
                .init(name: "tags", value: tags),
                .init(name: "created_at", value: .integer(Int64(time))),
            ]))
        let text = String(decoding: event.write(), as: UTF8.self)
        return url("sign_event", ["event": text], client: client)
    }

    private static func url(
        _ method: String, _ parameters: KeyValuePairs<String, String>,
        client: String = "https://app.example"
    ) -> String {
        "nostrsigner://\(method)?type=\(method)&x-success=\(PercentEncoding.encode(client))"
            + parameters.map { "&\($0.key)=\(PercentEncoding.encode($0.value))" }.joined()
    }

    private static func encrypt(_ text: String, to peer: String = bob) -> String {
        url("nip44_encrypt", ["plaintext": text, "pubkey": peer])
    }

    private static let cases = [
        Case(
            name: "a reply",
            url: event(1, [["p", one], ["e", two, "wss://r.example"], ["t", "a"]]),
            covered: [
                event(1, [["p", one], ["e", two, "wss://r.example"], ["t", "b"], ["t", "c"]]),
                event(1, [["p", one], ["e", two, "wss://r.example"]], content: "bye"),
                event(1, [["p", one], ["e", two, "wss://r.example"]], at: time - 90),
            ],
            asked: [
                event(1, [["p", two], ["e", two, "wss://r.example"]]),
                event(1, [["p", one], ["p", two], ["e", two, "wss://r.example"]]),
                event(1, [["p", one], ["e", one, "wss://r.example"]]),
                event(1, [["p", one], ["e", two, "wss://other.example"]]),
                event(1, [["e", two, "wss://r.example"], ["p", one]]),
                event(1, [["p", one]]), event(7, [["p", one], ["e", two, "wss://r.example"]]),
                event(1, [["p", one], ["e", two, "wss://r.example"]], at: time + 86_400),
                event(
                    1, [["p", one], ["e", two, "wss://r.example"]], client: "https://b.example"),
                event(1, [["p", one], ["e", two, "wss://r.example"]], content: "a\u{202E}b"),
            ]),
        Case(
            name: "a relay login",
            url: event(22_242, [["relay", "wss://r.example"], ["challenge", "1"]]),
            covered: [event(22_242, [["relay", "wss://r.example"], ["challenge", "2"]])],
            asked: [
                event(22_242, [["relay", "wss://bank.example"], ["challenge", "1"]]),
                event(22_242, [["relay", "wss://r.example"], ["relay", "wss://bank.example"]]),
                event(22_242, [["relay", "wss://r.example"]], at: time - 601),
                event(22_242, [["relay", "wss://r.example"], ["t", "x"]]),
            ]),
        // Other readers may take the second relay from this event, so the answer is not remembered.
        Case(
            name: "a relay login with two relays",
            url: event(22_242, [["relay", "wss://r.example"], ["relay", "wss://s.example"]]),
            asked: [
                event(22_242, [["relay", "wss://r.example"], ["relay", "wss://s.example"]]),
                event(22_242, [["relay", "wss://bank.example"]]),
            ]),
        Case(
            name: "a relay login with user information",
            url: event(22_242, [["relay", "wss://r.example@bank.example"]]),
            asked: [event(22_242, [["relay", "wss://r.example@bank.example"]])]),
        Case(
            name: "an HTTP login",
            url: event(27_235, [["u", "https://a.example/x"], ["method", "GET"]]),
            covered: [
                event(27_235, [["u", "https://a.example/x"], ["method", "GET"]], at: time - 60),
                event(27_235, [["u", "https://a.example/x"], ["method", "GET"]], at: time + 60),
            ],
            asked: [
                event(27_235, [["u", "https://a.example/y"], ["method", "GET"]]),
                event(27_235, [["u", "https://b.example/x"], ["method", "GET"]]),
                event(27_235, [["u", "https://a.example/x"], ["method", "POST"]]),
                event(
                    27_235, [["u", "https://a.example/x"], ["method", "GET"], ["payload", one]]),
                event(27_235, [["u", "https://a.example/x"], ["method", "GET"]], at: time - 61),
                event(27_235, [["u", "https://a.example/x"], ["method", "GET"]], at: time + 61),
                event(
                    27_235, [["u", "https://a.example/x"], ["method", "GET"]],
                    at: time + 157_680_000),
                event(
                    27_235,
                    [
                        ["u", "https://a.example/x"], ["u", "https://b.example"],
                        ["method", "GET"],
                    ]),
            ]),
        Case(
            name: "an HTTP login from the future",
            url: event(
                27_235, [["u", "https://a.example/x"], ["method", "GET"]], at: time + 3_600),
            asked: [
                event(
                    27_235, [["u", "https://a.example/x"], ["method", "GET"]], at: time + 3_600),
                event(
                    27_235, [["u", "https://a.example/x"], ["method", "GET"]], at: time + 7_200),
            ]),
        Case(
            name: "an app's data", url: event(30_078, [["d", "app"], ["x", "1"]]),
            covered: [event(30_078, [["d", "app"], ["x", "1"]], at: time + 60)],
            asked: [
                event(30_078, [["d", "app"], ["x", "1"]], content: "other"),
                event(30_078, [["d", "other"], ["x", "1"]]), event(30_078, [["x", "1"]]),
                event(30_078, [["d", "app"], ["x", "2"]]),
            ]),
        Case(
            name: "a product", url: event(30_018, [["d", "a"]], content: #"{"price":100}"#),
            asked: [event(30_018, [["d", "a"]], content: #"{"price":1}"#)]),
        Case(
            name: "a profile", url: event(0, [], content: #"{"lud16":"me@a.example"}"#),
            covered: [event(0, [], content: #"{"lud16":"me@a.example"}"#, at: time + 60)],
            asked: [event(0, [], content: #"{"lud16":"thief@a.example"}"#)]),
        Case(
            name: "a list of interests", url: event(10_015, [["t", "a"]]),
            asked: [event(10_015, [["t", "a"], ["t", "b"]])]),
        Case(
            name: "a deletion", url: event(5, [["e", one]]), asked: [event(5, [["e", one]])]),
        Case(
            name: "a payment by remote wallet", url: event(23_194, [["p", one]]),
            asked: [event(23_194, [["p", one]])]),
        Case(
            name: "a text for Bob", url: encrypt("hi"), covered: [encrypt("other text")],
            asked: [
                encrypt("hi", to: carol), encrypt(#"{"kind":14,"content":"x"}"#),
                encrypt(" {\"kind\":14.0,\"content\":\"x\"}"), encrypt(#"[["p","x"]]"#),
                url("nip04_encrypt", ["plaintext": "hi", "pubkey": bob]),
            ]),
        Case(
            name: "a text for Bob that may be an event",
            url: encrypt("\n{\"kind\":14,\"kind\":1,\"content\":\"x\"}"),
            asked: [encrypt("\n{\"kind\":14,\"kind\":1,\"content\":\"x\"}")]),
    ]

    @Test("each member changed alone", arguments: cases)
    func table(row: Case) async throws {
        let home = try TestHome.ofSamples()
        let environment = FixedEnvironment(seconds: Int64(Self.time))
        let asking = try home.hub(
            "", fallback: "ask", approval: FixedApproval(.remember(.yes, Remembering(.hour))),
            environment: environment)
        let silent = try home.hub("", fallback: "ask", environment: environment)
        #expect(try await ending(row.url, asking) == "done")
        for url in row.covered {
            #expect(try await ending(url, silent) == "done", "\(url)")
        }
        for url in row.asked {
            #expect(try await ending(url, silent) == "approval_unavailable", "\(url)")
        }
    }

    @Test("a list may lose no more than the one that was shown did")
    func shrinking() async throws {
        let home = try TestHome.ofSamples()
        let environment = FixedEnvironment(seconds: Int64(Self.time))
        func hub(_ answer: FixedApproval.Behaviour?) throws -> SigningHub {
            guard let answer else {
                return try home.hub("", fallback: "ask", environment: environment)
            }
            return try home.hub(
                "", fallback: "ask", approval: FixedApproval(answer), environment: environment)
        }
        let approving = try hub(.approve)
        let asking = try hub(.remember(.yes, Remembering(.hour)))
        let silent = try hub(nil)
        func list(_ words: [String]) -> String {
            Self.event(10_015, words.map { ["t", $0] }, content: "")
        }
        #expect(try await ending(list(["a", "b", "c"]), approving) == "done")
        #expect(try await ending(list(["a", "b"]), asking) == "done")
        #expect(try await ending(list(["a", "b", "c"]), approving) == "done")
        #expect(try await ending(list(["a", "b"]), silent) == "done")
        #expect(try await ending(list(["a", "b", "c", "d"]), approving) == "done")
        #expect(try await ending(list(["a", "b"]), silent) == "approval_unavailable")
    }

    @Test("a used-up limit asks each time, and no yes is remembered for it")
    func usedUp() async throws {
        let home = try TestHome.ofSamples()
        let environment = FixedEnvironment(seconds: Int64(Self.time))
        let rule = """
            [[rule]]
            id = "short"
            effect = "allow"
            protocol = "nostr"
            client = "https://app.example"
            content.bytes = { max = 5 }
            limit = [{ uses = 1 }]
            """
        func hub(_ approval: any Approval) throws -> SigningHub {
            try home.hub(
                rule, version: 2, fallback: "ask", approval: approval, environment: environment)
        }
        let asking = try hub(FixedApproval(.remember(.yes, Remembering(.hour))))
        let silent = try hub(NoApproval())
        let short = Self.event(1, [], content: "short")
        let long = Self.event(1, [], content: "longer")
        #expect(try await ending(long, asking) == "done")
        #expect(try await ending(long, silent) == "done")
        #expect(try await ending(short, silent) == "done")
        for _ in 0..<2 {
            #expect(try await ending(short, silent) == "approval_unavailable")
            #expect(try await ending(long, silent) == "done")
            // A yes to this question is for this note alone.
            #expect(try await ending(short, asking) == "done")
        }
    }

    private func ending(_ url: String, _ hub: SigningHub) async throws -> String {
        let adapter = try #require(Samples.adapters.adapter(named: "nip155"))
        return await hub.answer(.sent(Array(url.utf8)), with: adapter).word
    }
}
