// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite struct BIP340Tests {
    struct Row: Sendable {
        let index: Int?
        let secret: String
        let publicKey: [UInt8]
        let auxiliary: [UInt8]
        let message: [UInt8]
        let signature: [UInt8]
        let isValid: Bool

        init(_ line: Substring) {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            index = Int(fields[0])
            secret = String(fields[1])
            publicKey = Hex(String(fields[2])).bytes
            auxiliary = Hex(String(fields[3])).bytes
            message = Hex(String(fields[4])).bytes
            signature = Hex(String(fields[5])).bytes
            isValid = fields[6] == "TRUE"
        }
    }

    static func rows() throws -> [Row] {
        let bytes = try Vectors.bytes("nostr/bip340.test-vectors.csv")
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.dropFirst().map(Row.init)
    }

    @Test("All 19 rows are there: 9 valid, 8 with a secret key")
    func count() throws {
        let rows = try Self.rows()
        #expect(rows.map(\.index) == Array(0..<19))
        #expect(rows.count { $0.isValid } == 9)
        #expect(rows.count { !$0.secret.isEmpty } == 8)
    }

    @Test("Each row verifies as it says", arguments: try rows())
    func verify(row: Row) {
        #expect(isBIP340(row.signature, of: row.message, by: row.publicKey) == row.isValid)
    }

    @Test("Each secret key has its public key", arguments: try rows().filter { !$0.secret.isEmpty })
    func publicKey(row: Row) throws {
        let key = try Secp256k1Key(secret: SecretBytes([UInt8](hex: row.secret)))
        #expect(key.publicKey == row.publicKey)
        #expect(isPublicKey(row.publicKey))
    }

    @Test(
        "Each 32-byte message signs to the same bytes",
        arguments: try rows().filter { !$0.secret.isEmpty && $0.message.count == 32 })
    func sign(row: Row) throws {
        let key = try Secp256k1Key(secret: SecretBytes([UInt8](hex: row.secret)))
        let signature = try key.signBIP340(digest: row.message.span, auxiliary: row.auxiliary)
        #expect(signature == row.signature)
    }

    @Test("Rows 5 and 14 are refused for their public keys")
    func publicKeys() throws {
        for row in try Self.rows() {
            let isPoint = isPublicKey(row.publicKey)
            #expect(isPoint == ![5, 14].contains(row.index))
        }
    }
}
