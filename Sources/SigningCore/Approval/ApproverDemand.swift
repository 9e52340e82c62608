// SPDX-License-Identifier: Apache-2.0

/// That several people have to say yes, as one rule says it.
public struct ApproverDemand: Hashable, Sendable {
    /// One who may say yes.
    public struct Member: Hashable, Sendable {
        /// What the policy calls the person.
        public let name: String
        /// The person's Ed25519 public key, 32 bytes.
        public let key: [UInt8]

        /// Names a key; policies do, and ledgers that read one back.
        public init(name: String, key: [UInt8]) {
            self.name = name
            self.key = key
        }
    }

    /// The most that one rule may ask.
    public static let membersMax = 64
    /// How long people have where a rule does not say, in seconds.
    public static let secondsDefault: Int64 = 900
    /// The shortest and the longest that a rule may give them, in seconds.
    public static let secondsRange: ClosedRange<Int64> = 60...86_400

    /// The rule.
    public let rule: String
    /// How many of them it takes.
    public let minimum: Int
    /// Each key once, sorted by key.
    public let members: [Member]
    /// How long they have, in seconds.
    public let seconds: Int64
    /// Whether a key of the home that was asked counts as well.
    public let submitterMayApprove: Bool

    /// Makes a demand; a key with several names is one person, and keeps the first.
    public init(
        rule: String, minimum: Int, members: [Member],
        seconds: Int64 = Self.secondsDefault, submitterMayApprove: Bool = false
    ) {
        self.rule = rule
        self.minimum = minimum
        var byKey: [[UInt8]: Member] = [:]
        for member in members.sorted(by: { $0.name < $1.name }) where byKey[member.key] == nil {
            byKey[member.key] = member
        }
        self.members = byKey.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        self.seconds = seconds
        self.submitterMayApprove = submitterMayApprove
    }

    /// The members whose yes counts in a home that holds these keys itself.
    public func counted(besides ownKeys: [[UInt8]]) -> [Member] {
        submitterMayApprove ? members : members.filter { !ownKeys.contains($0.key) }
    }

    /// The demand in words, such as `2 of alice, bob, carol`.
    public var text: String {
        "\(minimum) of \(members.map(\.name).sorted().joined(separator: ", "))"
    }
}
