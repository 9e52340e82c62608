// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite("NIP-49")
struct NIP49Tests {
    struct File: Decodable {
        let valid: [Row]
        let invalid: [Row]
        let nfkc: Normal
    }

    struct Row: Decodable, Sendable {
        let name: String
        let ncryptsec: String
        let password: String
        let secretKey: Hex?
    }

    struct Normal: Decodable {
        let inputUtf8Hex: Hex
        let normalisedUtf8Hex: Hex
    }

    static func file() throws -> File {
        try Vectors.snakeJSON("nostr/nip49.vectors.json", as: File.self)
    }

    static func failure(_ text: String, password: String, logNMax: Int = 20) -> NIP49.ParseError? {
        do throws(NIP49.ParseError) {
            _ = try NIP49.decrypt(
                SecretBytes(text: text), password: SecretBytes(text: password), logNMax: logNMax)
            return nil
        } catch {
            return error
        }
    }

    @Test("Every valid row gives its secret, in capitals and with white space as well")
    func valid() throws {
        let rows = try Self.file().valid
        #expect(rows.count == 7)
        for row in rows {
            for text in [row.ncryptsec, " \(row.ncryptsec.uppercased())\n"] {
                let secret = try NIP49.decrypt(
                    SecretBytes(text: text), password: SecretBytes(text: row.password))
                #expect(secret.copy() == row.secretKey?.bytes, "\(row.name)")
            }
        }
    }

    @Test("Every invalid row is refused for its own reason")
    func invalid() throws {
        let expected: [NIP49.ParseError] = [
            .wrongPassword, .malformed, .unsupportedVersion, .malformed, .malformed,
            .tooExpensive(logN: 40, max: 20), .unsupportedVersion,
        ]
        let rows = try Self.file().invalid
        #expect(rows.count == expected.count)
        for (row, failure) in zip(rows, expected) {
            #expect(Self.failure(row.ncryptsec, password: row.password) == failure, "\(row.name)")
        }
    }

    @Test("A cost above the cap is refused before it is paid")
    func cap() throws {
        let row = try #require(try Self.file().valid.first)
        #expect(
            Self.failure(row.ncryptsec, password: row.password, logNMax: 15)
                == .tooExpensive(logN: 16, max: 15))
    }

    @Test("A written text is read, with the password in any of its forms")
    func roundTrip() throws {
        let secret = SecretBytes([UInt8](repeating: 9, count: 32))
        let normal = try Self.file().nfkc
        let text = try NIP49.encrypt(
            secret, password: SecretBytes(normal.inputUtf8Hex.bytes), logN: 4,
            security: .notKnownInsecure)
        let back = try NIP49.decrypt(
            SecretBytes(text: text), password: SecretBytes(normal.normalisedUtf8Hex.bytes))
        #expect(back.copy() == secret.copy())
        #expect(Self.failure(text, password: "other") == .wrongPassword)
        let again = try NIP49.encrypt(
            secret, password: SecretBytes(normal.inputUtf8Hex.bytes), logN: 4,
            security: .notKnownInsecure)
        #expect(again != text)
    }

    @Test("Passwords that are not text, or far too long, are refused")
    func passwords() throws {
        let row = try #require(try Self.file().valid.first)
        for password in [[0xFF], [UInt8](repeating: 0x61, count: 1_025)] {
            #expect(throws: NIP49.ParseError.unusablePassword) {
                _ = try NIP49.decrypt(
                    SecretBytes(text: row.ncryptsec), password: SecretBytes(password))
            }
        }
    }

    @Test(
        "The form is known by its beginning",
        arguments: [
            ("ncryptsec1qgg", true), ("  NCRYPTSEC1q", true), ("ncryptsec1", false),
            ("nsec1qqq", false), ("", false), ("ncryptsec2q", false),
        ])
    func form(text: String, isEncrypted: Bool) {
        #expect(NIP49.isEncrypted(SecretBytes(text: text)) == isEncrypted)
    }
}
