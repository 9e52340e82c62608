// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import SigningVault
import TestHome

/// A home with keys of every chain, and clients with access tokens.
struct Rig {
    static let adapters = AdapterSet(providerID: "85533948-4d0b-4727-904e-dd35305d49aa")
    static let keys = [
        ("alice", "nostr", KeyAlgorithm.bip340, nil), ("bob", "nostr", .bip340, nil),
        ("near", "near", .ed25519, "mainnet"), ("algorand", "algorand", .ed25519, nil),
    ]
    static let bot = Peer(channel: "socket", credential: .program("bot"))

    let home: TestHome
    let accounts: [Account]
    let environment = FixedEnvironment(seconds: 1_790_000_000)

    init() throws {
        home = try TestHome(Self.adapters.domains)
        let vault = home.vault
        accounts = try Self.keys.enumerated().map { place, key in
            try vault.add(
                name: key.0, protocolID: ProtocolID(key.1), algorithm: key.2,
                address: "\(key.0).near", network: key.3,
                secret: SecretBytes(count: 32) { bytes in
                    for index in bytes.indices { bytes[index] = UInt8(1 + place + index) }
                })
        }
    }

    /// The answer to a frame of a wire.
    func answer(
        _ text: String, over wire: String, by peer: Peer = bot,
        _ policy: FixedPolicy.Answer = .askByDefault,
        _ approval: FixedApproval.Behaviour = .unavailable
    ) async throws -> Answer {
        guard let adapter = Self.adapters.adapter(named: wire) else { throw Missing() }
        let hub = home.hub(
            FixedPolicy(policy), approval: FixedApproval(approval), environment: environment)
        return await hub.answer(Frame(bytes: Array(text.utf8), peer: peer), with: adapter)
    }

    /// The reply to a client that asks for a connection.
    func connect(
        _ call: String, to protocolName: String = "nostr", by peer: Peer = bot,
        _ policy: FixedPolicy.Answer = .askByDefault,
        _ approval: FixedApproval.Behaviour = .unavailable
    ) async throws -> JSON {
        let answer = try await answer(
            call, over: "connect-\(protocolName)", by: peer, policy, approval)
        guard case .message(let bytes) = answer.reply else { return nil }
        return try JSON.parse(bytes.span)
    }

    /// The outcome of a request to sign an event.
    func sign(
        kind: Int, with name: String = "alice", by peer: Peer = bot,
        _ policy: FixedPolicy.Answer = .askByDefault, content: String = "hi"
    ) async throws -> String {
        guard let account = accounts.first(where: { $0.name == name }) else { throw Missing() }
        let key = Hex.encode(account.publicKey.span)
        let event = #"{"kind":\#(kind),"content":"\#(content)","pubkey":"\#(key)"}"#
        return try await answer(
            #"{"nip07":"signEvent","params":[\#(event)]}"#, over: "nip07", by: peer, policy
        ).word
    }

    /// The context that an adapter sees of a call.
    func context(of protocolName: String, by peer: Peer = bot) -> DecodingContext {
        DecodingContext(
            accounts: accounts.filter { $0.protocolID.name == protocolName }, peer: peer,
            client: peer.client(by: environment), now: environment.now(),
            freshID: [UInt8](repeating: 7, count: 16), wasSeen: { _ in nil })
    }
}

struct Missing: Error {}
