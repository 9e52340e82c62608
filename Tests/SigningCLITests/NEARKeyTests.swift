// SPDX-License-Identifier: Apache-2.0

import NEAR
import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningStorage
import Testing
import VectorFiles

@testable import SigningCLI

@Suite("NEAR keys, as they are made and imported")
struct NEARKeyTests {
    static func load(_ name: String) -> JSON {
        VectorFile.read("Vectors/near/\(name)")
    }

    static let derivation = load("derivation.json")
    static let keys = load("keys.json")
    static let accounts = load("account_ids.json")

    static func invocation(_ words: [String] = []) throws -> Invocation {
        let options =
            WordOptions.all + [
                Option(name: "--account", value: "ID"), Option(name: "--network", value: "NET"),
            ]
        return Invocation(
            arguments: try Arguments(words, options: options),
            console: Console(isQuiet: true, isJSON: false), environment: Environment())
    }

    private func publicText(_ made: borrowing MadeSecret) throws -> String {
        let key = try NEARChain().publicKey(of: made.secret)
        return "ed25519:" + Base58.encode(key.span)
    }

    private func read(_ text: String, _ words: [String] = []) throws -> MadeSecret {
        try NEARSecret.read(SecretBytes(copying: text.utf8.span), Self.invocation(words))
    }

    @Test("words with their path give the key, and the path is kept")
    func phrases() throws {
        let rows = try #require(Self.derivation["vectors"]?.list)
        #expect(rows.count == 8)
        for row in rows where row["passphrase"]?.text == "" {
            let path = try #require(row["path"]?.text)
            let words = try #require(row["mnemonic"]?.text)
            var made = try read("\n " + words.uppercased() + "\n", ["--path", path])
            #expect(try publicText(made) == row["publicKey"]?.text)
            guard let phrase = made.phrase.take() else {
                Issue.record("no phrase")
                continue
            }
            let (place, hasPassphrase) = (phrase.place, phrase.hasPassphrase)
            #expect(place == SLIP10.Path(path).map { .path($0) } && !hasPassphrase)
            guard path == SLIP10.Path.near.text else { continue }
            #expect(try publicText(read(words)) == row["publicKey"]?.text)
        }
    }

    @Test("keys are read in both lengths, and other texts are refused")
    func texts() throws {
        for row in try #require(Self.keys["ed25519"]?.list) {
            let text = try #require(row["secretKey"]?.text)
            #expect(try publicText(read(text)) == row["publicKey"]?.text)
            // A path for what has none would be passed over.
            #expect(throws: CLIError.self) { _ = try read(text, ["--path", "m/0'"]) }
            #expect(throws: CLIError.self) { _ = try read(text, ["--secret-fd", "9"]) }
        }
        let other = try #require(Self.keys["secp256k1"]?.list).compactMap { $0["secretKey"]?.text }
        let invalid = try #require(Self.keys["invalidPublicKeys"]?.list).compactMap(\.text)
        #expect(other.count == 1 && invalid.count == 8)
        for text in other + invalid.dropLast() + ["", "ed25519:a b"] {
            #expect(throws: CLIError.self, "\(text)") { _ = try read(text) }
        }
    }

    @Test("words that are wrong, and paths that are none, are refused")
    func wrongWords() throws {
        let rows = try #require(Self.derivation["vectors"]?.list)
        let words = try #require(rows.first?["mnemonic"]?.text)
        for text in [
            words + " armed", words.replacing("tag", with: "tga"), String(words.dropFirst(4)),
            words.replacing("armed", with: "aim"),
        ] {
            #expect(throws: CLIError.self, "\(text)") { _ = try read(text) }
        }
        for path in try #require(Self.derivation["invalidPaths"]?.list).compactMap(\.text) {
            let invocation = try Self.invocation(["--path", path])
            do throws(CLIError) {
                _ = try NEARSecret.read(SecretBytes(copying: words.utf8.span), invocation)
                Issue.record("accepted \(path)")
            } catch {
                #expect(error.status == .usage)
            }
        }
    }

    @Test("a key is kept for no account that is none")
    func accounts() throws {
        for id in try #require(Self.accounts["invalid"]?.list).compactMap(\.text) {
            #expect(throws: AccountFault.self, "\(id)") {
                try NEARChain().address(publicKey: [], given: id)
            }
        }
    }

    @Test("what an account says about its keys is said, or refused")
    func doubts() throws {
        let key = [UInt8](repeating: 0xAB, count: 32)
        let own = String(repeating: "ab", count: 32)
        func doubt(_ id: String) -> String? {
            NEARChain().doubt(about: id, publicKey: key)?.message
        }
        #expect(doubt("alice.near") == nil && doubt(own) == nil)
        #expect(doubt(String(repeating: "cd", count: 32))?.contains("another key") == true)
        #expect(doubt("0s" + String(repeating: "0", count: 40))?.contains("contract") == true)
        #expect(doubt("0u" + String(repeating: "0", count: 52))?.contains("contract") == true)
        #expect(NostrChain().doubt(about: own, publicKey: []) == nil)
        #expect(throws: AccountFault.self) {
            try NEARChain().address(
                publicKey: key, given: "0x" + String(repeating: "0", count: 40))
        }
        #expect(try NEARChain().address(publicKey: key, given: "0xa") == "0xa")
    }
}
