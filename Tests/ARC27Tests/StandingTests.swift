// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Synchronization
import Testing

@testable import ARC27
@testable import Algorand

/// Each use of a key repeats the decision, and a client learns only about its own keys.
@Suite("Sessions, settings and accounts while a person is asked") struct StandingTests {
    private static let own = JSON.string(TestProvider.providerID)

    private func payment(_ seed: [UInt8] = SampleKeys.a) throws -> String {
        let key = try SampleKeys.publicKey(seed: seed)
        return Wire.signing([Draft().with("snd", .binary(key)).bytes])
    }

    private func call(_ method: String, _ network: AlgorandNetwork = .testnet) -> String {
        Wire.request(
            method,
            [
                "providerId": Self.own,
                "genesisHash": .string(Base64.encode(network.genesisHash.span)),
            ])
    }

    private func hub() throws -> TestHub {
        TestHub(try TestProvider(networks: [.testnet, .mainnet]))
    }

    @Test("a yes counts for nothing once the client was disconnected meanwhile")
    func disconnected() async throws {
        let hub = try hub()
        #expect(await hub.ending(call("enable"), .allow([]), saysYes: false) == "done")
        let frame = try payment()
        #expect(await hub.ending(frame, .ask, saysYes: true) == "done")
        let ending = await hub.ending(frame, .ask, saysYes: true) {
            _ = await hub.ending(self.call("disable"), .allow([]), saysYes: false)
        }
        #expect(ending == "policy_changed")
    }

    @Test("after its last session a client signs nothing until it connects again")
    func gone() async throws {
        let hub = try hub()
        let frame = try payment()
        #expect(await hub.ending(frame, .allow([]), saysYes: false) == "done")
        #expect(await hub.ending(call("enable"), .allow([]), saysYes: false) == "done")
        #expect(await hub.ending(call("enable", .mainnet), .allow([]), saysYes: false) == "done")
        #expect(await hub.ending(call("disable", .mainnet), .allow([]), saysYes: false) == "done")
        #expect(await hub.ending(frame, .allow([]), saysYes: false) == "done")
        #expect(await hub.ending(call("disable"), .allow([]), saysYes: false) == "done")
        #expect(await hub.ending(frame, .allow([]), saysYes: false) == "key_unavailable")
        #expect(await hub.ending(call("enable"), .allow([]), saysYes: false) == "done")
        #expect(await hub.ending(frame, .allow([]), saysYes: false) == "done")
    }

    @Test(
        "a client leaves where only the default asks or denies, and takes its grants with it",
        arguments: [FixedPolicy.Answer.askByDefault, .denyByDefault])
    func leaves(_ policy: FixedPolicy.Answer) async throws {
        let hub = try hub()
        let frame = try payment()
        let neighbour = "https://other.example.org"
        for client in [TestHub.client, neighbour] {
            let enabled = await hub.ending(
                call("enable"), .allow([]), client: client, saysYes: false)
            #expect(enabled == "done")
            #expect(await hub.ending(frame, client: client, saysYes: true) == "done")
            #expect(await hub.ending(frame, client: client, saysYes: false) == "done")
        }
        #expect(await hub.ending(call("disable"), .deny, saysYes: false) == "policy_denied")
        #expect(await hub.ending(call("disable"), .ask, saysYes: false) == "approval_unavailable")
        #expect(await hub.ending(call("disable"), policy, saysYes: false) == "done")
        #expect(await hub.ending(frame, .allow([]), saysYes: false) == "key_unavailable")
        #expect(await hub.ending(call("enable"), .allow([]), saysYes: false) == "done")
        #expect(await hub.ending(frame, saysYes: false) == "approval_unavailable")
        #expect(await hub.ending(frame, client: neighbour, saysYes: false) == "done")
        // A client without a connection has nothing to end, and no person is asked.
        let never = await hub.ending(
            call("disable"), policy, client: "https://never.example.org", saysYes: false)
        #expect(never == "done")
    }

    @Test("rules can require a connection, and a yes given while connected counts only then")
    func connected() async throws {
        func isConnected(_ sessions: [ClientConnection]) throws -> Bool {
            var provider = try TestProvider(networks: [.testnet, .mainnet])
            provider.client = "dapp"
            provider.sessions = sessions
            let facts = try #require(provider.decode(payment()).operations.first).facts
            return facts.contains(Fact("connected", .bool(true)))
        }
        var provider = try TestProvider()
        provider.client = "dapp"
        #expect(try !isConnected([]))
        #expect(try isConnected([provider.session()]))
        let other = ClientConnection(
            id: [1], protocolID: .algorand, client: Client(id: "dapp", name: nil, proof: .claimed),
            network: "testnet", key: KeyID("another"), address: "", started: Timestamp(seconds: 0))
        #expect(try !isConnected([other]))
    }

    @Test("a yes counts for nothing once the client is served otherwise")
    func settings() async throws {
        let box = SettingsBox()
        let hub = TestHub(try TestProvider(clientsNow: { box.settings.withLock { $0 } }))
        let frame = try payment()
        #expect(await hub.ending(frame, .ask, saysYes: true) == "done")
        let ending = await hub.ending(frame, .ask, saysYes: true) {
            box.settings.withLock { $0 = [TestHub.client: ARC27ClientSettings(accounts: [])] }
        }
        #expect(ending == "policy_changed")
    }

    private final class SettingsBox: Sendable {
        let settings = Mutex<[String: ARC27ClientSettings]?>([:])
    }

    @Test(
        "whom the rules deny learns nothing about accounts, and the question is on record",
        arguments: [FixedPolicy.Answer.deny, .askByDefault])
    func oracle(_ policy: FixedPolicy.Answer) async throws {
        let p = try Parties()
        let hub = TestHub(
            try TestProvider(seeds: p.seeds, networks: [.testnet], accountNetwork: "testnet"))
        func message(_ signer: JSON?) -> String {
            var params: [JSONObject.Member] = [
                .init(name: "providerId", value: Self.own), .init(name: "message", value: "x"),
            ]
            if let signer { params.append(.init(name: "signer", value: signer)) }
            return Wire.request("sign_message", .object(JSONObject(params)))
        }
        let pairs: [(String, String)] = [
            (try payment(), try payment(SampleKeys.c)), (message(p.a), message(p.c)),
            (message(p.a), message(nil)),
            (
                Wire.signing([p.item(from: p.keyC, ["authAddr": p.b])]),
                Wire.signing([p.item(from: p.keyA, ["authAddr": p.c])])
            ),
            (
                Wire.signing([p.item(from: p.keyA), p.item(from: p.keyB)]),
                Wire.signing([p.item(from: p.keyA), p.item(from: p.keyC)])
            ),
        ]
        for (held, unheld) in pairs {
            let count = hub.ledger.refusals.count
            let one = await hub.answer(held, policy, saysYes: false)
            let other = await hub.answer(unheld, policy, saysYes: false)
            #expect(try Wire.error(one.reply) == Wire.error(other.reply))
            #expect(hub.ledger.refusals.count == count + 2)
            let last = hub.ledger.refusals.suffix(2).map(\.reason.code)
            #expect(last[0] == last[1])
        }
        // If rules allow the request, the client learns which key is missing.
        let response = await hub.answer(try payment(SampleKeys.c), .allow([]), saysYes: false)
        #expect(try Wire.error(response.reply)["code"] == 4100)
        #expect(try Wire.error(response.reply)["data"]?["signer"] == p.c)
        #expect(hub.ledger.refusals.last?.reason.code == .keyUnavailable)
    }
}
