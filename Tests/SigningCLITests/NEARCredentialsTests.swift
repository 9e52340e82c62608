// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs
import SigningCrypto
import SigningService
import Testing

@testable import SigningCLI

@Suite("Files of ~/.near-credentials")
struct NEARCredentialsTests {
    private static let rows = NEARKeyTests.derivation["vectors"]?.list ?? []
    private let secretKey: String
    private let publicKey: String
    private let implicit: String
    private let words: String

    init() throws {
        let row = try #require(Self.rows.first)
        secretKey = try #require(row["secretKey"]?.text)
        publicKey = try #require(row["publicKey"]?.text)
        implicit = try #require(row["implicitAccountId"]?.text)
        words = try #require(row["mnemonic"]?.text)
    }

    /// The account and the network of a file, and true if it has words.
    private func read(
        _ text: String, at path: String = "/tmp/key.json", account: String? = nil,
        network: String? = nil
    ) throws -> (account: String?, network: String?, hasWords: Bool) {
        var claims = NEARCredentials.Claims(place: CredentialsPlace(path: path))
        let made = try NEARCredentials.made(
            of: SecretBytes(copying: text.utf8.span), "FILE", &claims)
        let key = try NEARChain().publicKey(of: made.secret)
        try NEARCredentials.check(claims, publicKey: key, "FILE")
        return (
            try NEARCredentials.account(given: account, claims, publicKey: key, "FILE"),
            try NEARCredentials.network(given: network, claims.place), made.phrase != nil
        )
    }

    private var nearCLI: String {
        """
        {"account_id":"alice.near","public_key":"\(publicKey)","private_key":"\(secretKey)"}
        """
    }

    private var nearCLIRS: String {
        """
        {"seed_phrase_hd_path":"m/44'/397'/0'","master_seed_phrase":"\(words)",
         "implicit_account_id":"\(implicit)","public_key":"\(publicKey)",
         "private_key":"\(secretKey)"}
        """
    }

    @Test("both layouts give account and network")
    func layouts() throws {
        let key = publicKey.replacing(":", with: "_")
        for path in ["/h/mainnet/alice.near.json", "/h/mainnet/alice.near/\(key).json"] {
            for (text, hasWords) in [(nearCLI, false), (nearCLIRS, true)] {
                let found = try read(text, at: path)
                #expect(found.account == "alice.near" && found.network == "mainnet")
                #expect(found.hasWords == hasWords)
                let same = try read(text, at: path, account: "alice.near", network: "mainnet")
                #expect(same.account == "alice.near" && same.network == "mainnet")
            }
        }
        let own = try read(nearCLIRS, at: "/h/testnet/\(implicit).json")
        #expect(own.account == implicit && own.network == "testnet")
    }

    @Test("elsewhere a name is taken for an account only where it looks like one")
    func otherPlaces() throws {
        #expect(try read(nearCLI, at: "/tmp/x.json").account == "alice.near")
        #expect(try read(nearCLI, at: "/tmp/bob.near.json").account == "alice.near")
        #expect(try read(nearCLIRS, at: "/tmp/bob.near.json").account == "bob.near")
        for path in ["/tmp/backup.json", "/tmp/x", "/x.json", "backup.json", "/tmp/A.near.json"] {
            let found = try read(nearCLIRS, at: path)
            #expect(found.account == implicit && found.network == nil, "\(path)")
        }
        let bare = #"{"secret_key":"\#(secretKey)"}"#
        #expect(try read(bare).account == nil)
        #expect(try read(bare, account: "b.near", network: "testnet").account == "b.near")
    }

    @Test("options that exclude each other are refused")
    func disagreement() throws {
        let other = try #require(Self.rows[1]["publicKey"]?.text)
        let otherKey = other.replacing(":", with: "_")
        let cases: [(String, String, String?, String?)] = [
            (nearCLI.replacing(publicKey, with: other), "/tmp/x.json", nil, nil),
            (nearCLI, "/h/mainnet/bob.near.json", nil, nil),
            (nearCLI, "/h/mainnet/bob.near/ed25519_x.json", nil, nil),
            (nearCLI, "/h/mainnet/alice.near/\(otherKey).json", nil, nil),
            (nearCLI, "/h/mainnet/alice.near.json", "bob.near", nil),
            (nearCLI, "/h/mainnet/alice.near.json", nil, "testnet"),
            (nearCLIRS, "/h/mainnet/alice.near.json", "bob.near", nil),
            (nearCLIRS.replacing("/0'", with: "/1'"), "/tmp/x.json", nil, nil),
            (nearCLIRS.replacing("/0'", with: "/0"), "/tmp/x.json", nil, nil),
            (nearCLIRS.replacing("armed", with: "aim"), "/tmp/x.json", nil, nil),
            (nearCLIRS.replacing(implicit, with: "alice.near"), "/tmp/x.json", nil, nil),
        ]
        for (text, path, account, network) in cases {
            #expect(throws: CLIError.self, "\(path) \(text)") {
                _ = try read(text, at: path, account: account, network: network)
            }
        }
    }

    @Test("damaged files are refused, and no part of them is printed")
    func damaged() throws {
        let half = secretKey.dropLast(1) + (secretKey.hasSuffix("1") ? "2" : "1")
        let texts = [
            nearCLI.replacing("alice.near", with: secretKey),
            nearCLIRS.replacing("m/44'/397'/0'", with: secretKey),
            nearCLIRS.replacing(implicit, with: secretKey), "", "{}",
            #"{"public_key":"\#(publicKey)"}"#,
            nearCLI.replacing(secretKey, with: half),
            nearCLI.replacing(secretKey, with: secretKey.dropLast(10)),
            nearCLI.replacing("private_key\":\"ed", with: "private_key\":\"\\u0065d"),
            nearCLI.replacing("private_key", with: "private\\u005fkey"),
            nearCLI.replacing("}", with: #","private_key":"\#(secretKey)"}"#),
            nearCLI.replacing("}", with: #","secret_key":"\#(secretKey)"}"#),
            nearCLI.replacing("}", with: #","x":1,"x":2}"#),
            nearCLI.replacing("\"\(secretKey)\"", with: "[\"\(secretKey)\"]"),
            nearCLI.replacing("\"\(secretKey)\"", with: "1"),
            nearCLI.replacing("\"\(secretKey)\"", with: "null"),
            nearCLI + nearCLI, "[\(nearCLI)]",
        ]
        for text in texts + (0..<nearCLI.count).map({ String(nearCLI.prefix($0)) }) {
            do {
                _ = try read(text)
                Issue.record("accepted \(text)")
            } catch {
                let error = CLIError(error)
                let shown = error.message + (error.hint ?? "")
                #expect(!shown.contains(secretKey.dropFirst(8).prefix(8)), "\(text)")
            }
        }
    }

    @Test("an exported file can be imported again")
    func exported() throws {
        let secret = try SecretText.near(SecretBytes(copying: secretKey.utf8.span))
        let text = try SecretText.nearCredentials(of: secret, account: "alice.near")
        let copy = text.withSpan { text in text.indices.map { text[$0] } }
        #expect(String(decoding: copy, as: UTF8.self) == nearCLI)
    }
}
