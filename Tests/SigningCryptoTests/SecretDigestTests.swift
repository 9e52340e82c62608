// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite struct SecretDigestTests {
    /// Keys, messages and codes: RFC 4231 cases 1, 2 and 6, and an empty key.
    static let codes: [([UInt8], String, String)] = [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test("HMAC-SHA256 has its known values", arguments: codes)
    func hmac(key: [UInt8], message: String, code: String) {
        let computed = Digest.hmacSHA256(key: key.span, Array(message.utf8).span)
        #expect(computed == Hex(code).bytes)
    }

    /// Salt, input, info and output: RFC 5869 cases 1 and 2.
    static let stretches: [([UInt8], [UInt8], [UInt8], String)] = [
        (
            Array(0..<13), [UInt8](repeating: 0x0B, count: 22), Array(0xF0..<0xFA),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        (
            Array(0x60..<0xB0), Array(0..<0x50), Array(0xB0...0xFF),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                + "cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
    ]

    @Test("HKDF has its known values", arguments: stretches)
    func hkdf(salt: [UInt8], input: [UInt8], info: [UInt8], output: String) {
        let expected = Hex(output).bytes
        let key = HKDF.extract(salt: salt.span, input: SecretBytes(input))
        let stretched = HKDF.expand(key: key, info: info.span, count: expected.count)
        #expect(stretched.copy() == expected)
    }
}
