// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite("UUIDs")
struct UUIDTextTests {
    @Test("16 bytes become a version 4 UUID: version and variant set, the rest kept")
    func version4() {
        let bytes = [UInt8](0..<16)
        #expect(UUIDText.version4(bytes) == "00010203-0405-4607-8809-0a0b0c0d0e0f")
        let ones = [UInt8](repeating: 0xFF, count: 16)
        #expect(UUIDText.version4(ones) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    }

    @Test("upper and lower case are the same UUID, other texts are not")
    func same() {
        #expect(UUIDText.isSame("ABCD", "abcd") && !UUIDText.isSame("abcd", "abce"))
    }
}
