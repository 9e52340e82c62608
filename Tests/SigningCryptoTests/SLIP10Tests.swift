// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite("SLIP-10 and NEAR's key texts")
struct SLIP10Tests {
    struct File: Decodable {
        struct Row: Decodable, Sendable {
            let id: String
            let mnemonic: String
            let passphrase: String
            let path: String
            let bip39SeedHex: Hex
            let privateKeySeedHex: Hex
            let chainCodeHex: Hex
            let publicKey: String
            let secretKey: String
            let implicitAccountId: Hex
        }

        struct Node: Decodable, Sendable {
            let seedHex: Hex
            let path: String
            let privateKeySeedHex: Hex
        }

        let vectors: [Row]
        let slip10: [Node]
        let invalidPaths: [String]
    }

    static func file() throws -> File {
        try Vectors.json("near/derivation.json", as: File.self)
    }

    @Test("Every node of SLIP-10 is found", arguments: try file().slip10)
    func nodes(node: File.Node) throws {
        let path = try #require(SLIP10.Path(node.path))
        let secret = try SLIP10.secret(seed: SecretBytes(node.seedHex.bytes), path: path)
        #expect(secret.copy() == node.privateKeySeedHex.bytes)
        #expect(path.text == node.path)
    }

    @Test("Every phrase gives its key in every form", arguments: try file().vectors)
    func phrases(row: File.Row) throws {
        let path = try #require(SLIP10.Path(row.path))
        let entropy = try BIP39.entropy(words: Array(row.mnemonic.utf8).span)
        let passphrase = SecretBytes(text: row.passphrase)
        let seed = try BIP39.seed(entropy: entropy, passphrase: passphrase)
        #expect(seed.copy() == row.bip39SeedHex.bytes)
        let node = try SLIP10.node(seed: seed, path: path)
        #expect(node.copy() == row.privateKeySeedHex.bytes + row.chainCodeHex.bytes)
        let secret = try SLIP10.secret(entropy: entropy, passphrase: passphrase, path: path)
        #expect(secret.copy() == row.privateKeySeedHex.bytes)
        #expect(try Ed25519Key(seed: secret).publicKey == row.implicitAccountId.bytes)

        let text = SecretBytes(Array(row.secretKey.utf8))
        #expect(try SecretText.near(text).copy() == secret.copy())
    }

    @Test("All rows are there")
    func counts() throws {
        let file = try Self.file()
        #expect(file.vectors.count == 8 && file.slip10.count == 9 && file.invalidPaths.count == 5)
    }

    @Test("A path is hardened, in one spelling, and not too deep")
    func paths() throws {
        for text in try Self.file().invalidPaths { #expect(SLIP10.Path(text) == nil, "\(text)") }
        let wrong = [
            "", "/", "m/", "m/'", "M/0'", "44'/397'/0'", "m/0'/", " m/0'", "m/0' ", "m/+1'",
            "m/-1'", "m/00'", "m/01'", "m/1''", "m/1h", "m/1H", "m/1\u{2019}", "m/\u{661}'",
            "m/4294967296'", "m/99999999999999999999'", "m" + String(repeating: "/0'", count: 11),
            "m" + String(repeating: "/", count: 1_000),
        ]
        for text in wrong { #expect(SLIP10.Path(text) == nil, "\(text)") }
        #expect(SLIP10.Path("m" + String(repeating: "/0'", count: 10))?.numbers.count == 10)
        #expect(SLIP10.Path("m/2147483647'")?.numbers == [SLIP10.Path.numberMax])
        #expect(SLIP10.Path("m")?.numbers == [])
        #expect(SLIP10.Path.near == SLIP10.Path("m/44'/397'/0'"))
        #expect(SLIP10.Path(numbers: [1 << 31]) == nil)
        #expect(SLIP10.Path(numbers: [UInt32](repeating: 0, count: 11)) == nil)
    }

    @Test("Seeds have 16 to 64 bytes", arguments: [0, 15, 65])
    func lengths(count: Int) {
        let error = cryptoError { () throws(CryptoError) in
            _ = try SLIP10.secret(
                seed: SecretBytes([UInt8](repeating: 1, count: count)), path: .near)
        }
        #expect(error == .lengthOutOfRange(actual: count, max: 64))
    }

    @Test("An invalid Ed25519 secret is refused")
    func refused() throws {
        struct Keys: Decodable {
            struct Row: Decodable { let secretKey: String }
            let ed25519: [Row]
            let secp256k1: [Row]
            let invalidPublicKeys: [String]
        }
        let keys = try Vectors.json("near/keys.json", as: Keys.self)
        for row in keys.ed25519 {
            _ = try SecretText.near(SecretBytes(text: row.secretKey))
            _ = try SecretText.near(SecretBytes(text: " \t\(row.secretKey)\r\n"))
        }
        let whole = try #require(keys.ed25519.first).secretKey
        // 64 bytes contain the public half and need no prefix.
        _ = try SecretText.near(SecretBytes(text: whole.replacing("ed25519:", with: "")))
        let wrong =
            keys.secp256k1.map(\.secretKey) + [
                whole.replacing("ed", with: "ED"), "ed25519:ed25519:",
                whole.replacing(":", with: ": "), String(whole.dropLast()), whole + "1", "ed25519",
            ]
        // The last invalid public key begins with a space, which a pasted text may have.
        for text in keys.invalidPublicKeys.dropLast() + wrong {
            #expect(throws: SecretText.ParseError.self, "\(text)") {
                _ = try SecretText.near(SecretBytes(text: text))
            }
        }
    }
}
