// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import Testing
import VectorFiles

@testable import NEAR

@Suite("Public keys as text")
struct KeyTextTests {
    private static let invalid = VectorFile.near("keys.json")["invalidPublicKeys"]?.list ?? []

    @Test("an invalid key of keys.json is refused", arguments: invalid)
    func refused(_ row: JSON) throws {
        let text = try #require(row.text)
        #expect(throws: NEARRefusal.self) { try KeyText(reading: text) }
    }

    @Test("a key is read with its curve, or by its length, and nothing else")
    func keys() throws {
        let short = [UInt8](1...32)
        let long = [UInt8](101...164)
        let ed25519 = Base58.encode(short.span)
        let secp256k1 = Base58.encode(long.span)
        #expect(try KeyText(reading: "ed25519:" + ed25519).bytes == short)
        #expect(try KeyText(reading: ed25519).curve == .ed25519)
        #expect(try KeyText(reading: "secp256k1:" + secp256k1).bytes == long)
        #expect(try KeyText(reading: secp256k1).curve == .secp256k1)
        let wrong = [
            "ed25519:" + secp256k1, "secp256k1:" + ed25519, "ml-dsa-65:" + ed25519, "",
            "ed25519:", "ED25519:" + ed25519, ed25519 + "0", Base58.encode([1, 2, 3].span),
        ]
        for text in wrong {
            #expect(throws: NEARRefusal.self, "\(text)") { try KeyText(reading: text) }
        }
    }
}
