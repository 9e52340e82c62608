// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite struct NEARKeyTests {
    struct File: Decodable {
        let ed25519: [Row]
        let secp256k1: [Row]
    }

    struct Row: Decodable, Sendable {
        let secretKey: String
        let publicKey: String
        let messageSha256Of: String?
        let signature: String?
    }

    static func file() throws -> File {
        try Vectors.json("near/keys.json", as: File.self)
    }

    /// The bytes after `ed25519:` or `secp256k1:`.
    private func decode(_ text: String) throws -> [UInt8] {
        let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        var bytes: [UInt8] = []  // little-endian
        for letter in text.split(separator: ":")[1] {
            var carry = try #require(alphabet.firstIndex(of: letter))
            for index in bytes.indices {
                carry += Int(bytes[index]) * 58
                bytes[index] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            if carry > 0 { bytes.append(UInt8(carry)) }
        }
        return bytes.reversed()
    }

    @Test("Ed25519 seeds give their public keys and signatures", arguments: try file().ed25519)
    func ed25519(row: Row) throws {
        let seed = Array(try decode(row.secretKey).prefix(32))
        let key = try Ed25519Key(seed: SecretBytes(seed))
        #expect(try key.publicKey == decode(row.publicKey))
        guard let message = row.messageSha256Of, let signature = row.signature else { return }
        let digest = Digest.sha256(Array(message.utf8).span)
        let signed = try key.sign(digest.span)
        #expect(try signed == decode(signature))
    }

    @Test("One Ed25519 row and the secp256k1 row carry a signature")
    func count() throws {
        let file = try Self.file()
        #expect(file.ed25519.count { $0.signature != nil } == 1)
        #expect(file.secp256k1.count { $0.signature != nil } == 1)
    }

    private func isValid(_ signature: [UInt8], _ digest: [UInt8], _ publicKey: [UInt8]) -> Bool {
        Signatures.isValidECDSA(
            signature: signature.span, digest: digest.span, publicKey: publicKey.span)
    }

    @Test("The secp256k1 signature verifies, and no changed one does")
    func ecdsa() throws {
        let row = try #require(try Self.file().secp256k1.first)
        let digest = Digest.sha256(Array(try #require(row.messageSha256Of).utf8).span)
        let signature = try decode(#require(row.signature))
        let publicKey = try decode(row.publicKey)
        #expect(signature.count == 65 && publicKey.count == 64)
        #expect(isValid(signature, digest, publicKey))
        #expect(isValid(signature.dropLast(), digest, publicKey))
        for bit in 0..<512 {
            #expect(!isValid(signature.flipping(bit: bit), digest, publicKey))
            #expect(!isValid(signature, digest, publicKey.flipping(bit: bit)))
        }
        for bit in 0..<256 { #expect(!isValid(signature, digest.flipping(bit: bit), publicKey)) }
    }

    @Test("High s verifies too; another recovery id than the key's and other lengths do not")
    func ecdsaForms() throws {
        let row = try #require(try Self.file().secp256k1.first)
        let digest = Digest.sha256(Array(try #require(row.messageSha256Of).utf8).span)
        let signature = try decode(#require(row.signature))
        let publicKey = try decode(row.publicKey)
        // The group order minus s.
        let other = [UInt8](
            hex: "8274a00ba9db83f781621cf86b3aadbbfc88bea228a7ee6e4eeef59a68acda00")
        #expect(isValid(signature[..<32] + other, digest, publicKey))
        let id = try #require(signature.last)
        // The other s needs the other recovery id.
        #expect(isValid(signature[..<32] + other + [id ^ 1], digest, publicKey))
        #expect(!isValid(signature[..<32] + other + [id], digest, publicKey))
        for wrong in (0...255).map(UInt8.init) where wrong != id {
            #expect(!isValid(signature.dropLast() + [wrong], digest, publicKey))
        }
        #expect(!isValid(signature + [0], digest, publicKey))
        #expect(!isValid(signature.dropLast(2), digest, publicKey))
        #expect(!isValid(signature, digest.dropLast(), publicKey))
        #expect(!isValid(signature, digest, [4] + publicKey))
        #expect(!isValid(signature, digest, publicKey.dropLast()))
        #expect(!isValid([UInt8](repeating: 0, count: 64), digest, publicKey))
        #expect(!isValid([UInt8](repeating: 0xFF, count: 64), digest, publicKey))
    }
}
