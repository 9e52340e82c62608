// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import SigningCrypto

@Suite struct NIP44Tests {
    @Test(
        "Conversation keys are those of the vectors",
        arguments: try NIP44Vectors.sections().valid.get_conversation_key)
    func conversationKey(row: NIP44Vectors.KeyRow) throws {
        let own = try Secp256k1Key(secret: SecretBytes(row.sec1.bytes))
        let key = try NIP44.conversationKey(own: own, peer: row.pub2.bytes.span)
        #expect(key.copy() == row.conversation_key?.bytes)
    }

    @Test(
        "Impossible secrets and peers are refused",
        arguments: try NIP44Vectors.sections().invalid.get_conversation_key)
    func refusedKey(row: NIP44Vectors.KeyRow) throws {
        let note = try #require(row.note)
        let error = cryptoError { () throws(CryptoError) in
            let own = try Secp256k1Key(secret: SecretBytes(row.sec1.bytes))
            _ = try NIP44.conversationKey(own: own, peer: row.pub2.bytes.span).count
        }
        #expect(error == (note.hasPrefix("sec1") ? .invalidSecretKey : .invalidPublicKey))
    }

    @Test("Message keys are those of the vectors")
    func messageKeys() throws {
        let rows = try NIP44Vectors.sections().valid.get_message_keys
        #expect(rows.keys.count == 32)
        for row in rows.keys {
            let keys = try NIP44.MessageKeys(
                conversationKey: SecretBytes(rows.conversation_key.bytes),
                nonce: row.nonce.bytes.span)
            #expect(
                keys.bytes.copy()
                    == row.chacha_key.bytes + row.chacha_nonce.bytes + row.hmac_key.bytes)
        }
    }

    @Test("Padded lengths are those of the vectors")
    func paddedCount() throws {
        let rows = try NIP44Vectors.sections().valid.calc_padded_len
        #expect(rows.count == 24)
        for row in rows { #expect(NIP44.paddedCount(row[0]) == row[1]) }
    }

    @Test(
        "Messages encrypt to the payloads of the vectors and back, from both sides",
        arguments: try NIP44Vectors.sections().valid.encrypt_decrypt)
    func message(row: NIP44Vectors.MessageRow) throws {
        let first = try Secp256k1Key(secret: SecretBytes(row.sec1.bytes))
        let second = try Secp256k1Key(secret: SecretBytes(row.sec2.bytes))
        let key = try NIP44.conversationKey(own: first, peer: second.publicKey.span)
        let back = try NIP44.conversationKey(own: second, peer: first.publicKey.span)
        #expect(key.copy() == row.conversation_key.bytes)
        #expect(back.copy() == row.conversation_key.bytes)
        let plaintext = Array(row.plaintext.utf8)
        let payload = try NIP44.encrypt(
            plaintext.span, conversationKey: key, nonce: row.nonce.bytes)
        #expect(Data(payload).base64EncodedString() == row.payload)
        #expect(try nip44Decrypt(payload, key: row.conversation_key.bytes) == plaintext)
    }

    @Test(
        "Long messages have the digests of the vectors",
        arguments: try NIP44Vectors.sections().valid.encrypt_decrypt_long_msg)
    func longMessage(row: NIP44Vectors.LongRow) throws {
        let plaintext = Array(String(repeating: row.pattern, count: row.repeat).utf8)
        try check(
            plaintext: plaintext, key: row.conversation_key.bytes, nonce: row.nonce.bytes,
            plaintextDigest: row.plaintext_sha256.bytes, payloadDigest: row.payload_sha256.bytes)
    }

    @Test(
        "Both prefix forms give the payloads of the extended vectors",
        arguments: try NIP44ExtendedVectors.file().valid)
    func extended(row: NIP44ExtendedVectors.ValidRow) throws {
        let file = try NIP44ExtendedVectors.file()
        let plaintext = [UInt8](repeating: row.plaintext_byte.bytes[0], count: row.plaintext_len)
        #expect(NIP44.paddedCount(plaintext.count) == row.padded_len)
        let text = try check(
            plaintext: plaintext, key: file.conversation_key.bytes, nonce: file.nonce.bytes,
            plaintextDigest: row.plaintext_sha256.bytes, payloadDigest: row.payload_sha256.bytes)
        #expect(text.utf8.count == row.payload_chars)
    }

    /// Encrypts, compares digests and decrypts; the payload digest covers the Base64 text.
    @discardableResult
    private func check(
        plaintext: [UInt8], key: [UInt8], nonce: [UInt8], plaintextDigest: [UInt8],
        payloadDigest: [UInt8]
    ) throws -> String {
        let key = SecretBytes(key)
        let payload = try NIP44.encrypt(plaintext.span, conversationKey: key, nonce: nonce)
        let text = Data(payload).base64EncodedString()
        #expect(sha256(plaintext) == plaintextDigest)
        #expect(sha256(Array(text.utf8)) == payloadDigest)
        let isSame = try NIP44.decrypt(payload.span, conversationKey: key) == plaintext
        #expect(isSame)
        return text
    }

    @Test("Each encryption takes a fresh nonce")
    func freshNonce() throws {
        let key = SecretBytes.random(count: 32)
        let first = try NIP44.encrypt([1].span, conversationKey: key)
        let second = try NIP44.encrypt([1].span, conversationKey: key)
        #expect(first[1..<33] != second[1..<33])
        #expect(try nip44Decrypt(first, key: key.copy()) == [1])
        #expect(try nip44Decrypt(second, key: key.copy()) == [1])
    }
}
