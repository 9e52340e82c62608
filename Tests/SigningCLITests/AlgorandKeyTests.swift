// SPDX-License-Identifier: Apache-2.0

import Algorand
import NEAR
import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningVault
import Testing
import VectorFiles

@testable import SigningCLI

@Suite("Algorand keys, as they are imported and exported")
struct AlgorandKeyTests {
    static func load(_ name: String) -> JSON {
        VectorFile.read("Vectors/algorand/\(name)")
    }

    static let mnemonics = load("mnemonics.json")
    static let addresses = load("addresses.json")
    static let masterKey = load("kmd_mdk.json")
    static let wallet = load("hd_arc52.json")

    private func read(_ text: String, _ words: [String] = []) throws -> MadeSecret {
        let invocation = Invocation(
            arguments: try Arguments(words, options: AlgorandSecret.options),
            console: Console(isQuiet: true, isJSON: false), environment: Environment())
        return try AlgorandSecret.read(SecretBytes(copying: text.utf8.span), invocation)
    }

    private func address(of made: borrowing MadeSecret) throws -> String {
        let key = try AlgorandChain().publicKey(of: made.secret)
        return AlgorandChain().address(publicKey: key, given: nil)
    }

    @Test(
        "25 words give their key, its address and themselves",
        arguments: mnemonics["valid"]?.list ?? [])
    func words(_ row: JSON) throws {
        let words = try #require(row["mnemonic"]?.text)
        let made = try read("\n " + words.uppercased() + "\n")
        #expect(try address(of: made) == row["address"]?.text)
        let written = AlgorandMnemonic.words(seed: made.secret)
        let isSame = written.withSpan { ConstantTime.isEqual($0, words.utf8.span) }
        #expect(isSame)
    }

    @Test("all vectors are there")
    func counts() {
        #expect(Self.mnemonics["valid"]?.list?.count == 12)
        #expect(Self.mnemonics["invalid"]?.list?.count == 4)
        #expect(Self.addresses["valid"]?.list?.count == 5)
        #expect(Self.masterKey["keys"]?.list?.count == 4)
    }

    @Test("texts that are not 25 words are refused")
    func wrongWords() throws {
        let rows = try #require(Self.mnemonics["invalid"]?.list).compactMap { $0["mnemonic"]?.text }
        let seed = try #require(Self.mnemonics["valid"]?.list?.first?["seed_hex"]?.text)
        for text in rows + ["", "abandon", seed] {
            #expect(throws: (any Error).self, "\(text)") { _ = try read(text) }
            #expect(throws: (any Error).self, "\(text)") {
                _ = try read(text, ["--mdk-index", "1"])
            }
        }
        // Texts that resemble a key but are an address.
        let addresses =
            try #require(Self.addresses["invalid"]?.list)
            + #require(Self.addresses["valid"]?.list)
        for text in addresses.compactMap({ $0["address"]?.text }) {
            #expect(throws: SecretText.ParseError.self, "\(text)") { _ = try read(text) }
        }
    }

    @Test("public keys have the addresses of the vectors")
    func addresses() throws {
        for row in try #require(Self.addresses["valid"]?.list) {
            let key = try Hex.decode(try #require(row["public_key_hex"]?.text))
            let address = AlgorandChain().address(publicKey: key, given: nil)
            #expect(address == row["address"]?.text)
        }
        // The address is derived from the key and never read from the command line.
        #expect(throws: ServiceError.self) {
            try AlgorandChain().account(
                of: [UInt8](repeating: 0, count: 32), given: "AOQQ")
        }
    }

    @Test("a master key of kmd gives the key with the number")
    func masterKeys() throws {
        let words = try #require(Self.masterKey["mdk_mnemonic"]?.text)
        for row in try #require(Self.masterKey["keys"]?.list) {
            let index = try #require(row["index"]?.integerValue)
            var made = try read(words, ["--mdk-index", "\(index)"])
            #expect(try address(of: made) == row["address"]?.text)
            if made.phrase.take() != nil { Issue.record("words are kept") }
        }
        for index in ["", "-1", "+1", "01", "1.0", "one", "4294967296"] {
            do {
                let invocation = Invocation(
                    arguments: try Arguments(
                        ["--mdk-index", index], options: AlgorandSecret.options),
                    console: Console(isQuiet: true, isJSON: false), environment: Environment())
                _ = try AlgorandSecret.read(SecretBytes(copying: words.utf8.span), invocation)
                Issue.record("accepted \(index)")
            } catch {
                #expect(CLIError(error).status == .usage)
            }
        }
    }

    @Test("the words of an HD wallet give the key of the path in both modes")
    func wallets() throws {
        let words = try #require(Self.wallet["mnemonic_bip39"]?.text)
        let rows = try #require(Self.wallet["keys"]?.list)
        #expect(rows.count == 8)
        for row in rows {
            let text = try #require(row["path"]?.text)
            let path = try #require(BIP32Ed25519.Path(text))
            for (mode, member) in [
                (BIP32Ed25519.Mode.peikert, "peikert_g9"), (.khovratovich, "khovratovich_g32"),
            ] {
                var made = try read(words, ["--hd-path", text, "--hd-mode", mode.rawValue])
                let expected = row[member]?["address"]?.text
                #expect(try address(of: made) == expected)
                guard let phrase = made.phrase.take() else {
                    Issue.record("no phrase")
                    continue
                }
                let place = phrase.place
                #expect(place == .extended(path, mode))
                guard mode == .peikert else { continue }
                #expect(try address(of: read(words, ["--hd-path", text])) == expected)
            }
        }
    }

    @Test(
        "options of HD wallets that do not fit are refused",
        arguments: [
            ["--hd-path", ""], ["--hd-path", "44'"], ["--hd-path", "m/0/0/0/0/0/0/0/0/0"],
            ["--hd-path", "m/44h"], ["--hd-mode", "peikert"],
            ["--hd-path", "m/44'/283'/0'/0/0", "--hd-mode", "Peikert"],
            ["--hd-path", "m/44'/283'/0'/0/0", "--hd-mode", ""],
            ["--hd-path", "m/44'/283'/0'/0/0", "--mdk-index", "1"], ["--hd-path", "m/0"],
        ])
    func walletOptions(options: [String]) throws {
        let words = try #require(Self.wallet["mnemonic_bip39"]?.text)
        do {
            _ = try read(words, options)
            Issue.record("accepted \(options)")
        } catch {
            #expect(CLIError(error).status == .usage)
        }
    }

    @Test("the words of a key and of a wallet are distinguished")
    func otherWords() throws {
        let words = try #require(Self.wallet["mnemonic_bip39"]?.text)
        #expect(throws: CLIError.self) { _ = try read(words) }
        #expect(throws: CLIError.self) { _ = try read(words, ["--mdk-index", "1"]) }
        let key = try #require(Self.masterKey["mdk_mnemonic"]?.text)
        for text in [key, words.replacing("slice", with: "zoo"), words + " slice", ""] {
            #expect(throws: CLIError.self) { _ = try read(text, ["--scheme", "arc52"]) }
        }
    }

    @Test("options of algorand keys are refused for others")
    func options() throws {
        for option in AlgorandSecret.options {
            let arguments = try Arguments([option.name, "1"], options: AlgorandSecret.options)
            for chain in [NostrChain(), NEARChain()] as [any Chain] {
                #expect(throws: CLIError.self) { try WordOptions.check(arguments, for: chain) }
            }
            try WordOptions.check(arguments, for: .algorand)
        }
    }

    @Test("an algorand key is written as words, and as nothing else")
    func forms() throws {
        let names = SecretForms.of(AlgorandChain()).exports
        #expect(names == ["words"])
        let options = ["--format", "--log-n", "--secret-fd"].map { Option(name: $0, value: "V") }
        func name(_ words: [String]) throws -> String {
            try ExportForm(try Arguments(words, options: options), of: AlgorandChain()).name
        }
        #expect(try name([]) == "words" && name(["--format", "words"]) == "words")
        for words in [
            ["--format", "nsec"], ["--format", "hex"], ["--format", "near"], ["--log-n", "16"],
            ["--format", ""], ["--secret-fd", "4"],
        ] {
            #expect(throws: CLIError.self, "\(words)") { try name(words) }
        }
    }
}
