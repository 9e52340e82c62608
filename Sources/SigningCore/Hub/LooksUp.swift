// SPDX-License-Identifier: Apache-2.0

/// The second, optional face of an adapter: some of its requests need something from a network
/// before they are decoded, which a courier looks up in between.
public protocol LooksUp: ProtocolAdapter {
    /// A frame that is read and checked by itself, before an account is chosen.
    associatedtype Reading: Sendable
    /// What has to be looked up for it, and for whom.
    associatedtype Need: Sendable
    /// What was found.
    associatedtype Lookup: LookedUp

    /// Reads a whole frame, strictly.
    func read(_ frame: Span<UInt8>) throws(AdapterError) -> Reading

    /// What has to be looked up; nil where nothing has.
    func need(
        of reading: Reading, in context: DecodingContext
    ) throws(AdapterError) -> Need?

    /// Decodes what was read.
    ///
    /// The context may be another one than that of the need, because a session began or ended in
    /// between: what was looked up for somebody else is refused.
    func decode(
        _ reading: Reading, with lookup: Lookup?, in context: DecodingContext
    ) throws(AdapterError) -> Request
}

/// What was looked up for one request; it says itself for whom.
public protocol LookedUp: Sendable {
    /// All of it, as it stands in the digest of the request.
    var digested: [UInt8] { get }
}

extension LooksUp {
    /// As one for which nothing was looked up.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> Request {
        try decode(try read(frame), with: nil, in: context)
    }
}
