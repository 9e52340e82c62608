// SPDX-License-Identifier: Apache-2.0

/// One message as a transport received it; its content is not checked yet.
public struct Frame: Hashable, Sendable {
    /// All bytes of the message.
    public let bytes: [UInt8]
    /// The content of the file that the client stored for this message; nil without such a file.
    public let enclosure: [UInt8]?
    /// The peer that sent the message.
    public let peer: Peer
    /// The unique id that the transport gave the request, 16 bytes; if nil, the hub makes one.
    public internal(set) var requestID: [UInt8]?
    /// The account that a person chose; nil if no person chose one.
    private(set) var account: KeyID?

    /// Makes a frame; called by transports.
    public init(bytes: [UInt8], enclosure: [UInt8]? = nil, peer: Peer, requestID: [UInt8]? = nil) {
        self.bytes = bytes
        self.enclosure = enclosure
        self.peer = peer
        self.requestID = requestID
    }

    /// Returns the frame with the account that a person chose; called by hubs.
    func about(_ account: KeyID) -> Frame {
        var copy = self
        copy.account = account
        return copy
    }

    /// Makes a frame of text, such as a URL.
    public init(_ text: String, from peer: Peer) { self.init(bytes: Array(text.utf8), peer: peer) }
}
