// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite struct Ed25519KeyTests {
    struct Row: Sendable {
        let seed: String
        let publicKey: String
        let message: String
        let signature: String
    }

    /// RFC 8032 section 7.1: tests 1, 2, 3 and "SHA(abc)".
    static let rows = [
        Row(
            seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            message: "",
            signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
        Row(
            seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            message: "72",
            signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
        Row(
            seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            message: "af82",
            signature: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
        Row(
            seed: "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
            publicKey: "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
            message: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            signature: "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
                + "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"),
    ]

    @Test("Keys and signatures are those of RFC 8032", arguments: rows)
    func known(row: Row) throws {
        let key = try Ed25519Key(seed: SecretBytes([UInt8](hex: row.seed)))
        let message = Hex(row.message).bytes
        let signature = try key.sign(message.span)
        #expect(key.publicKey == Hex(row.publicKey).bytes)
        #expect(signature == Hex(row.signature).bytes)
        #expect(isEd25519(signature, of: message, by: key.publicKey))
    }

    @Test("Each flipped bit of signature, message or key refuses")
    func flips() {
        let row = Self.rows[2]
        let signature = Hex(row.signature).bytes
        let message = Hex(row.message).bytes
        let publicKey = Hex(row.publicKey).bytes
        #expect(isEd25519(signature, of: message, by: publicKey))
        for bit in 0..<512 {
            #expect(!isEd25519(signature.flipping(bit: bit), of: message, by: publicKey))
        }
        for bit in 0..<16 {
            #expect(!isEd25519(signature, of: message.flipping(bit: bit), by: publicKey))
        }
        for bit in 0..<256 {
            #expect(!isEd25519(signature, of: message, by: publicKey.flipping(bit: bit)))
        }
        #expect(!isEd25519(signature.dropLast(), of: message, by: publicKey))
        #expect(!isEd25519(signature + [0], of: message, by: publicKey))
        #expect(!isEd25519(signature, of: message, by: publicKey.dropLast()))
        #expect(!isEd25519(signature, of: message, by: publicKey + [0]))
        #expect(!isEd25519([], of: [], by: []))
    }

    @Test("A key of small order verifies nothing")
    func smallOrder() {
        // The neutral element as key and as R with s = 0 satisfies the verification equation.
        let neutral = [1] + [UInt8](repeating: 0, count: 31)
        let signature = neutral + [UInt8](repeating: 0, count: 32)
        #expect(!isEd25519(signature, of: [1, 2], by: neutral))
    }

    @Test("A signature that does not verify is not handed out")
    func selfCheck() throws {
        var publicKey = Hex(Self.rows[0].publicKey).bytes
        let secretKey = Ed25519Key.expand(
            seed: SecretBytes([UInt8](hex: Self.rows[1].seed)), publicKey: &publicKey)
        // The halves of two keys, as after a memory fault.
        let key = Ed25519Key(
            secretKey: secretKey, publicKey: [UInt8](hex: Self.rows[0].publicKey))
        let message: [UInt8] = [1]
        #expect(throws: CryptoError.signatureSelfCheckFailed) { try key.sign(message.span) }
    }

    @Test("A seed that is not 32 bytes is refused", arguments: [0, 31, 33, 64])
    func seedLength(count: Int) {
        let error = cryptoError { () throws(CryptoError) in
            _ = try Ed25519Key(seed: SecretBytes.random(count: count)).publicKey
        }
        #expect(error == .wrongLength(expected: 32, actual: count))
    }
}
