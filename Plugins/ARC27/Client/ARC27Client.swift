// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// An app that asks an ARC-27 provider and reads its replies.
///
/// It sends nothing, holds no key and verifies no signature: `Reply` says what is left to do.
public struct ARC27Client: Hashable, Sendable {
    /// The constant that Liquid Auth clients send, because they never discover a provider.
    public static let liquidProviderID = ARC27Wire.liquidProviderID
    /// The largest frame that is written or read, in bytes; Pera reads 64 KiB of JSON.
    public static let frameBytesMax = ARC27Wire.frameBytesMax
    /// Bytes of the longest id of a request, a reply or a provider.
    public static let idBytesMax = ARC27Wire.idBytesMax
    /// Bytes of the longest session id, whose form is free.
    public static let sessionIDBytesMax = 1 << 10
    /// Elements of the longest list in a request or a reply, as many as Pera takes.
    public static let itemCountMax = 1_000

    /// The provider that is asked; nil where none is known yet.
    public let providerID: String?

    /// Makes a client of one provider, or one that can only discover and sign data (ARC-60).
    ///
    /// The id is that of a discovery or `liquidProviderID`. Throws `invalidCall`.
    public init(providerID: String? = nil) throws(ARC27ClientError) {
        if let providerID, !WireText.isID(providerID) {
            throw .invalidCall("a provider id must have 1 to \(Self.idBytesMax) visible bytes")
        }
        self.providerID = providerID
    }

    /// Makes a request whose id the app chooses, 1 to 128 bytes.
    ///
    /// A provider may insist on a UUID of version 4. An id is used once, and nobody else can guess
    /// it where others can write to the channel. Throws `invalidCall`.
    public func request(
        _ call: Call, id: String
    ) throws(ARC27ClientError) -> PendingRequest {
        guard WireText.isID(id) else {
            throw .invalidCall("id must have 1 to \(Self.idBytesMax) visible bytes")
        }
        try call.check(providerID: providerID)
        return PendingRequest(id: id, call: call, providerID: providerID)
    }

    /// Makes a request whose id is the UUID of version 4 of 16 random bytes.
    ///
    /// Throws `invalidCall`.
    public func request(
        _ call: Call, freshID: [UInt8]
    ) throws(ARC27ClientError) -> PendingRequest {
        guard freshID.count == UUIDText.byteCount else {
            throw .invalidCall("an id is made of \(UUIDText.byteCount) random bytes")
        }
        return try request(call, id: UUIDText.version4(freshID))
    }
}
