// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs
import SigningDigests

/// The text form of a 32-byte public key: Base32 of the key and four checksum bytes.
public enum AlgorandAddress {
    /// The number of characters of every address.
    public static let digitCount = 58
    /// The number of bytes of the key before the checksum.
    public static let keyCount = 32
    /// The number of hash bytes that follow the key.
    private static let checksumCount = 4

    /// Returns the address of a 32-byte public key.
    public static func text(
        publicKey: Span<UInt8>
    ) -> String {
        precondition(publicKey.count == keyCount, "the Algorand public key is not 32 bytes")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(keyCount + checksumCount)
        for index in publicKey.indices { bytes.append(publicKey[index]) }
        bytes += Digest.sha512_256(publicKey).suffix(checksumCount)
        return Base32.encode(bytes.span)
    }

    /// Parses an address and checks its checksum.
    public static func parse(
        _ text: String
    ) throws(CodecError) -> [UInt8] {
        guard text.utf8.count == digitCount else {
            throw .malformed("an address has \(digitCount) characters", at: 0)
        }
        let bytes = try Base32.decode(text)
        guard bytes.count == keyCount + checksumCount else { throw .truncated }
        let key = [UInt8](bytes.prefix(keyCount))
        guard Digest.sha512_256(key.span).suffix(checksumCount) == bytes.suffix(checksumCount)
        else {
            throw .checksum
        }
        return key
    }
}
