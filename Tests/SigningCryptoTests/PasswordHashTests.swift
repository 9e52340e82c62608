// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite struct PasswordHashTests {
    static let salt: [UInt8] = Array(0..<16)

    private func hash(
        _ passphrase: String, salt: [UInt8] = salt, _ parameters: Argon2Parameters
    ) throws(CryptoError) -> [UInt8] {
        let key = try PasswordHash.argon2id(
            passphrase: SecretBytes(text: passphrase), salt: salt.span, parameters: parameters)
        return key.copy()
    }

    /// Computed by argon2-cffi 25.1.0, which contains the reference implementation.
    static let rows: [(String, Argon2Parameters, String)] = [
        (
            "correct horse battery staple", .floor,
            "818259b6310026a8e0dbac5d2e6927abcfdb07b32258fac4f61b18b80f929085"
        ),
        (
            "correct horse battery staple", .standard,
            "0d1a3c6523c8f06e4e0af9c515aa5b5448cfebd6838f2d52c3d8b6ef8ddc3c2e"
        ),
        ("", .floor, "31548c3f7ac123313b17ce8558728d7a646713a864818d8ed9bb99771b7b1a4c"),
    ]

    @Test("Keys are those of the reference implementation", arguments: rows)
    func known(passphrase: String, parameters: Argon2Parameters, key: String) throws {
        #expect(try hash(passphrase, parameters) == Hex(key).bytes)
    }

    @Test("Another salt makes another key")
    func otherSalt() throws {
        let other = try hash("", salt: Self.salt.flipping(bit: 127), .floor)
        #expect(other != Hex(Self.rows[2].2).bytes)
    }

    @Test(
        "Costs outside the range are refused",
        arguments: [
            Argon2Parameters(memoryKiB: 19_455, passes: 2),
            Argon2Parameters(memoryKiB: 19_456, passes: 1),
            Argon2Parameters(memoryKiB: 1_048_577, passes: 3),
            Argon2Parameters(memoryKiB: 65_536, passes: 21),
            Argon2Parameters(memoryKiB: -1, passes: 3),
            Argon2Parameters(memoryKiB: 65_536, passes: -1),
            Argon2Parameters(memoryKiB: .max, passes: 3),
            Argon2Parameters(memoryKiB: 65_536, passes: .max),
        ])
    func range(parameters: Argon2Parameters) {
        #expect(!parameters.isSupported)
        #expect(throws: CryptoError.unsupportedParameters) { try hash("secret", parameters) }
    }

    @Test("The limits themselves are accepted")
    func limits() {
        #expect(Argon2Parameters.floor == Argon2Parameters(memoryKiB: 19 * 1024, passes: 2))
        #expect(Argon2Parameters.standard == Argon2Parameters(memoryKiB: 64 * 1024, passes: 3))
        #expect(Argon2Parameters.floor.isSupported)
        #expect(Argon2Parameters.standard.isSupported)
        #expect(Argon2Parameters.ceiling.isSupported)
    }

    @Test("A salt that is not 16 bytes is refused", arguments: [0, 15, 17, 32])
    func saltLength(count: Int) {
        #expect(throws: CryptoError.wrongLength(expected: 16, actual: count)) {
            try hash("secret", salt: [UInt8](repeating: 0, count: count), .floor)
        }
    }

    @Test("Fresh salts have 16 bytes and differ")
    func freshSalt() {
        #expect(PasswordHash.makeSalt().count == 16)
        #expect(PasswordHash.makeSalt() != PasswordHash.makeSalt())
    }
}
