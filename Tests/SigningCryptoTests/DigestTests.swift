// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite struct DigestTests {
    /// Message, SHA-256 and SHA-512/256, computed by Python's hashlib.
    static let known: [(String, String, String)] = [
        (
            "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"
        ),
        (
            "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"
        ),
        (
            String(repeating: "a", count: 1000),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3",
            "40eb4a70d4d69815407a9e272f0101cd67e3d11262a4a0bfc087712749c7fb53"
        ),
    ]

    @Test("Digests have their known values", arguments: known)
    func digests(message: String, sha256: String, sha512_256: String) {
        let message = Array(message.utf8)
        let short = Digest.sha256(message.span)
        let truncated = Digest.sha512_256(message.span)
        #expect(short == Hex(sha256).bytes)
        #expect(truncated == Hex(sha512_256).bytes)
    }

    @Test("SHA-256 in parts equals SHA-256 at once")
    func parts() {
        let message = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        for split in [0, 1, 63, 64, 65, 300] {
            var state = SHA256State()
            let (head, tail) = (Array(message[..<split]), Array(message[split...]))
            state.update(head.span)
            _ = state.finish()
            state.update(tail.span)
            #expect(state.finish() == sha256(message))
        }
        #expect(SHA256State().finish() == sha256([]))
    }

    /// Key, message and code: RFC 4231 cases 1, 2 and 6, and the empty key.
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
