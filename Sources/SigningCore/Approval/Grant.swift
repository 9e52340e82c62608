// SPDX-License-Identifier: Apache-2.0

/// An answer that a person wants to be remembered, for yes or for no.
///
/// It replaces the person, never the policy. A remembered yes answers only requests that the
/// policy's default would ask about. A remembered no denies requests that rules allow.
public struct Grant: Hashable, Sendable {
    /// The remembered answer.
    public enum Answer: String, Hashable, Sendable {
        case yes, no
    }

    /// The properties in which requests must agree to fall under a grant.
    public struct Scope: Hashable, Sendable {
        /// The client's identity.
        public let client: String
        /// The proof of the client's identity; a claimed name does not match a proved one.
        public let proof: Client.Proof
        /// The key.
        public let key: KeyID
        /// The protocol.
        public let protocolID: ProtocolID
        /// The method.
        public let method: String
        /// The facts that a request must match, sorted by name.
        ///
        /// A yes lists every fact that may not vary; a request with another such fact does not
        /// match. A no lists the few facts that limit the no.
        public let facts: [Fact]
        /// True for a grant that results from a wish: only the fields that limit wishes are
        /// compared, and all others may have any value.
        public let isBroad: Bool

        /// Makes a scope; called by hubs and by ledgers that read one back.
        public init(
            client: String, proof: Client.Proof, key: KeyID, protocolID: ProtocolID,
            method: String, facts: [Fact], isBroad: Bool = false
        ) {
            self.client = client
            self.proof = proof
            self.key = key
            self.protocolID = protocolID
            self.method = method
            self.facts = facts
            self.isBroad = isBroad
        }
    }

    /// The length of an id in bytes.
    public static let idCount = 8

    /// The id: random bytes.
    public let id: [UInt8]
    /// Yes or no.
    public let answer: Answer
    /// The requests that the answer covers.
    public let scope: Scope
    /// The dangers that a yes covers; a request with another danger needs a person again.
    public let dangers: [Danger]
    /// The time at which the answer was given.
    public let created: Timestamp
    /// The first moment at which the grant no longer counts; nil if it does not expire.
    public let expires: Timestamp?
    /// The only login in which the grant counts; nil for all.
    public let login: String?
    /// The number of times that a yes may be used; nil for any number.
    public let usesMax: Int64?
    /// The upper bounds on integers of later requests, sorted by name.
    ///
    /// A request must have exactly the fields that are listed here.
    public let bounds: [Fact]
    /// The most that may leave accounts under this grant; other assets may not leave at all.
    public let totals: [Total]
    /// The time in which `usesMax` and the totals count; nil if they count once for all time.
    public let per: Remembering.Period?
    /// The name of the counter of the grant's uses.
    public let counter: String

    /// The most of one asset, shared by all grants that result from one answer.
    public struct Total: Hashable, Sendable {
        /// The most, over all later requests together.
        public let outflow: Outflow
        /// The name of the counter of the amount that was used.
        public let counter: String

        /// Makes a total; called by hubs and by ledgers that read one back.
        public init(_ outflow: Outflow, counter: String) {
            self.outflow = outflow
            self.counter = counter
        }
    }

    /// Makes a grant; called by hubs and by ledgers that read one back.
    public init(
        id: [UInt8], answer: Answer, scope: Scope, dangers: [Danger], created: Timestamp,
        expires: Timestamp?, login: String?, usesMax: Int64?, bounds: [Fact] = [],
        totals: [Total] = [], per: Remembering.Period? = nil, counter: String? = nil
    ) {
        self.id = id
        self.answer = answer
        self.scope = scope
        self.dangers = dangers
        self.created = created
        self.expires = expires
        self.login = login
        self.usesMax = usesMax
        self.bounds = bounds
        self.totals = totals
        self.per = per
        self.counter = counter ?? Self.ownCounter(id)
    }

    /// True if the grant counts at this time and in this login.
    public func isActive(at time: Timestamp, login: String?) -> Bool {
        let isInTime = expires.map { time < $0 } ?? true
        return isInTime && (self.login == nil || self.login == login)
    }

    /// True if a yes covers all of these dangers.
    public func covers(_ dangers: [Danger]) -> Bool {
        answer == .yes && dangers.allSatisfy(self.dangers.contains)
    }

    /// The window of the uses and amounts that count against the limits.
    public var window: LimitWindow { per.map { .sliding(seconds: $0.seconds) } ?? .ever }

    /// Returns a claim for uses of the grant.
    public func claim(uses: Int) -> LimitClaim {
        LimitClaim(
            counter: counter, window: window, maximum: usesMax.map { Int128($0) } ?? .max,
            amount: Int128(uses))
    }

    /// Returns the name of the counter that only the grant with this id uses.
    public static func ownCounter(_ id: [UInt8]) -> String { "grant:" + id.hexText }

    /// The id in hexadecimal digits.
    public var idText: String { id.hexText }
}

/// A grant with the seal of the key store.
///
/// The seal prevents a program that can write the ledger's file from adding grants.
public struct SealedGrant: Hashable, Sendable {
    /// The grant.
    public let grant: Grant
    /// A code that only the key store can make; empty for a no, which permits nothing.
    public let seal: [UInt8]

    /// Makes a sealed grant from a grant and its seal.
    public init(_ grant: Grant, seal: [UInt8]) {
        self.grant = grant
        self.seal = seal
    }
}
