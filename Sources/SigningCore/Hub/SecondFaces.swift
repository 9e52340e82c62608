// SPDX-License-Identifier: Apache-2.0

/// An adapter whose replies may be broadcasts.
public protocol Broadcasts<Request>: ProtocolAdapter {
    /// Writes what became of a broadcast, item by item; never another broadcast.
    func encode(_ deliveries: [Broadcast.Delivery], to request: Request) -> Reply
}

/// An adapter whose requests may have wishes.
public protocol GrantsWishes<Request>: ProtocolAdapter {
    /// Writes what became of a request that has some; `granted` are the places of those that now
    /// stand.
    func encode(_ outcome: Outcome, to request: Request, granted: [Int]) -> Reply
}

/// An adapter whose frames may have something laid beside them by the client, because it is too
/// large for the wire.
public protocol TakesEnclosures: ProtocolAdapter {
    /// The largest that it reads, in bytes; 0 where it reads none.
    var enclosureBytesMax: Int { get }

    /// The name under which a frame says that something lies, for a transport that looks there;
    /// nil where it names none, or cannot be read.
    func enclosureName(in frame: Span<UInt8>) -> String?
}

/// An adapter whose frames say who is answered, whether or not they can be judged.
public protocol NamesClient: ProtocolAdapter {
    /// Who is told the answer to a frame; nil where nobody is.
    func client(of frame: Span<UInt8>) -> Client?
}
