// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// An app that asks an ARC-27 provider and reads its replies.
///
/// It sends nothing, holds no key and verifies no signature: see `Reply` for the checks that
/// remain.
public struct ARC27Client: Hashable, Sendable {
    /// The constant that Liquid Auth clients send, because they never discover a provider.
    public static let liquidProviderID = "02657eaf-be17-4efc-b0a4-19d654b2448e"
    /// The maximum size of a frame, in bytes; Pera reads 64 KiB of JSON.
    public static let frameBytesMax = 256 << 10
    /// The maximum length of the id of a request, a reply or a provider, in bytes.
    public static let idBytesMax = 128
    /// The maximum length of a session id, in bytes; its form is free.
    public static let sessionIDBytesMax = 1 << 10
    /// The maximum number of elements in a list of a request or a reply, as in Pera.
    public static let itemCountMax = 1_000

    /// The id of the provider; nil if it is not known yet.
    public let providerID: String?

    /// Creates a client of one provider; without an id it can only discover and sign data (ARC-60).
    ///
    /// The id is from a discovery, or `liquidProviderID`. Throws `invalidCall`.
    public init(providerID: String? = nil) throws(ARC27ClientError) {
        if let providerID, !WireText.isID(providerID) {
            throw .invalidCall("a provider id must have 1 to \(Self.idBytesMax) visible bytes")
        }
        self.providerID = providerID
    }

    /// Creates a request with an id that the app chooses, 1 to 128 bytes.
    ///
    /// A provider may require a UUID of version 4. Use each id once. If others can write to the
    /// channel, the id must be hard to guess. Throws `invalidCall`.
    public func request(
        _ call: Call, id: String
    ) throws(ARC27ClientError) -> PendingRequest {
        guard WireText.isID(id) else {
            throw .invalidCall("id must have 1 to \(Self.idBytesMax) visible bytes")
        }
        try call.check(providerID: providerID)
        return PendingRequest(id: id, call: call, providerID: providerID)
    }

    /// Creates a request whose id is the UUID of version 4 made of 16 random bytes.
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
