// SPDX-License-Identifier: Apache-2.0

@testable import SigningCrypto

/// The two vector files of NIP-44.
struct NIP44Vectors: Decodable {
    struct Sections: Decodable {
        let valid: Valid
        let invalid: Invalid
    }

    struct Valid: Decodable {
        let get_conversation_key: [KeyRow]
        let get_message_keys: MessageKeyRows
        let calc_padded_len: [[Int]]
        let encrypt_decrypt: [MessageRow]
        let encrypt_decrypt_long_msg: [LongRow]
    }

    struct Invalid: Decodable {
        let encrypt_msg_lengths: [Int]
        let get_conversation_key: [KeyRow]
        let decrypt: [RefusedRow]
    }

    struct KeyRow: Decodable, Sendable {
        let sec1: Hex
        let pub2: Hex
        let conversation_key: Hex?
        let note: String?
    }

    struct MessageKeyRows: Decodable {
        struct Row: Decodable, Sendable {
            let nonce: Hex
            let chacha_key: Hex
            let chacha_nonce: Hex
            let hmac_key: Hex
        }
        let conversation_key: Hex
        let keys: [Row]
    }

    struct MessageRow: Decodable, Sendable {
        let sec1: Hex
        let sec2: Hex
        let conversation_key: Hex
        let nonce: Hex
        let plaintext: String
        let payload: String
    }

    struct LongRow: Decodable, Sendable {
        let conversation_key: Hex
        let nonce: Hex
        let pattern: String
        let `repeat`: Int
        let plaintext_sha256: Hex
        let payload_sha256: Hex
    }

    struct RefusedRow: Decodable, Sendable {
        let conversation_key: Hex
        let payload: String
        let note: String
    }

    let v2: Sections

    static func sections() throws -> Sections {
        try Vectors.json("nostr/nip44.vectors.json", as: NIP44Vectors.self).v2
    }
}

struct NIP44ExtendedVectors: Decodable {
    struct ValidRow: Decodable, Sendable {
        let plaintext_byte: Hex
        let plaintext_len: Int
        let padded_len: Int
        let payload_chars: Int
        let plaintext_sha256: Hex
        let payload_sha256: Hex
    }

    struct RefusedRow: Decodable, Sendable {
        let name: String
        let payload: String
    }

    struct Accepted: Decodable {
        let payload: String
    }

    let conversation_key: Hex
    let nonce: Hex
    let valid: [ValidRow]
    let invalid_decrypt: [RefusedRow]
    let non_zero_padding_bytes: Accepted

    static func file() throws -> NIP44ExtendedVectors {
        try Vectors.json("nostr/nip44.extended.json", as: NIP44ExtendedVectors.self)
    }
}
