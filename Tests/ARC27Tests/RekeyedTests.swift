// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27
@testable import Algorand

/// Apps send only `txn` and expect the wallet to know the signer.
@Suite("Accounts that were rekeyed") struct RekeyedTests {
    private let p: Parties
    /// The account C without a key in this home; the owner said that B signs for it.
    private let watched: Account

    init() throws {
        p = try Parties()
        watched = Account(
            id: KeyID("watched"), name: "old", protocolID: .algorand, algorithm: .rekeyed,
            publicKey: p.keyC, address: try SampleKeys.address(seed: SampleKeys.c), network: nil,
            signedBy: p.keyB)
    }

    private func provider(
        watching: [Account]? = nil,
        nodes: (@Sendable (AlgorandLookup.Need) -> AlgorandLookup)? = nil
    ) throws -> TestProvider {
        var provider = try TestProvider(
            seeds: p.seeds, postingNetworks: nodes == nil ? [] : [.testnet])
        provider.accounts += watching ?? [watched]
        provider.nodes = nodes
        return provider
    }

    /// A node of the test network that names an authorised key, or stays silent.
    private func node(
        _ signer: JSON?
    ) -> @Sendable (AlgorandLookup.Need) -> AlgorandLookup {
        { need in
            guard case .authority(of: let account, on: let networks) = need else {
                return .posting(able: [.testnet], problems: [])
            }
            let word = signer?.text.map { AlgorandAuthority.Signer(on: .testnet, $0) }
            return .authority(
                AlgorandAuthority(
                    of: account, on: networks, signers: word.map { [$0] } ?? [],
                    problems: word == nil ? ["testnet: HTTP status 503"] : []))
        }
    }

    private func signed(_ provider: TestProvider, _ item: JSON) throws -> SignedTransaction {
        let answer = try Wire.json(provider.answer(Wire.signing([item])))
        let text = try #require(answer?["result"]?["stxns"]?.list?.first?.text)
        let bytes = try Base64.decode(text)
        return try SignedTransaction(canonical: bytes.span)
    }

    private func isSigned(_ signed: SignedTransaction, by seed: [UInt8]) throws -> Bool {
        guard case .signature(let signature) = signed.proof else { return false }
        return try signature
            == SampleKeys.sign(Transaction.prefix + signed.transaction, seed: seed)
    }

    @Test("without a node, the key that the owner named signs, even if the app names another")
    func ownersWord() throws {
        let provider = try provider()
        for members in [[:], ["signers": [p.c]], ["signers": [p.b]], ["authAddr": p.b]]
            as [KeyValuePairs<String, JSON>]
        {
            let signed = try signed(provider, p.item(from: p.keyC, members))
            #expect(signed.signer == p.keyB)
            #expect(try isSigned(signed, by: SampleKeys.b))
        }
        let request = try provider.decode(Wire.signing([p.item(from: p.keyC)]))
        #expect(request.operations.map(\.dangers) == [[.rekeyedAccount]])
        #expect(request.operations[0].account.publicKey == p.keyB)
        #expect(request.operations[0].facts.contains(Fact("auth_address", .text(p.b.text ?? ""))))
        let text = request.summary.text
        #expect(text.contains("another account's, for this one"))
        #expect(text.contains("as you said by \"key watch\": the key of \(p.b.text ?? "")"))
        // The owner named B as the signer, so for A the account is foreign.
        let other = try provider.decode(Wire.signing([p.item(from: p.keyC, ["authAddr": p.a])]))
        #expect(other.operations.map(\.dangers) == [[.foreignSender]])
        let error = try Wire.error(
            provider.answer(Wire.signing([p.item(from: p.keyC, ["signers": [p.a]])])))
        #expect(error["code"] == 4200)
    }

    @Test("an app that connects is shown it, and one address once")
    func enabling() throws {
        var own = try provider(watching: [
            watched,
            Account(
                id: KeyID("twin"), name: "a-too", protocolID: .algorand, algorithm: .rekeyed,
                publicKey: p.keyA, address: p.a.text ?? "", network: nil, signedBy: p.keyB),
        ])
        own.client = "https://app.example"
        let answer = try Wire.json(
            own.answer(
                Wire.request("enable", ["providerId": .string(TestProvider.providerID)])))
        let list = answer?["result"]?["accounts"]?.list?.compactMap { $0["address"]?.text }
        #expect(list == [p.a, p.b, p.c].compactMap(\.text))
    }

    @Test("a client that may see only the rekeyed account has it signed for")
    func limited() throws {
        var provider = try TestProvider(
            seeds: p.seeds, clients: ["dapp": ARC27ClientSettings(accounts: ["old"])])
        provider.accounts.append(watched)
        provider.client = "dapp"
        #expect(try signed(provider, p.item(from: p.keyC)).signer == p.keyB)
        // The client has no connection to the account B, whose key signs for C.
        let error = try Wire.error(provider.answer(Wire.signing([p.item(from: p.keyB)])))
        #expect(error["code"] == 4100)
    }

    @Test("the key that a node names signs, also for an account whose own key is held")
    func nodesWord() throws {
        let request = try provider(watching: [], nodes: node(p.b)).decode(
            Wire.signing([p.item(from: p.keyA)]))
        #expect(request.operations.map(\.account.publicKey) == [p.keyB])
        #expect(request.operations.map(\.dangers) == [[.rekeyedAccount]])
        #expect(request.summary.text.contains("says the node"))
        #expect(!request.summary.text.contains("rekeyed accounts"))
        // The node's answer takes precedence over the owner's earlier word.
        let back = try provider(nodes: node(p.a)).decode(Wire.signing([p.item(from: p.keyA)]))
        #expect(back.operations.map(\.account.publicKey) == [p.keyA])
        #expect(back.operations.map(\.dangers) == [[]])
        // A key that the client names is a claim of the client.
        let named = try provider(nodes: { _ in .several([]) }).decode(
            Wire.signing([p.item(from: p.keyA, ["authAddr": p.b])]))
        #expect(named.operations.map(\.account.publicKey) == [p.keyB])
    }

    @Test("a retired key signs nothing: the key that signs is named where it is not held")
    func retired() throws {
        for (sender, word) in [(p.keyA, p.c), (p.keyC, p.c)] {
            let provider = try provider(nodes: node(word))
            let error = try Wire.error(provider.answer(Wire.signing([p.item(from: sender)])))
            #expect(error["code"] == 4100)
            #expect(error["data"]?["signer"] == p.c)
            #expect(error["message"]?.text?.contains("a node says") == true)
        }
    }

    @Test("a silent node is reported, and an allow rule does not cover the request")
    func silence() throws {
        for (sender, signer) in [(p.keyA, p.keyA), (p.keyC, p.keyB)] {
            let request = try provider(nodes: node(nil)).decode(
                Wire.signing([p.item(from: sender)]))
            #expect(request.operations.map(\.account.publicKey) == [signer])
            #expect(request.operations[0].dangers.contains(.authorityUnknown))
            #expect(request.summary.text.contains("no node says which key signs"))
        }
        // An answer about another account or other networks counts as no answer.
        let elsewhere = try provider(nodes: { _ in
            .authority(
                AlgorandAuthority(
                    of: p.b.text ?? "", on: [.testnet],
                    signers: [.init(on: .testnet, p.b.text ?? "")], problems: []))
        })
        let request = try elsewhere.decode(Wire.signing([p.item(from: p.keyA)]))
        #expect(request.operations[0].dangers == [.authorityUnknown])
    }

    @Test("messages and ARC-60 logins are signed by the key that signs for the account")
    func messages() throws {
        func message(_ signer: JSON) -> String {
            Wire.request(
                "sign_message",
                [
                    "providerId": .string(TestProvider.providerID), "message": "hello",
                    "signer": signer,
                ])
        }
        let provider = try provider()
        let answer = try Wire.json(provider.answer(message(p.c)))
        #expect(answer?["result"]?["signer"] == p.b)
        let signature = try SampleKeys.sign(Array("MXhello".utf8), seed: SampleKeys.b)
        #expect(answer?["result"]?["signature"]?.text == Base64.encode(signature.span))
        let request = try provider.decode(message(p.c))
        #expect(request.dangers == [.rekeyedAccount])
        #expect(request.facts.contains(Fact("address", .text(p.c.text ?? ""))))
        #expect(request.summary.text.contains("signed by"))
        let asked = try self.provider(nodes: node(p.b)).decode(message(p.a))
        #expect(asked.operations.map(\.account.publicKey) == [p.keyB])
        let strange = try self.provider(nodes: node(p.c))
        #expect(try Wire.error(strange.answer(message(p.a)))["code"] == 4100)
        let silent = try self.provider(nodes: node(nil)).decode(message(p.a))
        #expect(silent.dangers == [.authorityUnknown])
        #expect(silent.operations.map(\.account.publicKey) == [p.keyA])
    }

    @Test(
        "nodes are not asked about foreign accounts or refused requests, and at most 16 at a time")
    func needless() throws {
        let adapter = try provider(nodes: node(nil)).adapter
        let accounts = try SampleKeys.accounts(p.seeds)
        func need(_ items: [JSON], _ held: [Account]) throws -> AlgorandLookup.Need? {
            let frame = Array(Wire.signing(items).utf8)
            return try adapter.need(
                of: try adapter.read(frame.span),
                in: DecodingContext(
                    accounts: held, peer: Peer(channel: "test"), now: Timestamp(seconds: 0),
                    freshID: [], wasSeen: { _ in nil }))
        }
        let own = AlgorandLookup.Need.authority(of: p.a.text ?? "", on: [.testnet])
        #expect(try need([p.item(from: p.keyA), p.item(from: p.keyA)], accounts) == own)
        #expect(try need([p.item(from: p.keyC)], accounts) == nil)
        #expect(try need([p.item(from: p.keyA, ["authAddr": p.b])], accounts) == nil)
        #expect(try need([p.item(from: p.keyA, ["signers": []])], accounts) == nil)
        #expect(try need([p.item(from: p.keyA), ["txn": "x"]], accounts) == nil)
        let seeds = (0..<20).map { [UInt8](repeating: UInt8($0), count: 32) }
        let many = try SampleKeys.accounts(seeds)
        guard case .several(let needs)? = try need(many.map { p.item(from: $0.publicKey) }, many)
        else {
            Issue.record("nobody is asked")
            return
        }
        #expect(needs.count == ARC27Adapter.askedAccountsMax)
    }
}
