// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite struct SealedBoxKeyTests {
    @Test(
        "A box opens with its key, with any length", arguments: [0, 1, 32, 4096])
    func roundTrip(count: Int) throws {
        let key = SealedBoxKey()
        let secret = SecretBytes.random(count: count)
        let box = try SealedBoxKey.seal(secret, to: key.publicKey.span)
        #expect(box.count == count + SealedBoxKey.overheadCount)
        #expect(try key.open(box.span, countMax: 4096).isEqual(to: secret))
    }

    @Test("Another key, a changed byte and a shorter box open nothing")
    func refused() throws {
        let key = SealedBoxKey()
        var box = try SealedBoxKey.seal(SecretBytes([1, 2, 3]), to: key.publicKey.span)
        func error(_ box: [UInt8], by key: borrowing SealedBoxKey) -> CryptoError? {
            do throws(CryptoError) {
                _ = try key.open(box.span, countMax: 16)
                return nil
            } catch {
                return error
            }
        }
        #expect(error(box, by: key) == nil)
        #expect(error(box, by: SealedBoxKey()) == .authenticationFailed)
        #expect(error(Array(box.dropLast()), by: key) == .authenticationFailed)
        #expect(error([1], by: key) == .wrongLength(expected: 48, actual: 1))
        #expect(
            error([UInt8](repeating: 0, count: 65), by: key)
                == .lengthOutOfRange(
                    actual: 17, max: 16))
        box[50] ^= 1
        #expect(error(box, by: key) == .authenticationFailed)
    }

    @Test("Only 32 bytes are a public key, and no point of small order is")
    func badPublicKey() {
        for key in [[UInt8](repeating: 0, count: 31), [UInt8](repeating: 0, count: 32)] {
            #expect(throws: CryptoError.self) {
                try SealedBoxKey.seal(SecretBytes([1]), to: key.span)
            }
        }
    }
}
