// SPDX-License-Identifier: Apache-2.0

import Algorand
import AlgorandSamples
import SigningCodecs
import SigningDigests
import Testing

@Suite("Addresses") struct AddressTests {
    @Test("a valid address is read and written", arguments: Vectors.list("addresses.json", "valid"))
    func valid(_ row: JSON) throws {
        let address = try #require(row["address"]?.text)
        let key = try Hex.decode(try #require(row["public_key_hex"]?.text))
        let text = AlgorandAddress.text(publicKey: key.span)
        #expect(text == address)
        #expect(try AlgorandAddress.parse(address) == key)
    }

    @Test("an invalid address is refused", arguments: Vectors.list("addresses.json", "invalid"))
    func invalid(_ row: JSON) throws {
        let address = try #require(row["address"]?.text)
        #expect(throws: CodecError.self) {
            try AlgorandAddress.parse(address)
        }
    }

    @Test(
        "the address of an application is one as well",
        arguments: Vectors.list("addresses.json", "app_addresses"))
    func application(_ row: JSON) throws {
        let id = UInt64(try #require(row["app_id"]?.integerValue))
        let number = (0..<8).reversed().map { UInt8(truncatingIfNeeded: id >> (8 * $0)) }
        let preimage = Array("appID".utf8) + number
        let key = Digest.sha512_256(preimage.span)
        let text = AlgorandAddress.text(publicKey: key.span)
        #expect(text == row["address"]?.text)
    }

    @Test("changing any character is noticed")
    func characters() throws {
        let rows = Vectors.list("addresses.json", "valid")
        let address = [UInt8](try #require(rows.first?["address"]?.text).utf8)
        for index in address.indices {
            var other = address
            other[index] = other[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let text = String(decoding: other, as: UTF8.self)
            #expect(throws: CodecError.self) {
                try AlgorandAddress.parse(text)
            }
        }
    }
}
