// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Facts of the engine")
struct EngineFactTests {
    static func judged(_ peer: Peer, tags: [String] = []) -> JudgedRequest {
        let account = Account(
            id: KeyID("00"), name: "alice", protocolID: ProtocolID("nostr"), algorithm: .bip340,
            publicKey: [], address: "a", network: nil, tags: tags)
        let request = FakeRequest(
            client: Client(id: "c", name: "Notes", proof: .callback, callback: "c"),
            operations: [
                RequestedOperation(
                    account: account, operation: .publicKey, facts: [], effects: [], dangers: [])
            ])
        return JudgedRequest(
            request, by: AdapterID("fake"), frame: Frame(bytes: [], peer: peer),
            at: Timestamp(seconds: 1_000), accounts: [])
    }

    static let known = Peer(
        channel: "socket", provedUserID: 1_000, executable: "/usr/bin/bot",
        unit: "bot.service", process: FixedProcess(), opensCallbacks: true)
    static let unknown = Peer(channel: "cli", opensCallbacks: true)

    @Test(
        "can be named in rules, and is unknown where it is not vouched for",
        arguments: [
            "client.process.uid = 1000", "client.process = { exe = \"/usr/bin/bot\" }",
            "client = { process = { unit = { glob = \"*.service\" } } }",
            "client.process.exe_sha256 = \"\(String(repeating: "0a", count: 32))\"",
            "client.process.parents = { in = [\"/usr/bin/git\", \"/usr/bin/zsh\"] }",
            "\"key.tags\" = { has = \"bots\" }",
        ])
    func facts(_ condition: String) throws {
        let rule = "[[rule]]\nid = \"r\"\neffect = \"allow\"\nkey = \"alice\"\n\(condition)\n"
        let policy = try policy(rule)
        let known = Self.judged(Self.known, tags: ["bots"])
        #expect(try policy.judge(known, usage: FakeUsage()).verdict.name == "allow")
        let unknown = Self.judged(Self.unknown)
        #expect(try policy.judge(unknown, usage: FakeUsage()).verdict.name == "ask")
    }

    @Test("names the hub that judges; no rule allows by it where the record is one machine's alone")
    func hub() throws {
        let policy = try policy(
            "[[rule]]\nid = \"r\"\neffect = \"allow\"\nkey = \"alice\"\nhub = \"one\"\n")
        var request = Self.judged(Self.unknown)
        for (hub, expected) in [(nil, "ask"), ("two", "ask"), ("one", "allow")] {
            request.hub = hub
            #expect(try policy.judge(request, usage: FakeUsage()).verdict.name == expected)
            let later = request.later(at: Timestamp(seconds: 2_000))
            #expect(try policy.judge(later, usage: FakeUsage()).verdict.name == expected)
        }
    }

    @Test("includes how a client is proved, its own name, and the time")
    func clientAndTime() throws {
        for condition in [
            "client.proof = \"callback\"", "client.name = \"Notes\"", "client.party = \"c\"",
            "time = { min = 1970-01-01T00:16:40Z }",
        ] {
            let rule = "[[rule]]\nid = \"r\"\neffect = \"allow\"\nkey = \"alice\"\n"
            let policy = try policy(rule + condition)
            let request = Self.judged(Self.unknown)
            #expect(try policy.judge(request, usage: FakeUsage()).verdict.name == "allow")
        }
        #expect(
            headlines(
                "version = 1\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\n"
                    + "effect = \"allow\"\nclient.proof = \"claim\""
            ).first?.contains(
                "did you mean \"claimed\"?") == true)
    }

    static let page = BrowserPage(
        profile: "work", origin: "https://app.example", party: "app.example",
        topOrigin: "https://evil.example", document: nil)

    @Test(
        "a client with a token is the token under any name in the wire, and each part has a name",
        arguments: [
            (Credential.program("bot"), "client = \"token:bot\""),
            (.program("bot"), "client.proof = \"token\""),
            (.program("bot"), "client.party = \"token:bot\""),
            (.program("bot"), "client.callback = \"c\""),
            (.page(page), "client = \"https://app.example\""),
            (.page(page), "client.proof = \"browser\""),
            (.page(page), "client.profile = \"work\""),
            (.page(page), "client.top_origin = \"https://evil.example\""),
            (.page(page), "client.party = \"app.example\""),
        ])
    func proved(_ credential: Credential, _ condition: String) throws {
        let rule = "[[rule]]\nid = \"r\"\neffect = \"allow\"\nkey = \"alice\"\n"
        let policy = try policy(rule + condition + "\nacknowledge = [\"framed\"]\n")
        let proved = Self.judged(Peer(channel: "socket", credential: credential))
        #expect(try policy.judge(proved, usage: FakeUsage()).verdict.name == "allow")
        guard condition.contains("callback") == false else { return }
        for claim in ["token:bot", "https://app.example"] {
            let claimed = Self.judged(Peer(channel: "socket", claim: claim))
            #expect(try policy.judge(claimed, usage: FakeUsage()).verdict.name == "ask")
        }
    }

    @Test("a framed page is not a page that a rule allows without saying so")
    func framed() throws {
        let rule = "[[rule]]\nid = \"r\"\neffect = \"allow\"\nclient = \"https://app.example\"\n"
        let framed = Self.judged(Peer(channel: "socket", credential: .page(Self.page)))
        #expect(framed.dangers == [.framed])
        #expect(try policy(rule).judge(framed, usage: FakeUsage()).verdict.name == "ask")
        let alone = BrowserPage(
            profile: "work", origin: "https://app.example", party: "app.example",
            topOrigin: "https://app.example", document: nil)
        let top = Self.judged(Peer(channel: "socket", credential: .page(alone)))
        #expect(try policy(rule).judge(top, usage: FakeUsage()).verdict.name == "allow")
    }

    @Test("rules have to name pages of an unpaired browser, and links")
    func visits() throws {
        let rule = "[[rule]]\nid = \"r\"\neffect = \"allow\"\nclient = \"https://app.example\"\n"
        func verdict(_ peer: Peer, _ more: String = "") throws -> String {
            try policy(rule + more).judge(Self.judged(peer), usage: FakeUsage()).verdict.name
        }
        let page = Peer(
            channel: "web",
            visit: .message(origin: "https://app.example", party: "app.example", isFramed: false))
        #expect(try verdict(page) == "allow")
        #expect(try verdict(page, "\"client.proof\" = \"page\"\n") == "allow")
        #expect(try verdict(page, "\"client.proof\" = \"browser\"\n") == "ask")
        #expect(try verdict(page, "channel = \"web\"\n") == "allow")
        let framed = Peer(
            channel: "web",
            visit: .message(origin: "https://app.example", party: "app.example", isFramed: true))
        #expect(try verdict(framed) == "ask")
        let link = Peer(channel: "web", claim: "https://app.example", visit: .link)
        #expect(Self.judged(link).dangers == [.byLink])
        let called = "[[rule]]\nid = \"r\"\neffect = \"allow\"\nclient = \"c\"\n"
        for (more, expected) in [("", "ask"), ("acknowledge = [\"by_link\"]\n", "allow")] {
            let judged = try policy(called + more).judge(Self.judged(link), usage: FakeUsage())
            #expect(judged.verdict.name == expected)
        }
    }

    @Test("names of tokens have one form")
    func forms() {
        for (text, isGood) in [
            ("token:bot", true), ("token:b.o_t-1", true), ("Token:bot", false), ("token:", false),
            ("token:Bot", false), ("token: bot", false), ("token:\u{1D41B}ot", false),
        ] {
            let found = headlines(
                "version = 1\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"deny\"\n"
                    + "client = \"\(text)\"")
            #expect(found.isEmpty == isGood, "\(text): \(found)")
        }
    }
}

/// A process with fixed facts, in place of the kernel's process.
private struct FixedProcess: ClientProcess {
    let number: Int32 = 1
    let executableHash: [UInt8]? = [UInt8](repeating: 10, count: 32)
    let parents: [String]? = ["/usr/bin/git", "/usr/bin/zsh"]
}
