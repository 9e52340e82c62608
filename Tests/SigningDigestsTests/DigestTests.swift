// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningDigests
import Testing

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
        #expect(Hex.encode(short.span) == sha256)
        #expect(Hex.encode(truncated.span) == sha512_256)
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
            let whole = Digest.sha256(message.span)
            #expect(state.finish() == whole)
        }
        let nothing: [UInt8] = []
        let empty = Digest.sha256(nothing.span)
        #expect(SHA256State().finish() == empty)
    }
}
