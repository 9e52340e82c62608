// SPDX-License-Identifier: Apache-2.0

/// One message as a transport read it, not yet trusted.
public struct Frame: Hashable, Sendable {
    /// The complete bytes on the wire.
    public let bytes: [UInt8]
    /// The data that the client stored beside them, on transports with enclosures.
    public let enclosure: [UInt8]?
    /// The peer that sent them.
    public let peer: Peer
    /// The id that the transport gave the request, 16 bytes, unique; if nil, the hub makes one.
    public internal(set) var requestID: [UInt8]?
    /// The key that a person chose; nil if the frame and the connections of its client decide.
    private(set) var account: KeyID?

    /// Makes a frame; called by transports.
    public init(bytes: [UInt8], enclosure: [UInt8]? = nil, peer: Peer, requestID: [UInt8]? = nil) {
        self.bytes = bytes
        self.enclosure = enclosure
        self.peer = peer
        self.requestID = requestID
    }

    /// Returns the frame for the account that a person chose; called by hubs.
    func about(_ account: KeyID) -> Frame {
        var copy = self
        copy.account = account
        return copy
    }

    /// Makes a frame of text, such as a URL.
    public init(_ text: String, from peer: Peer) {
        self.init(bytes: Array(text.utf8), peer: peer)
    }
}
