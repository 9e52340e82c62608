// SPDX-License-Identifier: Apache-2.0

import Algorand
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import SigningVault
import TestHome
import Testing

@testable import LiquidCeremony

/// A courier that reports the accounts given by the test.
private struct Says: Courier {
    let protocolID = ProtocolID.algorand
    let problem: CourierProblem? = nil
    let signers: [AlgorandAuthority.Signer]
    var problems: [String] = []
    /// The account in the report, in place of the requested one.
    var account: String?

    func lookUp(
        _ need: AlgorandLookup.Need, in _: DecodingContext
    ) async -> AlgorandLookup {
        guard case .authority(of: let asked, on: let networks) = need else {
            return .posting(able: [], problems: [])
        }
        return .authority(
            AlgorandAuthority(
                of: account ?? asked, on: networks, signers: signers, problems: problems))
    }

    func reaches(_: String) -> Bool { true }
    func send(_: Broadcast.Item, to _: String) async -> Broadcast.Result { .unknown("") }
    func resend(_: Broadcast.Item, to _: String) async -> Broadcast.Result { .unknown("") }
}

@Suite("Logins of accounts that were rekeyed")
struct RekeyedTests {
    private static let adapter = LiquidCeremonyAdapter(
        Ceremony.adapter.schema, askingNodesOf: [.mainnet, .testnet])
    private let ceremony: Ceremony
    private let other: String

    init() throws {
        ceremony = try Ceremony()
        other = try SampleKeys.address(seed: SampleKeys.b)
    }

    private func hold(_ name: String = "new", network: String? = nil) throws {
        let seed = SampleKeys.b
        _ = try ceremony.home.vault.add(
            name: name, protocolID: .algorand, algorithm: .ed25519, address: other,
            network: network, secret: SecretBytes(copying: seed.span))
    }

    private func signed(_ address: String, on network: AlgorandNetwork = .testnet) -> Says {
        Says(signers: [.init(on: network, address)])
    }

    private func answer(_ frame: [UInt8], _ node: Says) async throws -> (JSON, Answer) {
        let answer = await ceremony.home.hub().answer(
            Frame(bytes: frame, peer: Peer(channel: "test")), with: Self.adapter, by: node)
        guard case .message(let bytes) = answer.reply else { return (nil, answer) }
        return (try JSON.parse(bytes.span), answer)
    }

    private func register(_ node: Says) async throws -> (JSON, Answer) {
        try await answer(try ceremony.frame(Ceremony.registration()), node)
    }

    @Test("its own key signs where the node says so")
    func own() async throws {
        let (body, _) = try await register(signed(ceremony.account.address))
        #expect(try holds(body, by: SampleKeys.a))
    }

    /// True if a key signed the challenge.
    private func holds(_ body: JSON, by seed: [UInt8]) throws -> Bool {
        let liquid = body["clientExtensionResults"]?["liquid"]
        let challenge = try Base64.decode(
            Ceremony.challenge, alphabet: .url, padding: .forbidden)
        #expect(liquid?["address"]?.text == ceremony.account.address)
        return try Ceremony.bytes(liquid?["signature"])
            == SampleKeys.sign(challenge, seed: seed)
    }

    @Test("the key that signs for it does, where it is held, and the passkey is the account's")
    func heldSigner() async throws {
        try hold()
        let (body, _) = try await register(signed(other))
        #expect(try holds(body, by: SampleKeys.b))
        let passkey = try #require(try ceremony.home.vault.passkeys().first)
        #expect(passkey.address == ceremony.account.address)
        // The new passkey logs in afterwards.
        let options: JSON = ["challenge": .string(Ceremony.text(.init(repeating: 9, count: 32)))]
        let frame = try ceremony.frame(
            options, .login, credential: Ceremony.text(passkey.credential))
        let (login, _) = try await answer(frame, signed(other))
        #expect(login["response"]?["authenticatorData"] != nil)
    }

    @Test("a person sees the key that signs, and a rule has to name the danger")
    func summary() throws {
        try hold()
        let accounts = try ceremony.home.vault.accounts()
        let context = DecodingContext(
            accounts: accounts, peer: Peer(channel: "test"), now: Timestamp(seconds: 0),
            freshID: [],
            wasSeen: { _ in nil })
        let frame = try ceremony.frame(Ceremony.registration())
        let wire = try Self.adapter.read(frame.span)
        let need = try #require(try Self.adapter.need(of: wire, in: context))
        #expect(
            need == .authority(of: ceremony.account.address, on: [.mainnet, .testnet]))
        let lookup = AlgorandLookup.authority(
            AlgorandAuthority(
                of: ceremony.account.address, on: [.mainnet, .testnet],
                signers: [.init(on: .testnet, other)], problems: []))
        let request = try Self.adapter.decode(wire, with: lookup, in: context)
        #expect(request.dangers == [.rekeyedAccount])
        #expect(request.facts.contains(Fact("auth_address", .text(other))))
        #expect(request.operations.map(\.account.name) == ["new", "treasury"])
        let text = request.summary.text
        #expect(text.contains("new \(other)") && text.contains("your key new signs"))
        #expect(text.contains("was rekeyed, says the node"))
        // An explanation uses the account's own key, and says that this is an assumption.
        let explained = try ceremony.home.hub().explain(
            Frame(bytes: frame, peer: Peer(channel: "test")), with: Self.adapter)
        #expect(explained.isMadeUp && !explained.summary.text.contains("rekeyed"))
    }

    @Test("a key that is not held is named, and nothing is signed or made")
    func strange() async throws {
        let (body, answer) = try await register(signed(other))
        #expect(body["error"]?["code"]?.text == "rekeyed")
        let message = body["error"]?["message"]?.text ?? ""
        #expect(message.contains("\(other) signs for it on testnet"))
        guard case .refused(let error) = answer.ending else {
            Issue.record("it was decoded")
            return
        }
        #expect(error.hint?.contains("from the home") == true)
        // A key on another network does not count.
        try hold(network: "mainnet")
        #expect(try await register(signed(other)).0["error"]?["code"]?.text == "rekeyed")
        #expect(try ceremony.home.vault.passkeys().isEmpty)
    }

    @Test("networks that disagree are reported, since servers name no network")
    func twoWords() async throws {
        try hold()
        let node = Says(signers: [
            .init(on: .mainnet, other), .init(on: .testnet, ceremony.account.address),
        ])
        let (body, _) = try await register(node)
        let message = body["error"]?["message"]?.text ?? ""
        #expect(body["error"]?["code"]?.text == "rekeyed")
        #expect(message.contains("\(other) on mainnet") && message.contains("on testnet"))
        let same = Says(signers: [.init(on: .mainnet, other), .init(on: .testnet, other)])
        #expect(try holds(try await register(same).0, by: SampleKeys.b))
    }

    @Test("an unreachable node is reported to the owner alone, and nothing is signed")
    func noWord() async throws {
        let problem = "testnet: the node answers with HTTP status 503"
        for node in [
            Says(signers: [], problems: [problem]), Says(signers: []),
            Says(signers: [.init(on: .mainnet, ceremony.account.address)], problems: [problem]),
            Says(signers: [.init(on: .testnet, other)], account: other),
        ] {
            let (body, answer) = try await register(node)
            #expect(body["error"]?["code"]?.text == "node")
            #expect(!String(decoding: body.write(), as: UTF8.self).contains("503"))
            guard case .refused(let error) = answer.ending else {
                Issue.record("it was decoded")
                continue
            }
            #expect(error.reason.contains("503") == !node.problems.isEmpty)
        }
        // Nodes are configured, but this hub has no courier to ask them.
        let frame = try ceremony.frame(Ceremony.registration())
        let answer = await ceremony.home.hub().answer(
            Frame(bytes: frame, peer: Peer(channel: "test")), with: Self.adapter)
        guard case .refused = answer.ending else {
            Issue.record("it was decoded")
            return
        }
        #expect(try ceremony.home.vault.passkeys().isEmpty)
    }

    @Test("nodes are not asked about foreign accounts, nor about requests that are refused anyway")
    func needless() throws {
        let context = DecodingContext(
            accounts: [ceremony.account], peer: Peer(channel: "test"), now: Timestamp(seconds: 0),
            freshID: [], wasSeen: { _ in nil })
        for frame in [
            try ceremony.frame(Ceremony.registration(), address: other),
            try ceremony.frame(Ceremony.registration(challenge: "VFg")),
            try ceremony.frame(Ceremony.registration(rp: ["id": "evil.example"])),
        ] {
            let wire = try Self.adapter.read(frame.span)
            #expect(throws: AdapterError.self) { try Self.adapter.need(of: wire, in: context) }
        }
        // For an account that is bound to one network, only that network is asked.
        let bound = DecodingContext(
            accounts: [
                Account(
                    id: ceremony.account.id, name: "treasury", protocolID: .algorand,
                    algorithm: .ed25519, publicKey: ceremony.account.publicKey,
                    address: ceremony.account.address, network: "testnet")
            ], peer: Peer(channel: "test"), now: Timestamp(seconds: 0), freshID: [],
            wasSeen: { _ in nil })
        let frame = try ceremony.frame(Ceremony.registration())
        let wire = try Self.adapter.read(frame.span)
        #expect(
            try Self.adapter.need(of: wire, in: bound)
                == .authority(of: ceremony.account.address, on: [.testnet]))
        let alone = LiquidCeremonyAdapter(Ceremony.adapter.schema, askingNodesOf: [.mainnet])
        #expect(try alone.need(of: wire, in: bound) == nil)
    }
}
