// SPDX-License-Identifier: Apache-2.0

/// One message as a transport read it, not yet trusted in any way.
public struct Frame: Hashable, Sendable {
    /// The bytes on the wire, whole.
    public let bytes: [UInt8]
    /// What the client laid down beside them, where the transport takes such things.
    public let enclosure: [UInt8]?
    /// Who sent them.
    public let peer: Peer

    /// Makes a frame; only transports do.
    public init(bytes: [UInt8], enclosure: [UInt8]? = nil, peer: Peer) {
        self.bytes = bytes
        self.enclosure = enclosure
        self.peer = peer
    }

    /// A frame of text, such as a URL.
    public init(_ text: String, from peer: Peer) {
        self.init(bytes: Array(text.utf8), peer: peer)
    }
}
