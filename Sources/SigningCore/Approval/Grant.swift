// SPDX-License-Identifier: Apache-2.0

/// An answer that a person wants to be remembered, for yes or for no.
///
/// It stands in for the person, never for the policy: a remembered yes answers only what the
/// policy's default would have asked, a remembered no denies whatever rules allow.
public struct Grant: Hashable, Sendable {
    /// What was answered.
    public enum Answer: String, Hashable, Sendable {
        case yes, no
    }

    /// What requests it speaks about: those that agree in all of this.
    public struct Scope: Hashable, Sendable {
        /// The client's identity.
        public let client: String
        /// What backs it; a claimed name never stands for a proved one.
        public let proof: Client.Proof
        /// The key.
        public let key: KeyID
        /// The protocol.
        public let protocolID: ProtocolID
        /// The method.
        public let method: String
        /// The values it is bound to, sorted by name; one that is missing here has to be missing
        /// in the request.
        ///
        /// For a yes all that may not vary, for a no the few that bound it.
        public let facts: [Fact]
        /// Whether it holds only the values that bound wishes, and others may be any.
        public let isBroad: Bool

        /// Makes a scope; hubs do, and ledgers that read one back.
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

    /// Random bytes.
    public let id: [UInt8]
    /// Yes or no.
    public let answer: Answer
    /// What it is about.
    public let scope: Scope
    /// The flags a yes covers; others need a person again.
    public let dangers: [Danger]
    /// When it was given.
    public let created: Timestamp
    /// The first moment it does not count; nil for ever.
    public let expires: Timestamp?
    /// The only login it counts in; nil for all.
    public let login: String?
    /// How often a yes may be used; nil for any number.
    public let usesMax: Int64?
    /// The integers a yes was given for that later requests may go below and not above, sorted
    /// by name; one that is missing here has to be missing in the request.
    public let bounds: [Fact]
    /// The most that may leave accounts on its word; an asset that is missing here may not at all.
    public let totals: [Total]

    /// The most of one asset, shared by all grants that came of one answer.
    public struct Total: Hashable, Sendable {
        /// The most, over all later requests together.
        public let outflow: Outflow
        /// What is used of it is counted under this name.
        public let counter: String

        /// Makes a total; hubs do, and ledgers that read one back.
        public init(_ outflow: Outflow, counter: String) {
            self.outflow = outflow
            self.counter = counter
        }
    }

    /// Makes a grant; hubs do, and ledgers that read one back.
    public init(
        id: [UInt8], answer: Answer, scope: Scope, dangers: [Danger], created: Timestamp,
        expires: Timestamp?, login: String?, usesMax: Int64?, bounds: [Fact] = [],
        totals: [Total] = []
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
    }

    /// Whether it counts at this time and in this login.
    public func isActive(at time: Timestamp, login: String?) -> Bool {
        let isInTime = expires.map { time < $0 } ?? true
        return isInTime && (self.login == nil || self.login == login)
    }

    /// Whether a yes covers all of these flags.
    public func covers(_ dangers: [Danger]) -> Bool {
        answer == .yes && dangers.allSatisfy(self.dangers.contains)
    }

    /// A use of it, to be counted; its bound holds for ever.
    public func claim(uses: Int) -> LimitClaim {
        LimitClaim(
            counter: counter, window: .ever, maximum: usesMax.map { Int128($0) } ?? .max,
            amount: Int128(uses))
    }

    /// The counter of its uses.
    public var counter: String { "grant:" + idText }

    /// The id in hexadecimal digits.
    public var idText: String { id.hexText }
}

extension [UInt8] {
    /// Two hexadecimal digits for each byte.
    package var hexText: String {
        map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }.joined()
    }
}

/// A grant with the key store's word that it is one.
///
/// Whoever can write the ledger's file could otherwise grant whatever they like.
public struct SealedGrant: Hashable, Sendable {
    /// The grant.
    public let grant: Grant
    /// A code that only the key store can make; empty for a no, which opens nothing.
    public let seal: [UInt8]

    /// Puts both together.
    public init(_ grant: Grant, seal: [UInt8]) {
        self.grant = grant
        self.seal = seal
    }
}

/// How long an answer is to be remembered, and for how much.
public struct Remembering: Hashable, Sendable {
    /// The spans a person can choose; the raw value is how they say it.
    public enum Span: String, Hashable, Sendable, CaseIterable {
        case fiveMinutes = "5m"
        case hour = "1h"
        case day = "1d"
        case session, always

        /// Its length in seconds; nil for the two that have none.
        public var seconds: Int64? {
            switch self {
            case .fiveMinutes: 300
            case .hour: 3_600
            case .day: 86_400
            case .session, .always: nil
            }
        }
    }

    /// For how long.
    public let span: Span
    /// How often a yes may be used; nil for any number.
    public let usesMax: Int64?
    /// The most that may leave on the word of a yes; of an asset that is not named here, as much
    /// as the person was shown.
    public let totals: [Outflow]

    /// Makes a wish; approvers do.
    public init(_ span: Span, usesMax: Int64? = nil, totals: [Outflow] = []) {
        self.span = span
        self.usesMax = usesMax
        self.totals = totals
    }
}
