// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite("Keys of kmd")
struct KMDMasterKeyTests {
    struct File: Decodable {
        struct Row: Decodable, Sendable {
            let index: UInt32
            let seed_hex: Hex
        }

        let mdk_hex: Hex
        let mdk_mnemonic: String
        let keys: [Row]
    }

    static func file() throws -> File {
        try Vectors.json("algorand/kmd_mdk.json", as: File.self)
    }

    @Test("The words of the master key give every key")
    func keys() throws {
        let file = try Self.file()
        #expect(file.keys.map(\.index) == [0, 1, 2, 3])
        let masterKey = try AlgorandMnemonic.seed(words: Array(file.mdk_mnemonic.utf8).span)
        #expect(masterKey.copy() == file.mdk_hex.bytes)
        for row in file.keys {
            let seed = try KMDMasterKey.seed(masterKey: masterKey, index: row.index)
            #expect(seed.copy() == row.seed_hex.bytes)
        }
        let last = try KMDMasterKey.seed(masterKey: masterKey, index: .max)
        #expect(last.count == 32)
    }

    @Test("A master key has 32 bytes", arguments: [0, 31, 33, 64])
    func length(count: Int) {
        let error = cryptoError { () throws(CryptoError) in
            _ = try KMDMasterKey.seed(masterKey: SecretBytes.random(count: count), index: 1)
        }
        #expect(error == .wrongLength(expected: 32, actual: count))
    }

    /// RFC 4231 has no vectors for this hash; these values are from Python's hmac.
    @Test("HMAC with SHA-512/256 equals another implementation's, with long keys as well")
    func code() {
        let message = Array("Hi There".utf8)
        let short = HMACSHA512_256.code(
            key: SecretBytes([UInt8](repeating: 0x0B, count: 20)), message.span)
        let long = HMACSHA512_256.code(
            key: SecretBytes([UInt8](repeating: 0xAA, count: 131)), message.span)
        #expect(
            short.copy()
                == [UInt8](hex: "9f9126c3d9c3c330d760425ca8a217e31feae31bfe70196ff81642b868402eab"))
        #expect(
            long.copy()
                == [UInt8](hex: "7689845eeefbfc033051102df9dde54929852c7b2a7405e8d0d5c6b0c46272f8"))
    }
}
