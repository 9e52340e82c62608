// SPDX-License-Identifier: Apache-2.0

/// An adapter whose replies may be broadcasts.
public protocol Broadcasts<Request>: ProtocolAdapter {
    /// Writes the results of a broadcast, item by item; never returns another broadcast.
    func encode(_ deliveries: [Broadcast.Delivery], to request: Request) -> Reply
}

/// An adapter whose requests may also ask for permissions, which are their wishes.
public protocol GrantsWishes<Request>: ProtocolAdapter {
    /// Writes the reply to a request with wishes; `granted` are the indexes of granted wishes.
    func encode(_ outcome: Outcome, to request: Request, granted: [Int]) -> Reply
}

/// An adapter whose clients may put data into a file if the frame would be too large for the wire.
public protocol TakesEnclosures: ProtocolAdapter {
    /// The maximum size of an enclosure in bytes; 0 if the adapter reads no enclosures.
    var enclosureBytesMax: Int { get }

    /// Returns the name of the file that the frame refers to, for the transport to read.
    ///
    /// Nil if the frame names no file or cannot be read.
    func enclosureName(in frame: Span<UInt8>) -> String?
}

/// An adapter whose frames name the client to answer, even if they cannot be judged.
public protocol NamesClient: ProtocolAdapter {
    /// Returns the client that receives the answer; nil if the frame names no client.
    func client(of frame: Span<UInt8>) -> Client?
}

/// An adapter that shares a URL scheme with another adapter.
public protocol SharesScheme: ProtocolAdapter {
    /// Returns true if this adapter handles the address.
    func isOwn(_ address: Span<UInt8>) -> Bool
}
