// SPDX-License-Identifier: Apache-2.0

/// The result of a lookup for one request.
public protocol LookedUp: Sendable {
    /// The data to look up, with the account it is for.
    associatedtype Need: Sendable
    /// The reason that a lookup failed.
    associatedtype Failure: Error

    /// The part of the lookup that is included in the request's digest; it must not contain values
    /// that age.
    ///
    /// Nil if no signed bytes depend on the lookup.
    var digested: [UInt8]? { get }

    /// The lane in which requests with values that age take turns; nil if their order does not
    /// matter.
    var lane: String? { get }

    /// True if the lookup has values that go out of date, which the courier renews before signing.
    var ages: Bool { get }
}

extension LookedUp {
    /// Nil: order does not matter.
    public var lane: String? { nil }
    /// A lookup with a lane ages.
    public var ages: Bool { lane != nil }
}

/// An adapter with requests that need network data before they are decoded.
///
/// A courier looks the data up between `read` and `decode`.
public protocol LooksUp<Lookup>: ProtocolAdapter {
    /// A frame that was read and checked before an account is chosen.
    associatedtype Reading: Sendable
    /// The result of a lookup.
    associatedtype Lookup: LookedUp

    /// Reads a whole frame, strictly.
    func read(_ frame: Span<UInt8>) throws(AdapterError) -> Reading

    /// Returns the data to look up; nil if the request needs no lookup.
    func need(
        of reading: Reading, in context: DecodingContext
    ) throws(AdapterError) -> Lookup.Need?

    /// Decodes a frame that was read.
    ///
    /// The context may differ from that of `need`, if a connection began or ended since then. A
    /// lookup that was made for another account is refused.
    func decode(
        _ reading: Reading, with lookup: Lookup?, in context: DecodingContext
    ) throws(AdapterError) -> Request

    /// Returns the refusal of a frame whose lookup failed; it must not tell about the node.
    func refuse(_ failure: Lookup.Failure) -> AdapterError

    /// Returns a placeholder for the lookup when a request is only explained; nil if it needs none.
    func placeholder(for need: Lookup.Need) -> Lookup?

    /// Splits a frame that contains two requests, each judged separately; nil for other frames.
    ///
    /// The first is not carried out if the lookup for the second would fail.
    func decisions(in reading: Reading) -> (first: Reading, second: Reading)?

    /// Joins both replies; nil if the second reply suffices.
    func joined(_ first: [UInt8], _ second: [UInt8]) -> [UInt8]?
}

extension LooksUp {
    /// Decodes a frame without a lookup.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> Request {
        try decode(try read(frame), with: nil, in: context)
    }

    /// Nil: no placeholder is needed.
    public func placeholder(for _: Lookup.Need) -> Lookup? { nil }
    /// Nil: the frame contains one request.
    public func decisions(in _: Reading) -> (first: Reading, second: Reading)? { nil }
    /// Nil: the second reply suffices.
    public func joined(_: [UInt8], _: [UInt8]) -> [UInt8]? { nil }
}

extension LooksUp where Lookup.Failure == Never {
    /// Never called: the lookup cannot fail.
    public func refuse(_ failure: Never) -> AdapterError {}
}
