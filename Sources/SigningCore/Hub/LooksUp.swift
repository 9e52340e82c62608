// SPDX-License-Identifier: Apache-2.0

/// What was looked up for one request; it says itself for whom.
public protocol LookedUp: Sendable {
    /// What has to be looked up, and for whom.
    associatedtype Need: Sendable
    /// Why it could not be.
    associatedtype Failure: Error

    /// What of it stands in the digest of the request, which holds for what was agreed to: nothing
    /// that ages. Nil where nothing that is signed comes of it.
    var digested: [UInt8]? { get }

    /// The lane in which requests with values that age go out one after the other; nil where
    /// their order does not matter.
    var lane: String? { get }

    /// True if the courier renews it once nothing waits for a person any more.
    var ages: Bool { get }
}

extension LookedUp {
    /// No order.
    public var lane: String? { nil }
    /// What goes out in order ages.
    public var ages: Bool { lane != nil }
}

/// The second, optional face of an adapter: some of its requests need something from a network
/// before they are decoded, which a courier looks up in between.
public protocol LooksUp<Lookup>: ProtocolAdapter {
    /// A frame that is read and checked by itself, before an account is chosen.
    associatedtype Reading: Sendable
    /// What was found.
    associatedtype Lookup: LookedUp

    /// Reads a whole frame, strictly.
    func read(_ frame: Span<UInt8>) throws(AdapterError) -> Reading

    /// What has to be looked up; nil where nothing has.
    func need(
        of reading: Reading, in context: DecodingContext
    ) throws(AdapterError) -> Lookup.Need?

    /// Decodes what was read.
    ///
    /// The context may be another one than that of the need, because a connection began or ended in
    /// between: what was looked up for somebody else is refused.
    func decode(
        _ reading: Reading, with lookup: Lookup?, in context: DecodingContext
    ) throws(AdapterError) -> Request

    /// The refusal of a frame whose lookup failed; the client is not told of the node.
    func refuse(_ failure: Lookup.Failure) -> AdapterError

    /// What stands for a lookup where a request is explained and goes nowhere; nil where nothing
    /// has to.
    func standIn(for need: Lookup.Need) -> Lookup?

    /// The two decisions of a frame that asks for two, each judged by itself; nil for others.
    ///
    /// Nothing is done for the first where the second cannot be looked up.
    func decisions(in reading: Reading) -> (first: Reading, second: Reading)?

    /// Both messages as one; nil where the second says by itself how it ended.
    func joined(_ first: [UInt8], _ second: [UInt8]) -> [UInt8]?
}

extension LooksUp {
    /// As one for which nothing was looked up.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> Request {
        try decode(try read(frame), with: nil, in: context)
    }

    /// Nothing.
    public func standIn(for _: Lookup.Need) -> Lookup? { nil }
    /// One decision.
    public func decisions(in _: Reading) -> (first: Reading, second: Reading)? { nil }
    /// The second.
    public func joined(_: [UInt8], _: [UInt8]) -> [UInt8]? { nil }
}

extension LooksUp where Lookup.Failure == Never {
    /// Never.
    public func refuse(_ failure: Never) -> AdapterError {}
}
