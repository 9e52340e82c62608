// SPDX-License-Identifier: Apache-2.0

import Algorand
import Glibc
import NEAR
import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import Testing
import VectorFiles

@testable import SigningCLI

@Suite("Key files of other wallets")
struct KeyFileTests {
    private static let vectors = VectorFile.read("Vectors/algorand/key_files.json")
    private static let wallets = vectors["kmd"]?.list ?? []
    private static let backups = vectors["arc35"]?.list ?? []

    private static let options = [
        Option(name: "--name", value: "NAME"), Option(name: "--account", value: "ID"),
        Option(name: "--secret-fd", value: "N"),
    ]

    /// Runs a body with an invocation whose `--secret-fd` gives a secret.
    private func with<R>(
        _ secret: String?, _ body: (Invocation) throws -> R
    ) throws -> R {
        var ends: [Int32] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        let line = Array((secret ?? "").utf8) + [0x0A]
        #expect(unsafe write(ends[1], line, line.count) == line.count)
        close(ends[1])
        let words = secret == nil ? [] : ["--secret-fd", "\(ends[0])"]
        return try body(
            Invocation(
                arguments: try Arguments(words, options: Self.options),
                console: Console(isQuiet: true, isJSON: false), environment: Environment()))
    }

    private func source(_ bytes: [UInt8]) -> KeySource {
        KeySource(bytes: SecretBytes(copying: bytes.span), shown: "FILE")
    }

    private func addresses(_ bundle: KeyBundle) throws -> [String] {
        try bundle.keys.map { key in
            let publicKey = try AlgorandChain().publicKey(of: key.secret)
            return AlgorandChain().address(publicKey: publicKey, given: nil)
        }
    }

    private func wallet(_ row: JSON) throws -> [UInt8] {
        try Base64.decode(try #require(row["file_base64"]?.text))
    }

    private func expected(_ row: JSON) -> [String] {
        (row["keys"]?.list ?? []).compactMap { $0["address"]?.text }
    }

    /// The message and hint of the error that a body throws.
    private func failure<R>(_ body: () throws -> R) -> String {
        do {
            _ = try body()
            Issue.record("nothing was thrown")
            return ""
        } catch {
            let error = CLIError(error)
            return error.message + " " + (error.hint ?? "")
        }
    }

    @Test("all vectors are there")
    func counts() {
        #expect(Self.wallets.count == 3 && Self.backups.count == 2)
    }

    @Test("a kmd wallet gives its keys in their order, after its password", arguments: wallets)
    func kmd(_ row: JSON) throws {
        let file = try wallet(row)
        #expect(try KeyFileKind(of: source(file), given: nil) == .kmdWallet)
        let password = try #require(row["password"]?.text)
        let bundle = try with(password) { try KMDWallet.read(source(file), $0) }
        #expect(try addresses(bundle) == expected(row))
        for (key, row) in zip(bundle.keys, row["keys"]?.list ?? []) {
            let seed = try Hex.decode(try #require(row["seed_hex"]?.text))
            #expect(key.secret.withSpan { ConstantTime.isEqual($0, seed.span) })
        }
        #expect(bundle.leftOut.isEmpty == (row["name"]?.text != "three keys"))
        let error = failure { try with("wrong") { try KMDWallet.read(source(file), $0) } }
        #expect(error.contains("the password does not open FILE"))
    }

    @Test("a wallet without a password is opened without a question")
    func withoutPassword() throws {
        let row = try #require(Self.wallets.first { $0["password"]?.text == "" })
        let bundle = try with(nil) { try KMDWallet.read(source(try wallet(row)), $0) }
        #expect(bundle.keys.count == 1)
    }

    @Test("a cut or changed wallet is refused, or its key left out")
    func damagedWallet() throws {
        let row = try #require(Self.wallets.first { $0["password"]?.text == "" })
        let file = try wallet(row)
        for count in stride(from: 16, to: file.count, by: 97) {
            _ = failure { try with("") { try KMDWallet.read(source(Array(file[..<count])), $0) } }
        }
        for place in stride(from: 0, to: file.count, by: 41) {
            var changed = file
            changed[place] ^= 0x55
            guard let bundle = try? with("", { try KMDWallet.read(source(changed), $0) }) else {
                continue
            }
            // What is read is the key of the wallet, or no key.
            #expect(try expected(row).starts(with: addresses(bundle)), "byte \(place)")
        }
    }

    @Test("a password's cost beyond the limits is refused before it is paid")
    func cost() throws {
        func box(_ n: UInt64, _ r: UInt64, _ p: UInt64) throws -> KMDBox {
            let zeros = [UInt8](repeating: 0, count: 32)
            let members: [(String, MessagePack)] = [
                ("ciphertext", .binary(zeros)), ("do_scrypt", .bool(true)),
                ("nonce", .binary(Array(zeros.prefix(24)))), ("salt", .binary(zeros)),
                ("scrypt_n", .unsigned(n)), ("scrypt_p", .unsigned(p)), ("scrypt_r", .unsigned(r)),
            ]
            let map = MessagePack.map(members.map { MessagePackMember(name: $0, value: $1) })
            return try #require(KMDBox(map.encode()))
        }
        for (n, r, p): (UInt64, UInt64, UInt64) in [(65536, 1, 32), (1 << 20, 1, 32), (2, 1, 1)] {
            try box(n, r, p).checkCost("FILE")
        }
        for (n, r, p): (UInt64, UInt64, UInt64) in [
            (1 << 22, 1, 1), (1 << 18, 16, 1), (1 << 21, 1, 64), (1 << 62, 1 << 62, 1 << 62),
            (2, 1, .max), (2, 1 << 22, 1),
        ] {
            let error = failure { try box(n, r, p).checkCost("FILE") }
            #expect(error.contains("256 MiB"), "\(n) \(r) \(p)")
        }
        for (n, r, p): (UInt64, UInt64, UInt64) in [(0, 1, 1), (3, 1, 1), (1, 1, 1), (2, 0, 1)] {
            #expect(failure { try box(n, r, p).checkCost("FILE") }.contains("damaged"))
        }
    }

    @Test("a backup gives its keys after its 12 words, and says what it lacks", arguments: backups)
    func backup(_ row: JSON) throws {
        let text = try #require(row["text"]?.text)
        let words = try #require(row["words"]?.text)
        let lines = stride(from: 0, to: text.utf8.count, by: 76).map {
            String(decoding: Array(text.utf8)[$0..<min($0 + 76, text.utf8.count)], as: UTF8.self)
        }
        let envelope = String(decoding: try Base64.decode(text), as: UTF8.self)
        for form in [text, lines.joined(separator: "\r\n") + "\n", envelope] {
            let file = Array(form.utf8)
            #expect(try KeyFileKind(of: source(file), given: nil) == .algorandBackup)
            let bundle = try with(words) { try AlgorandBackup.read(source(file), $0) }
            #expect(try addresses(bundle) == expected(row))
            #expect(bundle.leftOut.count == (bundle.keys.count == 1 ? 0 : 3))
        }
        let other = "abandon abandon abandon abandon abandon abandon abandon abandon abandon"
        let wrong = failure {
            try with(other + " abandon abandon about") {
                try AlgorandBackup.read(source(Array(text.utf8)), $0)
            }
        }
        #expect(wrong.contains("the 12 words do not open FILE"))
        for count in [100, 101, 200, text.utf8.count - 3] {
            let cut = Array(text.utf8.prefix(count))
            _ = failure { try with(words) { try AlgorandBackup.read(source(cut), $0) } }
        }
    }

    @Test("an algokey file is 32 bytes that are no text")
    func seed() throws {
        for row in Self.wallets.flatMap({ $0["keys"]?.list ?? [] }) {
            let seed = try Hex.decode(try #require(row["seed_hex"]?.text))
            #expect(try KeyFileKind(of: source(seed), given: nil) == .seed)
        }
        let text = Array("thirty-two characters are a text".utf8)
        #expect(text.count == 32)
        #expect(failure { try KeyFileKind(of: source(text), given: nil) }.contains("no kind"))
    }

    @Test("a bundle gives every nsec once, with any text between them")
    func nostrBundle() throws {
        let nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
        let hex = [UInt8](repeating: 7, count: 32)
        let other = SecretText.nsec(of: SecretBytes(copying: hex.span)).withSpan { span in
            String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
        }
        let text = "# keys\nalice: \(nsec)\r\nbob,\"\(other.uppercased())\"\n\(nsec)"
        let file = source(Array(text.utf8))
        #expect(try KeyFileKind(of: file, given: nil) == .nostrBundle)
        let bundle = try with(nil) { try NostrBundle.read(file, $0) }
        let chosen = try bundle.chosen(
            by: nil, named: "key", NostrChain(), "FILE", among: [])
        #expect(chosen.map(\.name) == ["key-1", "key-2"])
        let npub = try #require(NostrChain().publicText(chosen[1].publicKey))
        let one = try bundle.chosen(by: npub, named: "bob", NostrChain(), "FILE", among: [])
        #expect(one.map(\.name) == ["bob"] && one[0].publicKey == chosen[1].publicKey)
        let missing = failure {
            try bundle.chosen(by: "npub1none", named: "x", NostrChain(), "FILE", among: [])
        }
        #expect(missing.contains("no secret key of npub1none") && missing.contains(npub))
        let near =
            "ed25519:3N6TYZVRrkQxh4BJZM8rQzVRdLUS4BBHXRMuBT1L3tykZR8keAxWhxjACFcZPTxNGtnQ"
            + "v2hQhx8bh1Bd9o3iYR5j"
        let words = [String](repeating: "abandon", count: 11) + ["about"]
        let publicKey = "ed25519:9uMmkWHWqnqwFcAhH2tS3x3cc4hzGKa5TGWFajMXGkDX"
        let mixed = source(
            Array("\(nsec)\nNEAR: \(near)\n\(publicKey)\n\(words.joined(separator: " "))".utf8))
        #expect(
            try with(nil) { try NostrBundle.read(mixed, $0) }.leftOut
                == [2, 4].map { "line \($0) has a secret that is not one of nostr" })
        let broken = source(Array("\(nsec)\n\(nsec.dropLast())x".utf8))
        let error = failure { try with(nil) { try NostrBundle.read(broken, $0) } }
        #expect(error.hasPrefix("line 2 of FILE: "))
        #expect(!error.contains("nsec1vl"))
    }

    @Test(
        "other files are named",
        arguments: [
            ("", "is empty"), (" \n", "is empty"), ("hello", "no kind of key file"),
            ("SQLite format 3\0 and more", "no kind"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----", "OpenSSH"),
            ("age-encryption.org/v1\n", "age"), ("PK\u{3}\u{4}", "ZIP"),
            ("countersign backup v1\n", "a backup of a whole home"),
            (#"{"v":1,"t":"backup-credentials","salt":"x","argon2id":{}}"#, "Pera's cloud backup"),
            (#"{"seed_phrase_hd_path":"44'","public_key":"x"}"#, "on a Ledger"),
            ("npub1234", "a public key (npub1...)"),
            (String(repeating: "ab", count: 32), "64 hexadecimal digits"),
            (String(repeating: "abandon ", count: 11) + "about", "12 words can be a key of"),
        ])
    func others(_ text: String, _ what: String) {
        let file = source(Array(text.utf8))
        let error = failure {
            if try KeyFileKind(of: file, given: nil) == .kmdWallet {
                throw CLIError("no kind", hint: nil)
            }
        }
        #expect(error.contains(what), "\(error)")
    }

    @Test("a file of another protocol than --protocol names is refused")
    func otherProtocol() throws {
        let file = try wallet(Self.wallets[0])
        #expect(
            failure { try KeyFileKind(of: source(file), given: .near) }
                .contains("kmd's wallets for algorand are, not a key of near"))
        let words = Array((String(repeating: "abandon ", count: 24) + "invest").utf8)
        #expect(
            failure { try KeyFileKind(of: source(words), given: NostrChain().protocolID) }
                .contains("a secret of algorand, not a key of nostr"))
        #expect(try KeyFileKind(of: source(words), given: nil) == .text(.algorand))
    }
}
