// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
import Nostr
import SigningCodecs
import SigningCore

/// The space for a result in its callback, computed before a key is used.
struct AnswerRoom {
    /// The number of bytes left for values.
    private let bytes: Int
    private let compression: Compression

    init(
        at success: Callback, id: String?, _ compression: Compression, _ limits: NIP155Limits
    ) {
        let names = 128  // The names of the answer parameters and the shortest values, in bytes.
        let id = id.map { PercentEncoding.encode($0).utf8.count } ?? 0
        bytes = limits.bytesMax(at: success) - success.text.utf8.count - id - names
        self.compression = compression
    }

    /// Throws if the ciphertext of a text would be too long.
    func check(plaintextBytes count: Int, _ scheme: CipherScheme) throws(NIP155Refusal) {
        let characters =
            scheme == .nip04
            ? NIP04Text.characters(plaintextBytes: count)
            : NIP44Text.characters(plaintextBytes: count)
        // Base64 of Base64 of gzip; compressed random bytes are slightly longer than the bytes
        // themselves.
        let sent = compression == .gzip ? characters + characters / 32 : characters
        guard Self.encoded(base64Characters: sent) <= bytes else {
            throw NIP155Refusal(
                .payloadTooLarge,
                "the ciphertext would be too large for a callback; a drop box (pb) takes it")
        }
    }

    /// Throws if an event that is returned whole would be too long.
    func check(_ event: NostrEvent) throws(NIP155Refusal) {
        // Most events are so short that they fit with any encoding.
        let weight = event.content.utf8.count + event.tags.joined().reduce(0) { $0 + $1.utf8.count }
        if (weight + 3 * event.tags.count) * 6 + Self.frameBytes <= bytes { return }
        let signed = event.json(
            id: [UInt8](repeating: 0, count: 32), publicKey: [UInt8](repeating: 0, count: 32),
            signature: [UInt8](repeating: 0, count: 64))
        var count = PercentEncoding.encode(signed).utf8.count
        if compression == .gzip {
            let packed = try compression.pack(signed)
            // The zeros replace 256 digits that cannot be compressed so well.
            count = Self.encoded(base64Characters: packed.utf8.count + 256)
        }
        guard count <= bytes else {
            throw NIP155Refusal(
                .payloadTooLarge,
                "the signed event would be too large for a callback; ask for "
                    + (compression == .gzip ? "a drop box (pb)" : "compressionType=gzip"))
        }
    }

    /// An upper bound of the other parts of an event besides content and tags, in bytes.
    private static let frameBytes = 2_048

    /// Returns the length in a URL.
    ///
    /// One in 32 digits takes three characters; the margin makes a longer result extremely
    /// unlikely.
    private static func encoded(base64Characters count: Int) -> Int {
        count + count / 16 + 1_024
    }
}
