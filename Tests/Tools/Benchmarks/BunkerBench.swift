// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import NIP46
import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningVault

/// A home with clients that are connected over relays, for Tools/bench_bunker.py.
enum BunkerBench {
    static let passphrase = "benchmark"

    /// Creates the home and writes the signer's key of each connection in hex, one per line.
    ///
    /// The secret of the client of line N is the number N.
    static func make(at path: String, count: Int, over texts: [String]) async throws {
        let secret = SecretBytes(copying: passphrase.utf8.span)
        try OpenHome.create(at: path, speaking: .builtIn, passphrase: secret)
        let home = try OpenHome(at: path, speaking: .builtIn)
        try home.makeKey(.nostr, name: "alice", passphrase: secret)
        try home.attest(policy: rules, passphrase: secret)
        let signer = try LocalSigner(of: home)
        try signer.unlock(passphrase: secret)
        let relays = try RelayAddress.list(texts)
        guard let account = try home.accounts().first else { return }
        for number in 1...count {
            let client = try publicKey(of: number)
            let record = try home.vault.addTransportKey(
                of: BunkerConnection.transport, signing: NostrChain.algorithm
            ) { key in
                BunkerConnection(
                    signer: Hex.encode(key.span), name: "client\(number)", account: account.id,
                    relays: relays, perms: "", created: SystemEnvironment().now(),
                    state: .connected, secretDigest: nil, client: client
                ).body
            }
            let key = ProvedKey(
                publicKey: client, account: account.id,
                connection: Hex.encode(record.publicKey.span), name: "client\(number)")
            let call = NIP46Call(id: "0", method: "connect", params: [])
            _ = await signer.answer(
                Frame(bytes: call.bytes, peer: Peer(channel: .relay, provedKey: key)),
                over: AdapterID("nip46"))
            print(key.connection)
        }
        try signer.finish()
    }

    private static func publicKey(of number: Int) throws -> String {
        let secret = SecretBytes(count: 32) { bytes in
            for place in 0..<8 {
                bytes[31 - place] = UInt8(truncatingIfNeeded: number >> (8 * place))
            }
        }
        return Hex.encode(try Secp256k1Key(secret: secret).publicKey.span)
    }

    /// A hundred rules, the last of which allows the request.
    private static var rules: String {
        var text = "version = 1\ndefault = \"deny\"\n"
        for number in 0..<99 {
            text += "[[rule]]\nid = \"other-\(number)\"\neffect = \"deny\"\nprotocol = \"nostr\"\n"
            text += "operation = \"sign_event\"\nkind = \(100 + number)\n"
        }
        return text + """
            [[rule]]
            id = "clients"
            effect = "allow"
            protocol = "nostr"
            channel = "relay"
            limit = [{ count = 1000000, per = "1d" }]
            """
    }
}
