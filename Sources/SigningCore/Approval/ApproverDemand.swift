// SPDX-License-Identifier: Apache-2.0

/// A rule's demand that several people say yes.
public struct ApproverDemand: Hashable, Sendable {
    /// A person who may say yes.
    public struct Member: Hashable, Sendable {
        /// The person's name in the policy.
        public let name: String
        /// The person's Ed25519 public key, 32 bytes.
        public let key: [UInt8]

        /// Pairs a name with a key; called by policies and by ledgers that read a demand back.
        public init(name: String, key: [UInt8]) {
            self.name = name
            self.key = key
        }
    }

    /// The most members of one rule.
    public static let membersMax = 64
    /// The time to answer if a rule does not set one, in seconds.
    public static let secondsDefault: Int64 = 900
    /// The shortest and the longest time to answer that a rule may set, in seconds.
    public static let secondsRange: ClosedRange<Int64> = 60...86_400

    /// The id of the rule.
    public let rule: String
    /// The number of members who have to say yes.
    public let minimum: Int
    /// The members, each key once, sorted by key.
    public let members: [Member]
    /// The time to answer, in seconds.
    public let seconds: Int64
    /// True if a key of the home that received the request counts as well.
    public let submitterMayApprove: Bool

    /// Makes a demand; a key with several names is one person and keeps the first name.
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

    /// Returns the members whose yes counts; `ownKeys` are the keys of the submitting home.
    public func counted(besides ownKeys: [[UInt8]]) -> [Member] {
        submitterMayApprove ? members : members.filter { !ownKeys.contains($0.key) }
    }

    /// The demand in words, such as `2 of alice, bob, carol`.
    public var text: String {
        "\(minimum) of \(members.map(\.name).sorted().joined(separator: ", "))"
    }
}
