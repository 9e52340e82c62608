// SPDX-License-Identifier: Apache-2.0

/// Goes to the networks of one chain for its wires: looks up what a request needs before it is
/// decoded, and what ages of it again before it is signed, and sends what is signed after its
/// answer is on record.
///
/// At no other time is a node asked anything. What a node says is the courier's to doubt.
public protocol Courier<Lookup>: Sendable {
    /// What it finds; `NoLookup` where it only sends.
    associatedtype Lookup: LookedUp

    /// Whose requests it serves, and whose broadcasts it sends.
    var protocolID: ProtocolID { get }

    /// Why nothing can be done by it as it was set up, such as an address that is none; nobody is
    /// asked. Nil where nothing is known against it.
    var problem: CourierProblem? { get }

    /// Looks up what a request needs; what ages stands in it as far as it can be told by now.
    func lookUp(
        _ need: Lookup.Need, in context: DecodingContext
    ) async throws(Lookup.Failure) -> Lookup

    /// Fills in what ages, once nothing waits for a person any more: looks up again what may have
    /// passed, and draws fresh numbers from a book that all callers share.
    func renew(
        _ lookup: Lookup, in context: DecodingContext, hasWaited: Bool,
        drawingFrom book: any LedgerSerials
    ) async throws(Lookup.Failure) -> Lookup

    /// Finds out whether a lookup would succeed, and draws nothing.
    func check(
        _ need: Lookup.Need, in context: DecodingContext
    ) async throws(Lookup.Failure)

    /// Whether it knows a node of a network.
    func reaches(_ network: String) -> Bool

    /// Sends an item for the first time.
    func send(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result

    /// Sends an item again that was sent before, or may have been.
    ///
    /// What a node says of this time says nothing of the time before: only that the network has
    /// it, or never will, is certain.
    func resend(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result

    /// Items in the order in which they are to be sent again, with how long each is valid as far
    /// as nodes say, and why they do not say more.
    func inOrder(_ items: [UnsentItem]) async -> (items: [WaitingItem], problems: [String])
}

/// What is wrong with how a courier was set up, and what to do about it.
public struct CourierProblem: Hashable, Sendable {
    /// What is wrong.
    public let text: String
    /// What to look at.
    public let hint: String

    /// Makes it of both.
    public init(_ text: String, hint: String) {
        self.text = text
        self.hint = hint
    }
}

/// Something signed that waits to be sent again.
public struct WaitingItem: Hashable, Sendable {
    /// The number in an item that a network counts up to and takes it by, such as a nonce.
    public struct Turn: Hashable, Sendable {
        /// What it is called.
        public let name: String
        /// The number.
        public let number: UInt64
        /// Whether the network is beyond it, so that what was not taken never will be; nil where
        /// nobody says.
        public let hasPassed: Bool?

        /// Makes it of its parts.
        public init(_ name: String, _ number: UInt64, hasPassed: Bool?) {
            self.name = name
            self.number = number
            self.hasPassed = hasPassed
        }
    }

    /// The item.
    public let item: UnsentItem
    /// How long it is valid; nil where its bytes do not tell.
    public let turn: Turn?

    /// Pairs both; couriers do.
    public init(_ item: UnsentItem, _ turn: Turn? = nil) {
        self.item = item
        self.turn = turn
    }
}

/// Of a courier that only sends.
public struct NoLookup: LookedUp {
    /// Nothing has to be.
    public typealias Need = Never
    /// Nothing can fail.
    public typealias Failure = Never

    /// Nothing.
    public var digested: [UInt8]? { nil }
}

extension Courier {
    /// Nothing.
    public var problem: CourierProblem? { nil }

    /// Nothing ages.
    public func renew(
        _ lookup: Lookup, in _: DecodingContext, hasWaited _: Bool,
        drawingFrom _: any LedgerSerials
    ) async throws(Lookup.Failure) -> Lookup { lookup }

    /// It would.
    public func check(
        _: Lookup.Need, in _: DecodingContext
    ) async throws(Lookup.Failure) {}

    /// As they were signed.
    public func inOrder(
        _ items: [UnsentItem]
    ) async -> (items: [WaitingItem], problems: [String]) {
        (items.map { WaitingItem($0) }, [])
    }
}

extension Courier where Lookup == NoLookup {
    /// Never called: nothing needs it.
    public func lookUp(_ need: Never, in _: DecodingContext) async -> NoLookup {}
}
