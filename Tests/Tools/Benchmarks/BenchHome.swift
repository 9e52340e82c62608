// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import Foundation
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningPolicy
import SigningStorage
import SigningTesting
import SigningVault
import TestHome

/// A request to time, and the adapter that answers it.
struct BenchRequest: Sendable {
    let name: String
    let adapter: String
    let frame: [UInt8]

    /// An ordinary small request of each protocol.
    static let nip155 = nip155(id: 42)
    /// The request with another id, as two requests with one id are answered together.
    static func nip155(id: Int) -> BenchRequest {
        BenchRequest(
            name: "nip155", adapter: "nip155", frame: nostr(event: event(tags: 0), id: id))
    }
    static let nep413 = BenchRequest(
        name: "nep413", adapter: "nep413",
        frame: Array(
            (#"{"message":"Hello NEAR!","recipient":"example.near","nonce":"#
                + #""KNV0cOpvJ50D5vfF9pqWom8wo2sliQ4W+Wa7uZ3Uk6Y="}"#).utf8))
    /// A transfer that is returned and not sent; each nonce can be used once.
    static func transfer(_ nonce: Int) -> BenchRequest {
        BenchRequest(
            name: "nep413 transfer", adapter: "nep413",
            frame: transferStart + Array(String(nonce).utf8) + transferEnd)
    }
    private static let transferStart = Array(
        (#"{"method":"signTransaction","params":{"network":"mainnet","signerId":"bench.near","#
            + #""receiverId":"bob.near","actions":[{"type":"Transfer","params":{"deposit":"#
            + #""1000000000000000000000000"}}],"blockHash":"#
            + #""244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM","nonce":""#).utf8)
    private static let transferEnd = Array(#""}}"#.utf8)
    static let arc27 = BenchRequest(
        name: "arc27", adapter: "arc27",
        frame: Array(
            (#"{"id":"e5162ef6-4258-460c-b464-4540956e0e16","reference":"#
                + #""arc0027:sign_transactions:request","params":{"providerId":"#
                + #""02657eaf-be17-4efc-b0a4-19d654b2448e","txns":[{"txn":"iaNhbXTNA+ijZmVl"#
                + "zQPoomZ2zgMFANSjZ2VurHRlc3RuZXQtdjEuMKJnaMQgSGO1GKSzyE7IEPItTxCByw9x8Fmn"
                + "rCDexi9/cOUJOiKibHbOAwUEvKNyY3bEIHm1Vi6P5lT5QHixEuipi6eQH4U65pW+1+DjkQut"
                + "BJZko3NuZMQgA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbikdHlwZaNwYXk="
                + #""}]}}"#).utf8))

    /// An event with a number of tags.
    static func tagged(_ count: Int) -> BenchRequest {
        BenchRequest(
            name: "nip155 sign_event, \(count) tags", adapter: "nip155",
            frame: nostr(event: event(tags: count)))
    }

    /// Encrypts or decrypts a text of 1 KiB with another key.
    static func nip44(_ method: String, _ name: String, _ text: String) -> BenchRequest {
        BenchRequest(
            name: "nip155 \(method) 1 KiB", adapter: "nip155",
            frame: Array(
                ("nostrsigner://\(method)?type=\(method)&id=42&x-success=myapp://done"
                    + "&x-error=myapp://error&pubkey=\(peer)&\(name)="
                    + PercentEncoding.encode(text)).utf8))
    }

    /// The public key of the secret 6.
    static let peer = "fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a1460297556"

    private static func event(tags count: Int) -> String {
        let tags = (0..<count).map { #"["p","\#(peer)","wss://relay-\#($0).example"]"# }
        return #"{"kind":1,"content":"hello","tags":[\#(tags.joined(separator: ","))],"#
            + #""created_at":1700000000}"#
    }

    private static func nostr(event: String, id: Int = 42) -> [UInt8] {
        let large = event.utf8.count > 20_000
        let packed = large ? (try? Gzip.compress(Array(event.utf8).span)) ?? [] : []
        let value = large ? Base64.encode(packed.span) : event
        return Array(
            ("nostrsigner://sign_event?type=sign_event&id=\(id)&returnType=signature"
                + "&x-success=myapp://signed&x-error=myapp://error"
                + (large ? "&compressionType=gzip" : "")
                + "&event=\(PercentEncoding.encode(value))").utf8)
    }
}

/// A home with an unlocked vault, twelve rules, a ledger in memory and a durable one.
final class BenchHome: Sendable {
    let vault: Vault
    private let folder = TemporaryFolder()
    private let adapters: AdapterSet
    private let hub: SigningHub
    private let durableHub: SigningHub
    private let peer = Peer(channel: "bench", claim: "bench")

    init() throws {
        adapters = AdapterSet(providerID: "02657eaf-be17-4efc-b0a4-19d654b2448e")
        let home = try Home.create(at: folder.path)
        vault = try Self.makeVault(in: home, adapters)
        let ledger = try SQLiteLedger.made(in: home)
        let address = "AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUMQ"
        for (name, algorithm, address, first) in [
            ("nostr", KeyAlgorithm.bip340, "nostr", UInt8(0)),
            ("near", .ed25519, "bench.near", 1), ("algorand", .ed25519, address, 0),
        ] {
            let seed = SecretBytes(count: 32) { bytes in
                for index in bytes.indices { bytes[index] = first + UInt8(index) }
            }
            _ = try vault.add(
                name: name, protocolID: ProtocolID(name), algorithm: algorithm, address: address,
                network: name == "near" ? "mainnet" : nil, secret: seed)
        }
        let policy = try Self.policy(adapters)
        hub = SigningHub(
            policy: policy, keyStore: vault, ledger: MemoryLedger(),
            approval: NoApproval(), environment: SystemEnvironment())
        durableHub = SigningHub(
            policy: policy, keyStore: vault, ledger: ledger,
            approval: NoApproval(), environment: SystemEnvironment())
    }

    var path: String { folder.path }

    @discardableResult
    func answer(_ request: BenchRequest, durably: Bool = false) async throws -> String {
        let frame = request.frame
        let adapter = try adapters.choose(named: request.adapter, for: frame.span)
        let hub = durably ? durableHub : hub
        let answer = await hub.answer(Frame(bytes: frame, peer: peer), with: adapter)
        guard case .outcome(.done) = answer.ending, case .message(let bytes) = answer.reply else {
            throw CocoaError(.featureUnsupported, userInfo: ["answer": "\(answer)"])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The same keys with a separate ledger, and a rule whose limit is never reached.
    func limited(_ name: String) throws -> LimitedHub {
        try limited(at: path + "/" + name)
    }

    /// The same hub with the ledger of the home at `place`.
    func limited(at place: String) throws -> LimitedHub {
        let isNew = !FileManager.default.fileExists(atPath: place)
        let home = try Home.create(at: place)
        let ledger = try isNew ? SQLiteLedger.made(in: home) : SQLiteLedger.open(home)
        let text = """
            version = 1
            default = "deny"
            [[rule]]
            id = "limited"
            effect = "allow"
            protocol = "nostr"
            operation = "sign_event"
            acknowledge = ["new_client"]
            limit = [{ count = 100000000, per = "7d" }]
            """
        let hub = SigningHub(
            policy: try Self.policy(text, adapters), keyStore: vault, ledger: ledger,
            approval: NoApproval(), environment: SystemEnvironment())
        return LimitedHub(home: home, ledger: ledger, hub: hub, adapters: adapters)
    }

    /// A home with 1,000 keys, sealed by the passphrase `benchmark`.
    static func makeLarge(at path: String, keys count: Int) throws {
        let home = try Home.create(at: path)
        let vault = try makeVault(in: home, AdapterSet(providerID: UUID().uuidString))
        _ = try SQLiteLedger.made(in: home)
        for index in 0..<count {
            _ = try vault.add(
                name: "key-\(index)", protocolID: ProtocolID("nostr"), algorithm: .bip340,
                address: "address-\(index)", network: nil, secret: SecretBytes.random(count: 32))
        }
    }

    /// Uses the default cost, as the timed command unlocks this vault.
    private static func makeVault(in home: Home, _ adapters: AdapterSet) throws -> Vault {
        try .made(
            in: home, DomainRegistry(adapters.domains), passphrase: "benchmark",
            parameters: .standard)
    }

    private static func policy(_ adapters: AdapterSet) throws -> TOMLPolicy {
        var text = "version = 1\ndefault = \"deny\"\n"
        for index in 0..<9 {
            text += "[[rule]]\nid = \"other-\(index)\"\neffect = \"deny\"\nprotocol = \"nostr\"\n"
            text += "operation = \"sign_event\"\nkind = \(100 + index)\n"
        }
        for name in ["nostr", "near", "algorand"] {
            text += "[[rule]]\nid = \"\(name)\"\neffect = \"allow\"\nprotocol = \"\(name)\"\n"
            let flags = ["nostr": #", "decrypt", "oversize""#, "near": #", "offline_nonce""#]
            text += "acknowledge = [\"new_client\"\(flags[name] ?? "")]\n"
        }
        return try policy(text, adapters)
    }

    private static func policy(_ text: String, _ adapters: AdapterSet) throws -> TOMLPolicy {
        try TOMLPolicy.load(
            text.utf8.span, fileName: "policy.toml", schemas: adapters.schemas,
            at: SystemEnvironment().now(), sha256: { Digest.sha256($0) })
    }
}
