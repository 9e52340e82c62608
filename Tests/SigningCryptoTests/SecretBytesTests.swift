// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCrypto

@Suite struct SecretBytesTests {
    @Test("A secret shows the bytes that were filled in, and zeros elsewhere")
    func fill() {
        let secret = SecretBytes(count: 4) { bytes in bytes[1] = 7 }
        #expect(secret.copy() == [0, 7, 0, 0])
        #expect(secret.count == 4)
    }

    @Test("Bytes beyond a partial fill are wiped and not visible")
    func partialFill() {
        let secret = SecretBytes(countMax: 8) { bytes in
            for index in bytes.indices { bytes[index] = 0xAA }
            return 3
        }
        #expect(secret.count == 3)
        #expect(secret.copy() == [0xAA, 0xAA, 0xAA])
        let behind = unsafe Array(UnsafeBufferPointer(start: secret.base + 3, count: 5))
        #expect(behind == [0, 0, 0, 0, 0])
    }

    @Test("An error while filling reaches the caller")
    func failedFill() {
        let error = cryptoError { () throws(CryptoError) in
            let fill: (inout MutableSpan<UInt8>) throws(CryptoError) -> Int = {
                (_) throws(CryptoError) in throw .outOfMemory
            }
            let secret = try SecretBytes(countMax: 8, fill)
            _ = secret.count
        }
        #expect(error == .outOfMemory)
    }

    @Test("An empty secret is a secret")
    func empty() {
        let secret = SecretBytes([])
        #expect(secret.count == 0)
        #expect(secret.copy().isEmpty)
        let isEqual = secret.isEqual(to: SecretBytes(count: 0) { _ in })
        #expect(isEqual)
    }

    @Test("Equality sees each bit and the length")
    func equality() {
        let bytes: [UInt8] = [1, 2, 3, 4]
        let secret = SecretBytes(bytes)
        let isSame = secret.isEqual(to: SecretBytes(bytes))
        #expect(isSame)
        for bit in 0..<32 {
            let isSame = secret.isEqual(to: SecretBytes(bytes.flipping(bit: bit)))
            #expect(!isSame)
        }
        let isPrefix = secret.isEqual(to: SecretBytes([1, 2, 3]))
        #expect(!isPrefix)
    }

    @Test("Random secrets differ")
    func random() {
        let first = SecretBytes.random(count: 32)
        let isSame = first.isEqual(to: SecretBytes.random(count: 32))
        #expect(first.count == 32)
        #expect(!isSame)
    }

    @Test("Writing to a finished secret on its own pages ends the process")
    func readOnly() async {
        await #expect(processExitsWith: .failure) {
            let secret = SecretBytes.random(count: SecretArena.placeBytes + 1)
            unsafe secret.base.pointee = 0
            withExtendedLifetime(secret.count) {}
        }
    }

    @Test("Constant-time comparison agrees with plain comparison")
    func constantTime() {
        let values: [[UInt8]] = [[], [1], [1, 2], [1, 3], [2, 1]]
        for left in values {
            for right in values {
                let isSame = ConstantTime.isEqual(left.span, right.span)
                #expect(isSame == (left == right))
            }
        }
    }

    @Test("Random bytes have the length asked for and differ")
    func randomness() {
        #expect(Randomness.bytes(0).isEmpty)
        #expect(Randomness.bytes(33).count == 33)
        #expect(Randomness.bytes(32) != Randomness.bytes(32))
    }
}
