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
    public internal(set) var requestID: [UInt8]?
    /// The key that a person chose for it; nil where the frame and what is known of its client
    /// decide.
    private(set) var account: KeyID?

    /// Makes a frame; only transports do.
    public init(bytes: [UInt8], enclosure: [UInt8]? = nil, peer: Peer, requestID: [UInt8]? = nil) {
        self.bytes = bytes
        self.enclosure = enclosure
        self.peer = peer
        self.requestID = requestID
    }

    /// The same frame for the account that a person chose; hubs alone make one.
    func about(_ account: KeyID) -> Frame {
        var copy = self
        copy.account = account
        return copy
    }

    /// A frame of text, such as a URL.
    public init(_ text: String, from peer: Peer) {
        self.init(bytes: Array(text.utf8), peer: peer)
    }
}
