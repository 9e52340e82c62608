// SPDX-License-Identifier: Apache-2.0

/// An adapter whose replies may be broadcasts.
public protocol Broadcasts<Request>: ProtocolAdapter {
    /// Writes the results of a broadcast, item by item; never returns another broadcast.
    func encode(_ deliveries: [Broadcast.Delivery], to request: Request) -> Reply
}

/// An adapter whose requests may have wishes.
public protocol GrantsWishes<Request>: ProtocolAdapter {
    /// Writes the outcome of a request with wishes; `granted` are the indexes of the granted ones.
    func encode(_ outcome: Outcome, to request: Request, granted: [Int]) -> Reply
}

/// An adapter whose clients may put data into a file if the frame would be too large for the wire.
public protocol TakesEnclosures: ProtocolAdapter {
    /// The largest enclosure that it reads, in bytes; 0 if it reads none.
    var enclosureBytesMax: Int { get }

    /// Returns the name of the enclosure, for a transport that looks there.
    ///
    /// Nil if the frame names none or cannot be read.
    func enclosureName(in frame: Span<UInt8>) -> String?
}

/// An adapter whose frames name the client to answer, even if they cannot be judged.
public protocol NamesClient: ProtocolAdapter {
    /// Returns the client that receives the answer to a frame; nil if absent.
    func client(of frame: Span<UInt8>) -> Client?
}
