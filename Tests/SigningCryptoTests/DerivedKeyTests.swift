// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import Testing

@Suite("Keys derived for a purpose")
struct DerivedKeyTests {
    @Test("are the same for the same purpose, and differ for another purpose or key")
    func purposes() {
        let key = SecretBytes(count: 32) { $0[0] = 1 }
        let other = SecretBytes(count: 32) { $0[0] = 2 }
        let list = key.derivedKey(for: "list")
        let again = key.derivedKey(for: "list")
        let log = key.derivedKey(for: "log")
        let foreign = other.derivedKey(for: "list")
        #expect(list.count == 32)
        let isSame = list.isEqual(to: again)
        let differs = !list.isEqual(to: log) && !list.isEqual(to: foreign)
        let isFresh = !list.isEqual(to: key)
        #expect(isSame && differs && isFresh)
    }
}
