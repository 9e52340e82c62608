// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import SigningCrypto

@Suite("Extended Ed25519 keys of ARC-52")
struct BIP32Ed25519Tests {
    struct File: Decodable {
        struct Key: Decodable, Sendable {
            let xprv_hex: Hex
            let public_key_hex: Hex
            let sig_over_TX_of_transactions0_b64: Data
        }

        struct Row: Decodable, Sendable {
            let path: String
            let peikert_g9: Key
            let khovratovich_g32: Key

            func key(_ mode: BIP32Ed25519.Mode) -> Key {
                mode == .peikert ? peikert_g9 : khovratovich_g32
            }
        }

        let mnemonic_bip39: String
        let passphrase: String
        let seed_hex: Hex
        let root_kL_kR_cc_hex: Hex
        let keys: [Row]
    }

    struct Transactions: Decodable {
        struct Row: Decodable { let txn_b64: Data }
        let transactions: [Row]
    }

    static func file() throws -> File {
        try Vectors.json("algorand/hd_arc52.json", as: File.self)
    }

    @Test("The words give the seed, and the seed the root", arguments: BIP32Ed25519.Mode.allCases)
    func root(mode: BIP32Ed25519.Mode) throws {
        let file = try Self.file()
        let entropy = try BIP39.entropy(words: Array(file.mnemonic_bip39.utf8).span)
        let seed = try BIP39.seed(
            entropy: entropy, passphrase: SecretBytes(text: file.passphrase))
        #expect(seed.copy() == file.seed_hex.bytes)
        let path = try #require(BIP32Ed25519.Path("m"))
        let node = try BIP32Ed25519.node(seed: seed, path: path, mode: mode)
        #expect(node.copy() == file.root_kL_kR_cc_hex.bytes)
    }

    @Test(
        "Every path gives its secret, its key and its signature in both modes",
        arguments: try file().keys, BIP32Ed25519.Mode.allCases)
    func keys(row: File.Row, mode: BIP32Ed25519.Mode) throws {
        let file = try Self.file()
        let expected = row.key(mode)
        let path = try #require(BIP32Ed25519.Path(row.path))
        #expect(path.text == row.path)
        let node = try BIP32Ed25519.node(
            seed: SecretBytes(file.seed_hex.bytes), path: path, mode: mode)
        #expect(node.copy() == expected.xprv_hex.bytes)

        let entropy = try BIP39.entropy(words: Array(file.mnemonic_bip39.utf8).span)
        let secret = try BIP32Ed25519.secret(
            entropy: entropy, passphrase: SecretBytes(text: file.passphrase), path: path,
            mode: mode)
        #expect(secret.copy() == Array(expected.xprv_hex.bytes.prefix(64)))
        let key = try Ed25519Key(extended: secret)
        #expect(key.publicKey == expected.public_key_hex.bytes)
        #expect(try Ed25519Key(secret: secret).publicKey == expected.public_key_hex.bytes)

        let file0 = try Vectors.json("algorand/transactions.json", as: Transactions.self)
        let message = Array("TX".utf8) + [UInt8](try #require(file0.transactions.first).txn_b64)
        let signature = try key.sign(message.span)
        #expect(signature == [UInt8](expected.sig_over_TX_of_transactions0_b64))
        #expect(isEd25519(signature, of: message, by: key.publicKey))
    }

    @Test("All rows are there")
    func counts() throws {
        #expect(try Self.file().keys.count == 8)
        #expect(BIP32Ed25519.Path.algorand == BIP32Ed25519.Path("m/44'/283'/0'/0/0"))
    }

    @Test("The longest paths of the largest numbers still sign", arguments: 0..<16 as Range<UInt8>)
    func deepest(fill: UInt8) throws {
        let seed = SecretBytes([UInt8](repeating: fill, count: 64))
        let numbers = (0..<8).map { $0 % 2 == 0 ? UInt32.max - $0 : $0 }
        let path = try #require(BIP32Ed25519.Path(numbers: numbers))
        for mode in BIP32Ed25519.Mode.allCases {
            let key = try Ed25519Key(
                extended: BIP32Ed25519.secret(seed: seed, path: path, mode: mode))
            for count in [0, 1, 200] {
                let message = [UInt8](repeating: 7, count: count)
                #expect(try key.sign(message.span).count == 64)
            }
        }
    }

    @Test("A path has one spelling and is not too deep")
    func paths() {
        let wrong = [
            "", "/", "m/", "m/'", "M/0", "44'/283'", "m/0/", " m/0", "m/0 ", "m/+1", "m/-1", "m/00",
            "m/01'", "m/1''", "m/1h", "m/1H'", "m/2147483648", "m/2147483648'", "m/1\u{2019}",
            "m/\u{661}", "m" + String(repeating: "/0", count: 9),
            "m" + String(repeating: "/", count: 1_000),
        ]
        for text in wrong { #expect(BIP32Ed25519.Path(text) == nil, "\(text)") }
        #expect(BIP32Ed25519.Path("m" + String(repeating: "/0'", count: 8))?.numbers.count == 8)
        #expect(BIP32Ed25519.Path("m/2147483647'")?.numbers == [.max])
        #expect(BIP32Ed25519.Path("m")?.numbers == [])
        #expect(BIP32Ed25519.Path(numbers: [UInt32](repeating: 0, count: 9)) == nil)
    }

    @Test("An invalid extended secret is refused")
    func refused() throws {
        let good = Array(try #require(try Self.file().keys.first).peikert_g9.xprv_hex.bytes[..<64])
        func error(_ bytes: [UInt8]) -> CryptoError? {
            cryptoError { () throws(CryptoError) in
                _ = try Ed25519Key(extended: SecretBytes(bytes)).publicKey
            }
        }
        #expect(error(good) == nil)
        for bit in [0, 1, 2, 254, 255] {
            #expect(error(good.flipping(bit: bit)) == .invalidSecretKey, "\(bit)")
        }
        for count in [0, 32, 63] {
            #expect(
                error([UInt8](good.prefix(count))) == .wrongLength(expected: 64, actual: count))
        }
        for count in [0, 15, 65] {
            let error = cryptoError { () throws(CryptoError) in
                _ = try BIP32Ed25519.secret(
                    seed: SecretBytes([UInt8](repeating: 1, count: count)), path: .algorand,
                    mode: .peikert)
            }
            #expect(error == .lengthOutOfRange(actual: count, max: 64))
        }
    }

    @Test("A signature of an extended secret that does not verify is not handed out")
    func selfCheck() throws {
        let rows = try Self.file().keys
        let secret = SecretBytes(Array(rows[0].peikert_g9.xprv_hex.bytes.prefix(64)))
        // The halves of two keys, as after a memory fault.
        let key = Ed25519Key(
            secretKey: secret, publicKey: rows[1].peikert_g9.public_key_hex.bytes,
            isExtended: true)
        let message: [UInt8] = [1]
        #expect(throws: CryptoError.signatureSelfCheckFailed) { try key.sign(message.span) }
    }
}
