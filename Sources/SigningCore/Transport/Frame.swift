// SPDX-License-Identifier: Apache-2.0

/// One message as a transport read it, not yet trusted in any way.
public struct Frame: Hashable, Sendable {
    /// The bytes on the wire, whole.
    public let bytes: [UInt8]
    /// What the client laid down beside them, where the transport takes such things.
    public let enclosure: [UInt8]?
    /// Who sent them.
    public let peer: Peer
    /// The id that the transport gave the request, 16 bytes, never used before; nil where it gives
    /// none, and the hub does.
    public let requestID: [UInt8]?

    /// Makes a frame; only transports do.
    public init(bytes: [UInt8], enclosure: [UInt8]? = nil, peer: Peer, requestID: [UInt8]? = nil) {
        self.bytes = bytes
        self.enclosure = enclosure
        self.peer = peer
        self.requestID = requestID
    }

    /// A frame of text, such as a URL.
    public init(_ text: String, from peer: Peer) {
        self.init(bytes: Array(text.utf8), peer: peer)
    }
}
