// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningDigests
import Testing

@Suite("Signatures are checked without a secret")
struct SignatureTests {
    /// Key, signature and message: RFC 8032, 7.1, test 1.
    static let ed25519 = (
        key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )
    /// BIP-340, vector 0, whose message is 32 zeros.
    static let bip340 = (
        key: "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
        signature: "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215"
            + "25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0"
    )

    @Test("Ed25519")
    func edwards() throws {
        let key = try Hex.decode(Self.ed25519.key)
        var signature = try Hex.decode(Self.ed25519.signature)
        let empty: [UInt8] = []
        func isValid() -> Bool {
            Signatures.isValidEd25519(
                signature: signature.span, message: empty.span, publicKey: key.span)
        }
        #expect(isValid())
        signature[0] ^= 1
        #expect(!isValid())
        signature.removeLast()
        #expect(!isValid())
    }

    @Test("BIP-340")
    func schnorr() throws {
        let key = try Hex.decode(Self.bip340.key)
        var signature = try Hex.decode(Self.bip340.signature)
        let message = [UInt8](repeating: 0, count: 32)
        func isValid(_ key: [UInt8]) -> Bool {
            Signatures.isValidBIP340(
                signature: signature.span, message: message.span, publicKey: key.span)
        }
        #expect(isValid(key))
        #expect(!isValid([UInt8](repeating: 0xFF, count: 32)))
        #expect(!isValid(Array(key.dropLast())))
        signature[63] ^= 1
        #expect(!isValid(key))
    }
}
