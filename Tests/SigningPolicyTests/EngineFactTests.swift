// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("What the engine itself knows")
struct EngineFactTests {
    static func judged(_ peer: Peer, tags: [String] = []) -> JudgedRequest {
        let account = Account(
            id: KeyID("00"), name: "alice", protocolID: ProtocolID("nostr"), algorithm: .bip340,
            publicKey: [], address: "a", network: nil, tags: tags)
        let request = FakeRequest(
            client: Client(id: "c", name: "Notes", proof: .callback),
            operations: [
                RequestedOperation(
                    account: account, operation: .publicKey, facts: [], effects: [], dangers: [])
            ])
        return JudgedRequest(
            request, by: AdapterID("fake"), frame: Frame(bytes: [], peer: peer),
            at: Timestamp(seconds: 1_000), accounts: [])
    }

    static let known = Peer(
        door: "socket", provedUserID: 1_000, executable: "/usr/bin/bot",
        unit: "bot.service")
    static let unknown = Peer(door: "cli")

    @Test(
        "can be named in rules, and is unknown where nobody vouches",
        arguments: [
            "client.process.uid = 1000", "client.process = { exe = \"/usr/bin/bot\" }",
            "client = { process = { unit = { glob = \"*.service\" } } }",
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
}
