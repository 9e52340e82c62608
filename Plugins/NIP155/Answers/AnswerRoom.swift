// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
import SigningCore

/// How much of a result its callback can carry, known before a key is used.
struct AnswerRoom {
    /// What is left for values.
    private let bytes: Int
    private let compression: Compression

    init(
        at success: Callback, id: String?, _ compression: Compression, _ limits: NIP155Limits
    ) {
        let names = 128  // Those of the answer's parameters, and the shortest values.
        let id = id.map { PercentEncoding.encode($0).utf8.count } ?? 0
        bytes = limits.bytesMax(at: success) - success.text.utf8.count - id - names
        self.compression = compression
    }

    /// Refuses a text whose ciphertext would be too long.
    func check(plaintextBytes count: Int, _ scheme: CipherScheme) throws(NIP155Refusal) {
        let characters =
            scheme == .nip04
            ? NIP04Text.characters(plaintextBytes: count)
            : NIP44Text.characters(plaintextBytes: count)
        // Base64 of Base64 of gzip; random bytes are packed to what they were, and a little more.
        let sent = compression == .gzip ? characters + characters / 32 : characters
        guard Self.encoded(base64Characters: sent) <= bytes else {
            throw NIP155Refusal(
                .payloadTooLarge,
                "the ciphertext would be too large for a callback; a drop box (pb) takes it")
        }
    }

    /// Refuses an event that goes back whole and would be too long.
    func check(_ event: NostrEvent) throws(NIP155Refusal) {
        // Whatever it is, it fits: most events are this short.
        let weight = event.content.utf8.count + event.tags.joined().reduce(0) { $0 + $1.utf8.count }
        if (weight + 3 * event.tags.count) * 6 + Self.frameBytes <= bytes { return }
        let signed = event.json(
            id: [UInt8](repeating: 0, count: 32), publicKey: [UInt8](repeating: 0, count: 32),
            signature: [UInt8](repeating: 0, count: 64))
        var count = PercentEncoding.encode(signed).utf8.count
        if compression == .gzip {
            let packed = try compression.pack(signed)
            // Zeros stand for 256 digits that cannot be packed so well.
            count = Self.encoded(base64Characters: packed.utf8.count + 256)
        }
        guard count <= bytes else {
            throw NIP155Refusal(
                .payloadTooLarge,
                "the signed event would be too large for a callback; ask for "
                    + (compression == .gzip ? "a drop box (pb)" : "compressionType=gzip"))
        }
    }

    /// A bound on what an event has besides content and tags.
    private static let frameBytes = 2_048

    /// The length in a URL: one in 32 digits takes three characters, and so seldom many more that
    /// no result ever does.
    private static func encoded(base64Characters count: Int) -> Int {
        count + count / 16 + 1_024
    }
}
