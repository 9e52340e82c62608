// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite struct Secp256k1KeyTests {
    static let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"

    @Test("Two signatures of one digest differ and both verify")
    func freshRandomness() throws {
        let key = try Secp256k1Key(secret: SecretBytes.random(count: 32))
        let digest = Digest.sha256([1, 2, 3].span)
        let first = try key.sign(digest.span)
        let second = try key.sign(digest.span)
        #expect(first != second)
        #expect(isBIP340(first, of: digest, by: key.publicKey))
        #expect(isBIP340(second, of: digest, by: key.publicKey))
    }

    @Test("A signature that does not verify is not handed out")
    func selfCheck() throws {
        let own = try Secp256k1Key.makeKeypair(secret: SecretBytes.random(count: 32))
        let other = try Secp256k1Key.makeKeypair(secret: SecretBytes.random(count: 32))
        // The halves of two keys, as after a memory fault.
        let key = try Secp256k1Key(
            keypair: own, publicKey: Secp256k1Key.publicKey(of: other))
        let digest = Digest.sha256([1].span)
        #expect(throws: CryptoError.signatureSelfCheckFailed) {
            try key.sign(digest.span)
        }
    }

    @Test("Keys sign on several threads at once")
    func threads() async throws {
        let digest = sha256([1])
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in UInt8(1)...8 {
                group.addTask {
                    let secret = [UInt8](repeating: number, count: 32)
                    let key = try Secp256k1Key(secret: SecretBytes(secret))
                    return try (0..<20).allSatisfy { _ in
                        let signature = try key.sign(digest.span)
                        return isBIP340(signature, of: digest, by: key.publicKey)
                    }
                }
            }
            for try await isValid in group { #expect(isValid) }
        }
    }

    @Test("Each flipped bit of signature, digest or key refuses")
    func flips() throws {
        let key = try Secp256k1Key(secret: SecretBytes([UInt8](repeating: 7, count: 32)))
        let digest = Digest.sha256([9].span)
        let signature = try key.sign(digest.span)
        for bit in 0..<512 {
            #expect(!isBIP340(signature.flipping(bit: bit), of: digest, by: key.publicKey))
        }
        for bit in 0..<256 {
            #expect(!isBIP340(signature, of: digest.flipping(bit: bit), by: key.publicKey))
            #expect(!isBIP340(signature, of: digest, by: key.publicKey.flipping(bit: bit)))
        }
        #expect(!isBIP340(signature.dropLast(), of: digest, by: key.publicKey))
        #expect(!isBIP340(signature + [0], of: digest, by: key.publicKey))
        #expect(!isBIP340(signature, of: digest, by: key.publicKey + [0]))
        #expect(!isBIP340([], of: [], by: []))
    }

    @Test("Zero, the order and everything above are not secret keys")
    func secretRange() {
        for secret in [String(repeating: "0", count: 64), Self.order, order(plus: 1)] {
            let error = cryptoError { () throws(CryptoError) in
                _ = try Secp256k1Key(secret: SecretBytes([UInt8](hex: secret))).publicKey
            }
            #expect(error == .invalidSecretKey)
        }
        let highest = cryptoError { () throws(CryptoError) in
            _ = try Secp256k1Key(secret: SecretBytes([UInt8](hex: order(plus: -1)))).publicKey
        }
        #expect(highest == nil)
    }

    /// The group order with a small number added to its last byte.
    private func order(plus difference: Int) -> String {
        Self.order.dropLast(2) + String(0x41 + difference, radix: 16)
    }

    @Test("Secrets, digests and peers of another length are refused", arguments: [0, 31, 33])
    func lengths(count: Int) throws {
        let wrong = CryptoError.wrongLength(expected: 32, actual: count)
        let bytes = [UInt8](repeating: 1, count: count)
        let key = try Secp256k1Key(secret: SecretBytes.random(count: 32))
        let secret = cryptoError { () throws(CryptoError) in
            _ = try Secp256k1Key(secret: SecretBytes(bytes)).publicKey
        }
        #expect(secret == wrong)
        #expect(throws: wrong) { try key.sign(bytes.span) }
        #expect(throws: wrong) { try key.sharedX(with: bytes.span).count }
        #expect(!isPublicKey(bytes))
    }

    @Test("Both parties share the same X, for each parity of their points")
    func agreement() throws {
        for number in UInt8(1)...8 {
            let own = try Secp256k1Key(secret: SecretBytes([UInt8](repeating: number, count: 32)))
            let peer = try Secp256k1Key(secret: SecretBytes.random(count: 32))
            let forth = try own.sharedX(with: peer.publicKey.span)
            let back = try peer.sharedX(with: own.publicKey.span)
            let isSame = forth.isEqual(to: back)
            #expect(isSame)
        }
    }

    @Test("The X shared with the generator is the own public key")
    func generator() throws {
        let generator = [UInt8](
            hex: "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
        let key = try Secp256k1Key(secret: SecretBytes.random(count: 32))
        let shared = try key.sharedX(with: generator.span)
        #expect(shared.copy() == key.publicKey)
    }

    @Test("A peer that is not on the curve is refused")
    func invalidPeer() throws {
        let key = try Secp256k1Key(secret: SecretBytes.random(count: 32))
        let peer = [UInt8](repeating: 0xFF, count: 32)
        #expect(throws: CryptoError.invalidPublicKey) { try key.sharedX(with: peer.span).count }
    }
}
