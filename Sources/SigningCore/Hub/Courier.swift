// SPDX-License-Identifier: Apache-2.0

/// Talks to the networks of one chain on behalf of its wires.
///
/// It looks up network data before a request is decoded, renews values that age before signing, and
/// sends signed items after their record. It contacts nodes at no other time. The courier decides
/// how far it trusts the answers of nodes.
public protocol Courier<Lookup>: Sendable {
    /// The result of a lookup; `NoLookup` for a courier that only sends.
    associatedtype Lookup: LookedUp

    /// The protocol whose requests it serves and whose items it sends.
    var protocolID: ProtocolID { get }

    /// A problem with the courier's configuration, such as an invalid address of a node; it is
    /// found without contacting a node.
    ///
    /// Nil if no problem is known.
    var problem: CourierProblem? { get }

    /// Looks up the data that a request needs; values that age get their present values.
    func lookUp(
        _ need: Lookup.Need, in context: DecodingContext
    ) async throws(Lookup.Failure) -> Lookup

    /// Returns the lookup with new values in place of those that age, after all waiting for people.
    ///
    /// Repeats lookups that may be outdated, and takes new numbers from `serials`, which all
    /// clients and processes share.
    func renew(
        _ lookup: Lookup, in context: DecodingContext, hasWaited: Bool,
        drawingFrom serials: any LedgerSerials
    ) async throws(Lookup.Failure) -> Lookup

    /// Finds out whether a lookup would succeed; takes no number.
    func check(
        _ need: Lookup.Need, in context: DecodingContext
    ) async throws(Lookup.Failure)

    /// Returns whether the courier has a node for this network.
    func reaches(_ network: String) -> Bool

    /// Sends an item for the first time.
    func send(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result

    /// Sends an item again that was or may have been sent before.
    ///
    /// If a node refuses the item now, an earlier attempt may still have succeeded. So only two
    /// results are certain: the network has the item, or no node can ever accept it.
    func resend(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result

    /// Returns items in the order in which to send them again, each with its turn; also returns the
    /// problems that occurred.
    ///
    /// The turns depend on what nodes answer.
    func inOrder(_ items: [UnsentItem]) async -> (items: [WaitingItem], problems: [String])
}

/// A problem with the configuration of a courier, with a hint.
public struct CourierProblem: Hashable, Sendable {
    /// The problem.
    public let text: String
    /// The settings to look at.
    public let hint: String

    /// Makes a problem.
    public init(_ text: String, hint: String) {
        self.text = text
        self.hint = hint
    }
}

/// A signed item that waits to be sent again.
public struct WaitingItem: Hashable, Sendable {
    /// A number in an item, such as a nonce, from which the network decides if the item is valid.
    public struct Turn: Hashable, Sendable {
        /// The name of the number.
        public let name: String
        /// The number.
        public let number: UInt64
        /// True if the network has passed the number, so that it no longer accepts the item; nil if
        /// that is not known.
        public let hasPassed: Bool?

        /// Makes a turn.
        public init(_ name: String, _ number: UInt64, hasPassed: Bool?) {
            self.name = name
            self.number = number
            self.hasPassed = hasPassed
        }
    }

    /// The item.
    public let item: UnsentItem
    /// The number that decides the item's validity; nil if the item's bytes contain none.
    public let turn: Turn?

    /// Pairs an item with its turn; called by couriers.
    public init(_ item: UnsentItem, _ turn: Turn? = nil) {
        self.item = item
        self.turn = turn
    }
}

/// The lookup of a courier that only sends.
public struct NoLookup: LookedUp {
    /// Requests never need a lookup.
    public typealias Need = Never
    /// A lookup cannot fail.
    public typealias Failure = Never

    /// Nil, as there is no lookup for the request's digest to cover.
    public var digested: [UInt8]? { nil }
}

extension Courier {
    /// Nil: there is no configuration.
    public var problem: CourierProblem? { nil }

    /// Unused: no value ages.
    public func renew(
        _ lookup: Lookup, in _: DecodingContext, hasWaited _: Bool,
        drawingFrom _: any LedgerSerials
    ) async throws(Lookup.Failure) -> Lookup { lookup }

    /// Does nothing, because no lookup is needed.
    public func check(
        _: Lookup.Need, in _: DecodingContext
    ) async throws(Lookup.Failure) {}

    /// Returns the items in the order of signing.
    public func inOrder(
        _ items: [UnsentItem]
    ) async -> (items: [WaitingItem], problems: [String]) {
        (items.map { WaitingItem($0) }, [])
    }
}

extension Courier where Lookup == NoLookup {
    /// Never called, because no request needs it.
    public func lookUp(_ need: Never, in _: DecodingContext) async -> NoLookup {}
}
