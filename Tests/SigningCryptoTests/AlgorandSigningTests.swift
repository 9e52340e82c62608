// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import SigningCrypto

@Suite struct AlgorandSigningTests {
    struct File: Decodable {
        struct Row: Decodable, Sendable {
            let kind: String
            let seed_b64: Data?
            let mnemonic: String?
            let data_b64: Data?
            let program_b64: Data?
            let signature_b64: Data?
        }

        let vectors: [Row]
    }

    static func rows() throws -> [File.Row] {
        try Vectors.json("algorand/bytes_signing.json", as: File.self).vectors
            .filter { $0.signature_b64 != nil }
    }

    /// The signed bytes: prefix and data, or prefix, program hash and data.
    private func preimage(of row: File.Row) -> [UInt8] {
        let data = [UInt8](row.data_b64 ?? Data())
        let program = Array("Program".utf8) + [UInt8](row.program_b64 ?? Data())
        switch row.kind {
        case "raw": return data
        case "Program": return program
        case "ProgData": return Array("ProgData".utf8) + Digest.sha512_256(program.span) + data
        default: return Array(row.kind.utf8) + data
        }
    }

    @Test("Four rows carry a signature")
    func count() throws {
        #expect(try Self.rows().map(\.kind) == ["MX", "raw", "ProgData", "Program"])
    }

    @Test("Seeds and mnemonics sign to the bytes of the vectors", arguments: try rows())
    func sign(row: File.Row) throws {
        let seed =
            if let mnemonic = row.mnemonic {
                try AlgorandMnemonic.seed(words: Array(mnemonic.utf8).span)
            } else {
                SecretBytes([UInt8](try #require(row.seed_b64)))
            }
        let key = try Ed25519Key(seed: seed)
        let signature = try key.sign(preimage(of: row).span)
        #expect(signature == [UInt8](try #require(row.signature_b64)))
    }
}
