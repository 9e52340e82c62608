// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import SigningCrypto

@Suite struct NIP44RefusalTests {
    static let key = [UInt8](repeating: 0x11, count: 32)

    private func decrypt(
        _ payload: [UInt8], key: [UInt8] = key
    ) throws(CryptoError) -> [UInt8] {
        try nip44Decrypt(payload, key: key)
    }

    @Test("The invalid payloads of NIP-44 are refused, all with the same error")
    func refused() throws {
        // Errors in the Base64 text, which the adapter decodes and tests.
        let textual = ["unknown encryption version", "invalid base64"]
        var skipped: [String] = []
        var refused = 0
        for row in try NIP44Vectors.sections().invalid.decrypt {
            guard let payload = Data(base64Encoded: row.payload) else {
                skipped.append(row.note)
                continue
            }
            #expect(throws: CryptoError.decryptionFailed, "\(row.note)") {
                try decrypt([UInt8](payload), key: row.conversation_key.bytes)
            }
            refused += 1
        }
        #expect(skipped == textual)
        #expect(refused == 10)
    }

    @Test("The invalid extended payloads are refused, all with the same error")
    func refusedExtended() throws {
        let file = try NIP44ExtendedVectors.file()
        // Errors in the Base64 text and in the plaintext, which the adapter tests.
        let textual = ["# prefix", "base64 without padding characters"]
        let notUTF8 = "non-UTF-8 plaintext"
        var refused = 0
        for row in file.invalid_decrypt where !textual.contains(row.name) {
            let payload = [UInt8](try #require(Data(base64Encoded: row.payload)))
            if row.name == notUTF8 {
                let plaintext = try decrypt(payload, key: file.conversation_key.bytes)
                #expect(String(validating: plaintext, as: UTF8.self) == nil)
                continue
            }
            #expect(throws: CryptoError.decryptionFailed, "\(row.name)") {
                try decrypt(payload, key: file.conversation_key.bytes)
            }
            refused += 1
        }
        #expect(refused == 5)
        #expect(file.invalid_decrypt.count == refused + textual.count + 1)
    }

    @Test("Padding that is not zero is accepted")
    func padding() throws {
        let file = try NIP44ExtendedVectors.file()
        let payload = try #require(Data(base64Encoded: file.non_zero_padding_bytes.payload))
        let plaintext = try decrypt([UInt8](payload), key: file.conversation_key.bytes)
        #expect(plaintext == Array("hello".utf8))
    }

    @Test("Each flipped bit, prefix and trailing byte of a payload refuses")
    func changes() throws {
        let payload = try NIP44.encrypt([7, 8].span, conversationKey: SecretBytes(Self.key))
        #expect(try decrypt(payload) == [7, 8])
        let failed = CryptoError.decryptionFailed
        for bit in 0..<payload.count * 8 {
            #expect(throws: failed) { try decrypt(payload.flipping(bit: bit)) }
        }
        for count in 0..<payload.count {
            #expect(throws: failed) { try decrypt(Array(payload.prefix(count))) }
        }
        #expect(throws: failed) { try decrypt(payload + [0]) }
        #expect(throws: failed) { try decrypt(payload, key: Self.key.flipping(bit: 0)) }
    }

    @Test("Of the old forbidden lengths only those outside 1 byte to 1 MiB are still refused")
    func lengths() throws {
        let lengths = try NIP44Vectors.sections().invalid.encrypt_msg_lengths
        #expect(lengths == [0, 65_536, 100_000, 10_000_000])
        for count in lengths + [NIP44.plaintextBytesMax, NIP44.plaintextBytesMax + 1] {
            let plaintext = [UInt8](repeating: 1, count: count)
            let error = cryptoError { () throws(CryptoError) in
                _ = try NIP44.encrypt(plaintext.span, conversationKey: SecretBytes(Self.key))
            }
            let isAccepted = (1...1 << 20).contains(count)
            let refusal = CryptoError.lengthOutOfRange(actual: count, max: 1 << 20)
            #expect(error == (isAccepted ? nil : refusal))
        }
    }

    /// An authentic payload around a padded text that the test builds.
    private func payload(padded: [UInt8]) throws -> [UInt8] {
        let nonce = [UInt8](repeating: 5, count: 32)
        let keys = try NIP44.MessageKeys(
            conversationKey: SecretBytes(Self.key), nonce: nonce.span)
        var payload = [2] + nonce + padded
        keys.applyCipher(to: &payload, from: 33)
        return payload + keys.mac(of: payload.span.extracting(1...))
    }

    @Test("An authentic payload with a false length prefix is refused")
    func prefixes() throws {
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        #expect(try decrypt(payload(padded: [0, 32] + zeros(32))) == zeros(32))
        #expect(try decrypt(payload(padded: [0, 0, 0, 1, 0, 0] + zeros(65_536))).count == 65_536)
        let wrong: [[UInt8]] = [
            [0, 33] + zeros(32), [0, 32] + zeros(31) + zeros(32), [0, 32] + zeros(33),
            [0, 0] + zeros(32), [0, 0, 0, 0, 0, 0] + zeros(32), [0, 0, 0, 0, 0, 32] + zeros(32),
            [0, 0, 0, 0, 0xFF, 0xFF] + zeros(65_536), [0, 0, 0, 1, 0, 1] + zeros(65_536),
            [0, 0, 0xFF, 0xFF, 0xFF, 0xFF] + zeros(65_536),
            [0, 0, 0, 0x10, 0, 1] + zeros(1 << 20),
        ]
        for padded in wrong {
            let bytes = try payload(padded: padded)
            #expect(throws: CryptoError.decryptionFailed) { try decrypt(bytes) }
        }
    }

    @Test("A conversation key that is not 32 bytes is refused", arguments: [0, 31, 33])
    func keyLength(count: Int) throws {
        let payload = try NIP44.encrypt([1].span, conversationKey: SecretBytes(Self.key))
        let wrong = CryptoError.wrongLength(expected: 32, actual: count)
        let key = [UInt8](repeating: 0x11, count: count)
        #expect(throws: wrong) { try decrypt(payload, key: key) }
        #expect(throws: wrong) {
            try NIP44.encrypt([1].span, conversationKey: SecretBytes(key))
        }
    }
}
