// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite struct AEADTests {
    static let key: [UInt8] = Array(0x80..<0xA0)

    private func open(
        _ box: [UInt8], key: [UInt8] = key, _ associatedData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let secret = try AEAD.open(
            box.span, key: SecretBytes(key), associatedData: associatedData.span)
        return secret.copy()
    }

    @Test("A sealed secret opens again, with any length", arguments: [0, 1, 32, 1000])
    func roundTrip(count: Int) throws {
        let secret = SecretBytes.random(count: count)
        for data in [[], [1, 2, 3]] as [[UInt8]] {
            let box = try AEAD.seal(
                secret, key: SecretBytes(Self.key), associatedData: data.span)
            #expect(box.count == count + AEAD.overheadCount)
            #expect(try open(box, data) == secret.copy())
        }
    }

    @Test("The box of draft-irtf-cfrg-xchacha A.3.1 opens")
    func known() throws {
        let box = [UInt8](
            hex: "404142434445464748494a4b4c4d4e4f5051525354555657"
                + "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"
                + "731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452"
                + "2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
                + "21f9664c97637da9768812f615c68b13b52e"
                + "c0875924c1c7987947deafd8780acf49")
        let text =
            "Ladies and Gentlemen of the class of '99: If I could offer you only one tip "
            + "for the future, sunscreen would be it."
        let data = [UInt8](hex: "50515253c0c1c2c3c4c5c6c7")
        #expect(try open(box, data) == Array(text.utf8))
    }

    @Test("Two boxes of the same secret differ")
    func freshNonce() throws {
        let secret = SecretBytes([1, 2, 3])
        let key = SecretBytes(Self.key)
        let data: [UInt8] = []
        let first = try AEAD.seal(secret, key: key, associatedData: data.span)
        let second = try AEAD.seal(secret, key: key, associatedData: data.span)
        #expect(first != second)
        #expect(first.prefix(24) != second.prefix(24))
    }

    @Test("Each flipped bit, prefix and trailing byte, wrong key and wrong data refuse")
    func refusals() throws {
        let data: [UInt8] = [5, 6]
        let box = try AEAD.seal(
            SecretBytes([UInt8](repeating: 3, count: 32)), key: SecretBytes(Self.key),
            associatedData: data.span)
        let refused = CryptoError.authenticationFailed
        for bit in 0..<box.count * 8 {
            #expect(throws: refused) { try open(box.flipping(bit: bit), data) }
        }
        for count in 0..<box.count {
            #expect(throws: refused) { try open(Array(box.prefix(count)), data) }
        }
        #expect(throws: refused) { try open(box + [0], data) }
        for bit in 0..<256 {
            #expect(throws: refused) { try open(box, key: Self.key.flipping(bit: bit), data) }
        }
        for wrong in [[], [5], [5, 7], [5, 6, 0]] as [[UInt8]] {
            #expect(throws: refused) { try open(box, wrong) }
        }
    }

    @Test("A key that is not 32 bytes is refused", arguments: [0, 16, 31, 33])
    func keyLength(count: Int) {
        let wrong = CryptoError.wrongLength(expected: 32, actual: count)
        let key = [UInt8](repeating: 0, count: count)
        #expect(throws: wrong) { try open([UInt8](repeating: 0, count: 72), key: key, []) }
        #expect(throws: wrong) {
            try AEAD.seal(SecretBytes([1]), key: SecretBytes(key), associatedData: key.span)
        }
    }
}
