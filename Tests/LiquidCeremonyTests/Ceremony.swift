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
import VectorFiles

@testable import LiquidCeremony

/// A home with the key of the vectors, and the requests of a server.
struct Ceremony {
    static let vectors = VectorFile.read("Vectors/algorand/liquid_auth.json")
    static let adapter = LiquidCeremonyAdapter(
        AlgorandVocabulary.schema(methods: [], networks: ["mainnet", "testnet"]))
    static let origin = "https://dapp.example.org"
    static let challenge = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    let home: TestHome
    let account: Account

    init() throws {
        home = try TestHome(Self.adapter.domains)
        let seed = SampleKeys.a
        let address = try SampleKeys.address(seed: seed)
        account = try home.vault.add(
            name: "treasury", protocolID: .algorand, algorithm: .ed25519, address: address,
            network: nil, secret: SecretBytes(copying: seed.span))
    }

    static func registration(
        challenge: String = Self.challenge, rp: JSON? = ["id": "dapp.example.org", "name": "App"],
        more: [JSONObject.Member] = []
    ) -> JSON {
        var members: [JSONObject.Member] = [.init(name: "challenge", value: .string(challenge))]
        if let rp { members.append(.init(name: "rp", value: rp)) }
        return .object(JSONObject(members + more))
    }

    func frame(
        _ options: JSON, _ ceremony: LiquidCeremonyWire.Ceremony = .register,
        credential: String? = nil, origin: String = Self.origin, address: String? = nil
    ) throws -> [UInt8] {
        LiquidCeremonyWire(
            ceremony, at: try WebOrigin(origin), requestID: "019097ff",
            address:
                address ?? account.address, device: "signing-hub", credential: credential,
            options: options
        ).frame
    }

    func answer(
        _ frame: [UInt8], _ policy: FixedPolicy.Answer = .allow([]),
        approval: any Approval = NoApproval()
    ) async throws -> JSON {
        let answer = await home.hub(FixedPolicy(policy), approval: approval).answer(
            Frame(bytes: frame, peer: Peer(channel: "test")), with: Self.adapter)
        guard case .message(let bytes) = answer.reply else { return nil }
        return try JSON.parse(bytes.span)
    }

    func register() async throws -> Passkey {
        let reply = try await answer(try frame(Self.registration()))
        #expect(reply["error"] == nil)
        return try #require(try home.vault.passkeys().first)
    }

    static func text(_ bytes: [UInt8]) -> String {
        Base64.encode(bytes.span, alphabet: .url, padding: false)
    }

    static func bytes(_ value: JSON?) throws -> [UInt8] {
        let text = try #require(value?.text)
        return try Base64.decode(text, alphabet: .url, padding: .forbidden)
    }
}
