// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import SigningCrypto

@Suite struct AlgorandMnemonicTests {
    struct File: Decodable {
        struct Valid: Decodable, Sendable {
            let mnemonic: String
            let seed_hex: Hex
            let public_key_hex: Hex
        }

        struct Invalid: Decodable, Sendable {
            let mnemonic: String
            let why: String
        }

        let valid: [Valid]
        let invalid: [Invalid]
    }

    static func file() throws -> File {
        try Vectors.json("algorand/mnemonics.json", as: File.self)
    }

    private func seed(_ words: String) throws(MnemonicError) -> [UInt8] {
        let seed = try AlgorandMnemonic.seed(words: Array(words.utf8).span)
        return seed.copy()
    }

    @Test("Words, seed and public key belong together", arguments: try file().valid)
    func valid(row: File.Valid) throws {
        #expect(try seed(row.mnemonic) == row.seed_hex.bytes)
        let written = AlgorandMnemonic.words(seed: SecretBytes(row.seed_hex.bytes))
        #expect(written.copy() == Array(row.mnemonic.utf8))
        let key = try Ed25519Key(seed: SecretBytes(row.seed_hex.bytes))
        #expect(key.publicKey == row.public_key_hex.bytes)
    }

    @Test("Case, white space and shortened words do not matter", arguments: try file().valid)
    func forms(row: File.Valid) throws {
        let words = row.mnemonic.split(separator: " ")
        let forms = [
            row.mnemonic.uppercased(), words.map { $0.prefix(4) }.joined(separator: " "),
            words.map { $0.prefix(5) }.joined(separator: "\r\n"),
            " \t" + words.joined(separator: "\t \u{0B}\u{0C}\n") + "\n",
        ]
        for form in forms { #expect(try seed(form) == row.seed_hex.bytes) }
    }

    @Test("Each invalid row is refused for its own reason")
    func invalid() throws {
        let rows = try Self.file().invalid
        let errors = rows.map { row in
            #expect(throws: MnemonicError.self) { try seed(row.mnemonic) }
        }
        #expect(
            errors == [
                .wrongChecksum, .wrongWordCount(expected: [25]), .unknownWord(position: 25),
                .notCanonical,
            ])
    }

    @Test("Words that are not on the list are refused at their position")
    func unknownWords() throws {
        let words = try #require(try Self.file().valid.first).mnemonic.split(separator: " ")
        let wrong = ["aba", "ab", "abandonx", "aband\u{00F3}n", "1", "aban,", "zzzz", "abandon\0"]
        for (position, text) in wrong.enumerated() {
            var changed = words
            changed[position] = Substring(text)
            #expect(throws: MnemonicError.unknownWord(position: position + 1)) {
                try seed(changed.joined(separator: " "))
            }
        }
    }

    @Test("No words, 24 words and 26 words are refused")
    func wordCount() throws {
        let words = try #require(try Self.file().valid.first).mnemonic
        let wrong = MnemonicError.wrongWordCount(expected: [25])
        #expect(throws: wrong) { try seed("") }
        #expect(throws: wrong) { try seed(" \n") }
        #expect(throws: wrong) { try seed(words + " abandon") }
        #expect(throws: wrong) { try seed(words + " notaword") }
        #expect(throws: wrong) {
            try seed(words.split(separator: " ").dropLast().joined(separator: " "))
        }
    }

    @Test("Random seeds survive the way through words")
    func roundTrip() throws {
        for _ in 0..<50 {
            let seed = SecretBytes.random(count: 32)
            let words = AlgorandMnemonic.words(seed: seed)
            let back = try words.withSpan { (text) throws(MnemonicError) in
                try AlgorandMnemonic.seed(words: text)
            }
            let isSame = back.isEqual(to: seed)
            #expect(isSame)
        }
    }

    @Test("The list has 2048 words, each found by all and by its first four characters")
    func list() {
        let list = EnglishWordList.shared
        for index in 0..<2048 {
            let word = Array(list.word(at: index))
            #expect((3...EnglishWordList.letterCountMax).contains(word.count))
            let whole = list.index(of: word.span)
            let start = Array(word.prefix(4))
            let short = list.index(of: start.span)
            #expect(whole == index)
            #expect(short == index)
        }
        #expect(EnglishWordList.text.split(separator: " ").count == 2048)
        // The digest of bip-0039/english.txt, which has a line feed after each word.
        let lines = EnglishWordList.text.split(separator: " ").map { $0 + "\n" }.joined()
        #expect(
            sha256(Array(lines.utf8))
                == [UInt8](hex: "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda"))
        for text in ["", "a", "zzz", "zzzzzzzzzzzz"] {
            let index = list.index(of: Array(text.utf8).span)
            #expect(index == nil)
        }
    }
}
