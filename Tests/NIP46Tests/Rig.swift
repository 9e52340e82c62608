// SPDX-License-Identifier: Apache-2.0

import NIP46
import NostrSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import SigningVault
import TestHome
import Testing

/// A hub with alice's account, a ledger, and a client that the owner has connected.
struct Rig {
    static let client = "1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f"
    static let secrets = [NostrKeys.aliceSecret, NostrKeys.bobSecret]

    let adapter = NIP46Adapter()
    let home: TestHome
    let accounts: [Account]
    let environment = FixedEnvironment(seconds: 1_714_078_911)

    init() throws {
        home = try TestHome(NIP46Adapter().domains)
        let vault = home.vault
        accounts = try Self.secrets.enumerated().map { index, secret in
            let bytes = try Hex.decode(secret)
            return try vault.add(
                name: "account\(index)", protocolID: ProtocolID("nostr"), algorithm: .bip340,
                address: Hex.encode(try NostrKeys.key(secret).publicKey.span), network: nil,
                secret: SecretBytes(copying: bytes.span))
        }
    }

    func peer(
        _ key: String? = client, account: Int = 0, connection: String = "c"
    ) -> Peer {
        Peer(
            channel: "relay",
            provedKey: key.map {
                ProvedKey(
                    publicKey: $0, account: accounts[account].id, connection: connection,
                    name: "laptop")
            })
    }

    /// The reply as JSON; nil for silence.
    func ask(
        _ text: String, by peer: Peer? = nil, event: [UInt8]? = nil,
        _ policy: FixedPolicy.Answer = .allow([]), approval: any Approval = NoApproval()
    ) async -> JSON? {
        let hub = home.hub(FixedPolicy(policy), approval: approval, environment: environment)
        let frame = Frame(bytes: Array(text.utf8), enclosure: event, peer: peer ?? self.peer())
        guard case .message(let bytes) = await hub.answer(frame, with: adapter).reply else {
            return nil
        }
        return try? JSON.parse(bytes.span)
    }

    func connect(by peer: Peer? = nil) async {
        _ = await ask(#"{"id":"0","method":"connect","params":["",""]}"#, by: peer)
    }
}

extension Rig {
    /// The context of a client's call, as an adapter sees it.
    func context(isConnected: Bool) throws -> DecodingContext {
        let peer = peer()
        let client = peer.client(by: environment)
        let session = client.map { client in
            ClientConnection(
                id: [UInt8](repeating: 9, count: 16), protocolID: ProtocolID("nostr"),
                client: client, network: "c", key: accounts[0].id, address: accounts[0].address,
                started: environment.now())
        }
        return DecodingContext(
            accounts: accounts, peer: peer, client: client, now: environment.now(),
            freshID: [UInt8](repeating: 7, count: 16), wasSeen: { _ in false },
            connections: { _ in isConnected ? [session].compactMap { $0 } : [] })
    }

    func decode(_ text: String) throws -> NIP46Request {
        try adapter.decode(Array(text.utf8).span, in: context(isConnected: false))
    }
}
