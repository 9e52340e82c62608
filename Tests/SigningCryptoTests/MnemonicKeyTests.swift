// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite("BIP-39, BIP-32, NIP-06")
struct MnemonicKeyTests {
    struct BIP39File: Decodable {
        let passphrase: String
        let english: [[String]]
    }

    struct BIP32Row: Decodable {
        struct Chain: Decodable {
            let path: String
            let xprv: String
        }
        let vector: Int
        let seed: Hex?
        let chains: [Chain]?
    }

    struct NIP06File: Decodable {
        struct Row: Decodable {
            let mnemonic: String
            let passphrase: String
            let account: UInt32
            let secretKey: Hex
            let bip39Seed: Hex?
        }
        let valid: [Row]
        let invalidMnemonic: [String]
    }

    /// The secret in an extended private key, a format that only this test reads.
    private static func secret(xprv: String) -> [UInt8] {
        let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        var bytes: [UInt8] = []  // little-endian
        for letter in xprv {
            var carry = alphabet.firstIndex(of: letter) ?? 0
            for index in bytes.indices {
                carry += Int(bytes[index]) * 58
                bytes[index] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            while carry > 0 {
                bytes.append(UInt8(carry & 0xFF))
                carry >>= 8
            }
        }
        // The text encodes 78 bytes and a checksum of four.
        return Array(bytes.reversed()[46..<78])
    }

    private static func path(_ text: String) -> [UInt32] {
        text.split(separator: "/").dropFirst().compactMap { part in
            let isHardened = part.hasSuffix("'") || part.hasSuffix("H")
            return UInt32(isHardened ? part.dropLast() : part).map {
                isHardened ? $0 + BIP32.hardened : $0
            }
        }
    }

    @Test("Every mnemonic of BIP-39 gives its entropy, its seed and its master secret")
    func bip39() throws {
        let file = try Vectors.snakeJSON("nostr/bip39.vectors.json", as: BIP39File.self)
        #expect(file.english.count == 24)
        for row in file.english {
            let entropy = SecretBytes([UInt8](hex: row[0]))
            #expect(BIP39.words(entropy: entropy).copy() == Array(row[1].utf8))
            #expect(try BIP39.entropy(words: Array(row[1].utf8).span).copy() == entropy.copy())
            let seed = try BIP39.seed(
                entropy: entropy, passphrase: SecretBytes(text: file.passphrase))
            #expect(seed.copy() == [UInt8](hex: row[2]))
            #expect(try BIP32.secret(seed: seed, path: []).copy() == Self.secret(xprv: row[3]))
        }
    }

    @Test("Every chain of BIP-32 gives its secret; its invalid keys are a form that is not read")
    func bip32() throws {
        let rows = try Vectors.snakeJSON("nostr/bip32.vectors.json", as: [BIP32Row].self)
        var count = 0
        for row in rows {
            guard let seed = row.seed, let chains = row.chains else { continue }
            for chain in chains {
                let secret = try BIP32.secret(
                    seed: SecretBytes(seed.bytes), path: Self.path(chain.path))
                #expect(
                    secret.copy() == Self.secret(xprv: chain.xprv), "\(row.vector) \(chain.path)")
                count += 1
            }
        }
        #expect(count >= 16)
        for length in [15, 65] {
            #expect(throws: CryptoError.self) {
                _ = try BIP32.secret(
                    seed: SecretBytes([UInt8](repeating: 1, count: length)), path: [])
            }
        }
    }

    @Test("Every account of NIP-06 gives its secret, with its passphrase")
    func nip06() throws {
        let file = try Vectors.snakeJSON("nostr/nip06.vectors.json", as: NIP06File.self)
        #expect(file.valid.count >= 5)
        for row in file.valid {
            let entropy = try BIP39.entropy(words: Array(row.mnemonic.utf8).span)
            let passphrase = SecretBytes(text: row.passphrase)
            if let seed = row.bip39Seed {
                #expect(
                    try BIP39.seed(entropy: entropy, passphrase: passphrase).copy() == seed.bytes)
            }
            let secret = try NIP06.secret(
                entropy: entropy, passphrase: passphrase, account: row.account)
            #expect(secret.copy() == row.secretKey.bytes)
        }
        for words in file.invalidMnemonic {
            #expect(throws: MnemonicError.self) {
                _ = try BIP39.entropy(words: Array(words.utf8).span)
            }
        }
    }

    @Test("The error of a mnemonic is reported without its words")
    func mnemonicErrors() throws {
        let good = "leader monkey parrot ring guide accident before fence cannon height naive bean"
        let words = good.split(separator: " ").map(String.init)
        #expect(Self.error(good) == nil)
        #expect(Self.error("\t\(good.uppercased())\n") == nil)
        let counts = MnemonicError.wrongWordCount(expected: BIP39.wordCounts)
        #expect(Self.error("") == counts)
        #expect(Self.error(words.dropLast().joined(separator: " ")) == counts)
        #expect(Self.error(good + " bean") == counts)
        #expect(Self.error(good.replacing("ring", with: "rign")) == .unknownWord(position: 4))
        #expect(Self.error(good.replacing("bean", with: "beach")) == .wrongChecksum)
        for count in BIP39.wordCounts {
            let made = BIP39.words(entropy: BIP39.makeEntropy(wordCount: count)).copy()
            #expect(MnemonicWords.count(in: made.span) == count)
            #expect(Self.error(String(decoding: made, as: UTF8.self)) == nil)
        }
    }

    private static func error(_ words: String) -> MnemonicError? {
        do throws(MnemonicError) {
            _ = try BIP39.entropy(words: Array(words.utf8).span)
            return nil
        } catch {
            return error
        }
    }

    @Test("The words are those of BIP-39")
    func wordList() throws {
        let text = String(decoding: try Vectors.bytes("nostr/bip39.english.txt"), as: UTF8.self)
        let words = text.split(separator: "\n")
        #expect(words.count == 2_048)
        for (index, word) in words.enumerated() {
            #expect(EnglishWordList.shared.word(at: index).elementsEqual(word.utf8))
        }
    }
}
