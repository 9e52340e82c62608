// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningDigests
import Testing

@Suite("Hashes of preimages")
struct PrehashTests {
    private let first = Array("first".utf8)
    private let second = Array("the second".utf8)
    private var both: [UInt8] { SigningDomain.joined(first, second) }

    @Test("of the whole, of both parts, and of one with the hash of the other")
    func values() {
        typealias Prehash = SigningDomain.Prehash
        let data = Digest.sha256(second.span)
        #expect(Prehash.none.message(of: first) == first)
        #expect(Prehash.sha256.message(of: second) == data)
        #expect(Prehash.sha256OfBoth.message(of: both) == Digest.sha256(first.span) + data)
        let joined = first + data
        #expect(Prehash.sha256WithHash.message(of: both) == Digest.sha256(joined.span))
    }

    @Test("a preimage without two parts has none", arguments: [[], [0, 0, 0], [0, 0, 0, 1]])
    func parts(preimage: [UInt8]) {
        #expect(SigningDomain.Prehash.sha256OfBoth.message(of: preimage) == nil)
        #expect(SigningDomain.Prehash.sha256WithHash.message(of: preimage) == nil)
    }
}
