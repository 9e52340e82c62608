// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningCrypto

/// One key per protocol and ordinary requests for them.
enum Samples {
    static let adapters = AdapterSet(providerID: "85533948-4d0b-4727-904e-dd35305d49aa")
    static let names = ["nip155", "nip07", "nep413", "arc27"]

    /// The seed 00..1f, which the Algorand vectors use; for NEAR 01..20, because a key belongs to
    /// one protocol.
    static func secret(_ family: String) -> SecretBytes {
        let first: UInt8 = family == "near" ? 1 : 0
        return SecretBytes(count: 32) { bytes in
            for index in bytes.indices { bytes[index] = first + UInt8(index) }
        }
    }

    static func account(_ name: String) throws -> Account {
        let nostr = try Secp256k1Key(secret: secret("nostr"))
        let near = try Ed25519Key(seed: secret("near"))
        let algorand = try Ed25519Key(seed: secret("algorand"))
        return switch name {
        case "nip155", "nip07":
            make("nostr", .bip340, nostr.publicKey, Hex.encode(nostr.publicKey.span))
        case "nep413": make("near", .ed25519, near.publicKey, "alice.near")
        default: make("algorand", .ed25519, algorand.publicKey, algorandAddress)
        }
    }

    static let algorandAddress = "AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUMQ"

    private static func make(
        _ family: String, _ algorithm: KeyAlgorithm, _ key: [UInt8], _ address: String
    ) -> Account {
        Account(
            id: KeyID(family), name: family, protocolID: ProtocolID(family), algorithm: algorithm,
            publicKey: key, address: address, network: nil)
    }

    static func frame(_ name: String) -> [UInt8] {
        switch name {
        case "nip155":
            Array(
                ("nostrsigner://sign_event?type=sign_event&id=42&x-success=myapp://ok"
                    + "&event=%7B%22kind%22%3A1%2C%22content%22%3A%22hello%22%2C%22tags%22%3A"
                    + "%5B%5D%2C%22created_at%22%3A1700000000%7D").utf8)
        case "nip07":
            Array(
                (#"{"nip07":"signEvent","params":[{"kind":1,"content":"hello","tags":[],"#
                    + #""created_at":1700000000}]}"#).utf8)
        case "nep413":
            Array(
                (#"{"message":"Hello NEAR!","recipient":"example.near","nonce":"#
                    + #""KNV0cOpvJ50D5vfF9pqWom8wo2sliQ4W+Wa7uZ3Uk6Y="}"#).utf8)
        default:
            Array(
                (#"{"id":"e5162ef6-4258-460c-b464-4540956e0e16","reference":"#
                    + #""arc0027:sign_transactions:request","params":{"providerId":"#
                    + #""85533948-4d0b-4727-904e-dd35305d49aa","txns":[{"txn":"iaNhbXTNA+ijZmVl"#
                    + "zQPoomZ2zgMFANSjZ2VurHRlc3RuZXQtdjEuMKJnaMQgSGO1GKSzyE7IEPItTxCByw9x8Fmn"
                    + "rCDexi9/cOUJOiKibHbOAwUEvKNyY3bEIHm1Vi6P5lT5QHixEuipi6eQH4U65pW+1+DjkQut"
                    + "BJZko3NuZMQgA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbikdHlwZaNwYXk="
                    + #""}]}}"#).utf8)
        }
    }

    static func context(_ name: String, client: Client? = nil) throws -> DecodingContext {
        DecodingContext(
            accounts: [try account(name)],
            peer: Peer(channel: "test"), client: client,
            now: Timestamp(seconds: 1_790_000_000), freshID: [UInt8](repeating: 7, count: 16),
            wasSeen: { _ in nil })
    }
}
