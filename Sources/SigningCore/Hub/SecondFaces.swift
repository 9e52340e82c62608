// SPDX-License-Identifier: Apache-2.0

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
