// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Sessions of ARC-27") struct SessionTests {
    private static let text = "bd717b46-7075-4051-a424-56dd00511c90"
    private static let own = JSON.string(TestProvider.providerID)

    private func provider(_ client: String? = "dapp") throws -> TestProvider {
        var provider = try TestProvider(
            seeds: [SampleKeys.a, SampleKeys.b], networks: [.testnet, .mainnet])
        provider.client = client
        return provider
    }

    private func decode(
        _ provider: TestProvider, _ method: String, _ params: JSON
    ) throws -> ARC27Request {
        try provider.decode(Wire.request(method, params))
    }

    @Test("enable opens one for every account, and the smallest id names them all")
    func opens() throws {
        let provider = try provider()
        let request = try decode(provider, "enable", ["providerId": Self.own])
        var opened: [ClientConnection] = []
        for change in request.terms.connectionChanges {
            if case .opens(let session) = change { opened.append(session) }
        }
        #expect(opened.map(\.key) == provider.accounts.map(\.id))
        #expect(opened.map(\.address) == provider.accounts.map(\.address))
        #expect(opened.allSatisfy { $0.network == "testnet" && $0.client.id == "dapp" })
        #expect(request.terms.connectionChanges.count == 2)
        let reply = try provider.adapter.finalReply(.done(provider.perform(request)), to: request)
        #expect(try Wire.json(reply)?["result"]?["sessionId"]?.text == Self.text)
    }

    @Test("enable again ends the session on the same network, not that on another")
    func reopens() throws {
        var provider = try provider()
        let other = [UInt8](repeating: 1, count: 16)
        provider.sessions = [provider.session(), provider.session(other, on: "mainnet")]
        let request = try decode(provider, "enable", ["providerId": Self.own])
        #expect(request.terms.connectionChanges.first == .ends(id: TestProvider.sessionID))
        #expect(!request.terms.connectionChanges.contains(.ends(id: other)))
        #expect(request.terms.connectionChanges.count == 3)
    }

    @Test("without a client there is no session, and the accounts are returned")
    func nobody() throws {
        let provider = try provider(nil)
        let request = try decode(provider, "enable", ["providerId": Self.own])
        #expect(request.terms.connectionChanges.isEmpty)
        let reply = try provider.adapter.finalReply(.done(provider.perform(request)), to: request)
        let result = try #require(try Wire.json(reply)?["result"])
        #expect(result["sessionId"] == nil && result["accounts"]?.list?.count == 2)
        let disabled = try provider.answer(Wire.request("disable", ["providerId": Self.own]))
        #expect(try Wire.json(disabled)?["result"]?["sessionIds"] == [])
    }

    @Test("disable ends the named session, and the last one ends the client's permissions")
    func disables() throws {
        var provider = try provider()
        let client = Client(id: "dapp", name: nil, proof: .claimed)
        let other = [UInt8](repeating: 1, count: 16)
        provider.sessions = [provider.session()]
        for ids in [[], [Self.text], [Self.text.uppercased(), "x"]] as [[String]] {
            let request = try decode(
                provider, "disable",
                ["providerId": Self.own, "sessionIds": .array(ids.map { .string($0) })])
            #expect(
                request.terms.connectionChanges
                    == [.ends(id: TestProvider.sessionID), .forgets(client, .algorand)])
        }
        provider.sessions.append(provider.session(other, on: "mainnet"))
        let one = try decode(provider, "disable", ["providerId": Self.own])
        #expect(one.terms.connectionChanges == [.ends(id: TestProvider.sessionID)])
    }

    @Test("a person reads what a yes to disable does")
    func words() throws {
        var provider = try provider()
        func title(_ provider: TestProvider, _ session: JSON? = nil) throws -> String {
            var params: [JSONObject.Member] = [.init(name: "providerId", value: Self.own)]
            if let session { params.append(.init(name: "sessionIds", value: [session])) }
            return try decode(provider, "disable", .object(JSONObject(params))).summary.title
        }
        #expect(try title(provider) == "End all that the client is allowed; it has no session")
        provider.sessions = [provider.session()]
        #expect(
            try title(provider) == "End the client's session and all that it is allowed")
        #expect(
            try title(provider, "x") == "End a session that the client does not have")
        let other = [UInt8](repeating: 1, count: 16)
        provider.sessions.append(provider.session(other, on: "mainnet"))
        #expect(try title(provider) == "End the client's session on one of its networks")
    }

    @Test("disable changes nothing where another session is named, or no session is left")
    func isIdempotent() throws {
        var provider = try provider()
        provider.sessions = [provider.session()]
        let params: JSON = ["providerId": Self.own, "sessionIds": ["x"]]
        let other = try decode(provider, "disable", params)
        #expect(other.terms.connectionChanges.isEmpty)
        let reply = try provider.answer(Wire.request("disable", params))
        #expect(try Wire.json(reply)?["result"]?["sessionIds"] == [])
        provider.sessions = []
        let again = try provider.answer(Wire.request("disable", ["providerId": Self.own]))
        #expect(try Wire.json(again)?["result"]?["sessionIds"] == [])
    }

    @Test("a client that is connected elsewhere gets no signature for this network")
    func network() throws {
        var provider = try provider()
        let conversation = try #require(Conversation.all.first { $0.name == "sign-one" })
        let frame = try conversation.frame(.json)
        #expect(try Wire.json(provider.answer(frame))?["result"] != nil)
        provider.sessions = [provider.session(on: "mainnet")]
        let error = try Wire.error(provider.answer(frame))
        #expect(error["code"] == 4004)
        #expect(
            error["data"]?["genesisHash"] == "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=")
        provider.sessions.append(provider.session([UInt8](repeating: 1, count: 16)))
        #expect(try Wire.json(provider.answer(frame))?["result"] != nil)
    }

    @Test("a client with its own list of accounts sees and uses only those")
    func curated() throws {
        let settings = ["dapp": ARC27ClientSettings(accounts: ["key 1"])]
        var provider = try TestProvider(
            seeds: [SampleKeys.a, SampleKeys.b], clients: settings)
        let conversation = try #require(Conversation.all.first { $0.name == "sign-one" })
        for (client, count, code) in [("dapp", 1, 4100), ("other", 2, nil)]
            as [(String, Int, Int64?)]
        {
            provider.client = client
            let enabled = try provider.answer(Wire.request("enable", ["providerId": Self.own]))
            #expect(try Wire.json(enabled)?["result"]?["accounts"]?.list?.count == count)
            let signed = try provider.answer(conversation.frame(.json))
            #expect(try Wire.json(signed)?["error"]?["code"]?.integerValue == code)
        }
    }
}
