// SPDX-License-Identifier: Apache-2.0

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
            let text = try SecretText.near(of: made.secret)
            let secretKey = try #require(row["secretKey"]?.text)
            #expect(text.withSpan { ConstantTime.isEqual($0, secretKey.utf8.span) })
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

    /// The error for a text that is not a key.
    private func words(_ text: String) -> CLIError? {
        do {
            _ = try read(text)
            return nil
        } catch { return CLIError(error) }
    }

    @Test("a key without ed25519: is read where it has 64 bytes, 32 may be a public key")
    func withoutPrefix() throws {
        let rows = try #require(Self.keys["ed25519"]?.list)
        var counts: [Int] = []
        for row in rows {
            let text = try #require(row["secretKey"]?.text?.dropFirst("ed25519:".count))
            let bytes = try Base58.decode(String(text), countMax: 64)
            counts.append(bytes.count)
            guard bytes.count == 64 else {
                let shown = words(String(text))?.message
                #expect(shown == "this is 32 bytes, a secret or a public key")
                continue
            }
            #expect(try publicText(read(" \(text)\n")) == row["publicKey"]?.text)
            var wrong = bytes
            wrong[40] ^= 1
            let other = words(Base58.encode(wrong.span))?.message
            #expect(other == "the public half of this secret key does not belong to it")
        }
        #expect(counts.contains(64))
        let seed = Base58.encode([UInt8](repeating: 7, count: 32).span)
        #expect(words(seed)?.message == "this is 32 bytes, a secret or a public key")
        #expect(words("ed25519:\(seed)") == nil)
        for count in [31, 33, 63] {
            let text = Base58.encode([UInt8](repeating: 7, count: count).span)
            #expect(words(text)?.message == "this is not a secret key")
        }
    }

    @Test("keys of other curves are named", arguments: ["secp256k1", "ml-dsa-65"])
    func otherCurves(_ curve: String) {
        let error = words("\(curve):Cqmi5vHc59U1MHhq7JCxTSJentvVBYMcKGUA7s7kwnKn")
        #expect(error?.message == "this is a key of \(curve), and NEAR keys here are ed25519")
        #expect(error?.hint == "expected ed25519: followed by the secret key in Base58")
    }

    @Test("a file of credentials is read from standard input as well")
    func credentials() throws {
        let row = try #require(Self.keys["ed25519"]?.list?.first)
        let (secret, key) = (
            try #require(row["secretKey"]?.text), try #require(row["publicKey"]?.text)
        )
        func read(_ text: String, _ words: [String] = []) throws -> MadeSecret {
            let source = KeySource(bytes: SecretBytes(copying: text.utf8.span))
            #expect(try KeyFileKind(of: source, given: .near) == .credentials)
            return try NEARCredentials.read(source, Self.invocation(words))
        }
        func words(_ text: String) -> CLIError? {
            do {
                _ = try read(text)
                return nil
            } catch { return CLIError(error) }
        }
        func file(_ account: String, _ key: String) -> String {
            """

            {"account_id":"\(account)","public_key":"\(key)","private_key":"\(secret)"}

            """
        }
        let made = try read(file("alice.near", key))
        #expect(try publicText(made) == key)
        #expect(made.account == "alice.near")
        #expect(
            words(file("alice.near", "ed25519:\(String(repeating: "1", count: 32))"))?.message
                == "public_key in standard input does not belong to its secret")
        #expect(words("{}")?.message == "there is no private_key in standard input")
        let unread = try #require(words("{ twelve words or so"))
        #expect(unread.message.hasPrefix("standard input cannot be read"))
        #expect(throws: CLIError.self) {
            _ = try read(file("alice.near", key), ["--account", "bob.near"])
        }
        #expect(throws: CLIError.self) {
            _ = try read(file("alice.near", key), ["--path", "m/0'"])
        }
    }

    @Test("keys are read in both lengths, and other texts are refused")
    func texts() throws {
        for row in try #require(Self.keys["ed25519"]?.list) {
            let text = try #require(row["secretKey"]?.text)
            #expect(try publicText(read(text)) == row["publicKey"]?.text)
            // A secret without words ignores a path, so the option is refused.
            #expect(throws: CLIError.self) { _ = try read(text, ["--path", "m/0'"]) }
            #expect(throws: CLIError.self) { _ = try read(text, ["--secret-fd", "9"]) }
        }
        let other = try #require(Self.keys["secp256k1"]?.list).compactMap { $0["secretKey"]?.text }
        let invalid = try #require(Self.keys["invalidPublicKeys"]?.list).compactMap(\.text)
        #expect(other.count == 1 && invalid.count == 8)
        for text in other + invalid.dropLast() + ["", "ed25519:a b"] {
            #expect(throws: (any Error).self, "\(text)") { _ = try read(text) }
        }
    }

    @Test("wrong words, and invalid paths, are refused")
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
            do {
                _ = try NEARSecret.read(SecretBytes(copying: words.utf8.span), invocation)
                Issue.record("accepted \(path)")
            } catch {
                #expect(CLIError(error).status == .usage)
            }
        }
    }

    @Test("a key is not kept for an invalid account")
    func accounts() throws {
        for id in try #require(Self.accounts["invalid"]?.list).compactMap(\.text) {
            #expect(throws: AccountError.self, "\(id)") {
                try NEARChain().address(publicKey: [], given: id)
            }
        }
    }

    @Test("the account's own list of keys is reported, or the key refused")
    func doubts() throws {
        let key = [UInt8](repeating: 0xAB, count: 32)
        let own = String(repeating: "ab", count: 32)
        func warning(_ id: String) -> String? {
            NEARChain().warning(about: id, publicKey: key)?.message
        }
        #expect(warning("alice.near") == nil && warning(own) == nil)
        #expect(warning(String(repeating: "cd", count: 32))?.contains("another key") == true)
        #expect(warning("0s" + String(repeating: "0", count: 40))?.contains("contract") == true)
        #expect(warning("0u" + String(repeating: "0", count: 52))?.contains("contract") == true)
        #expect(NostrChain().warning(about: own, publicKey: []) == nil)
        #expect(throws: AccountError.self) {
            try NEARChain().address(
                publicKey: key, given: "0x" + String(repeating: "0", count: 40))
        }
        #expect(try NEARChain().address(publicKey: key, given: "0xa") == "0xa")
    }
}
