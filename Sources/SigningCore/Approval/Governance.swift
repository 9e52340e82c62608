// SPDX-License-Identifier: Apache-2.0

/// What a policy demands of several people where its owner acts, beside requests.
public struct Governance: Hashable, Sendable {
    /// What can be put under several people.
    public enum Act: String, Hashable, Sendable, CaseIterable {
        /// Another policy is put in force.
        case policy
        /// The secret of a key is written out.
        case export
        /// Signing goes on after a freeze.
        case thaw

        /// What stands for a rule's id where people are asked; no rule can have it.
        public var rule: String { Self.rulePrefix + rawValue }

        fileprivate static let rulePrefix = "governance."
    }

    /// What has to be met, for each act that the owner does not do alone.
    public let demands: [Act: ApproverDemand]

    /// Nothing is demanded.
    public static let none = Governance([:])

    /// Whether the owner does everything alone.
    public var isEmpty: Bool { demands.isEmpty }

    /// Makes it; policies do, and ledgers that read one back.
    public init(_ demands: [Act: ApproverDemand]) { self.demands = demands }
}

/// One thing that an owner does with the yes of several people, to the letter.
public enum GovernedAct: Hashable, Sendable {
    /// Puts the policy of this hash in force, 32 bytes.
    case policy(hash: [UInt8])
    /// Writes out the secret of a key in a form.
    case export(KeyID, form: String)
    /// Ends the freeze that the entry of this hash made the newest, 32 bytes.
    case thaw(freeze: [UInt8])

    /// What is demanded for it.
    public var kind: Governance.Act {
        switch self {
        case .policy: .policy
        case .export: .export
        case .thaw: .thaw
        }
    }

    /// What everyone signs who says yes, beside the question's digest: an approval says by itself
    /// what it is for.
    public var text: String {
        switch self {
        case .policy(let hash): "put policy \(hash.hexText) in force"
        case .export(let key, let form): "write out the secret of key \(key.text) as \(form)"
        case .thaw(let freeze): "thaw freeze \(freeze.hexText)"
        }
    }

    /// What stands for a request in a question about it; no wire reads a frame that begins so.
    package var frame: [UInt8] { Array("countersign act v1\0\(text)".utf8) }
}

extension JointQuestion {
    /// Whether it is about an act of the owner and not about a request.
    public var isGovernance: Bool {
        let rules = Governance.Act.allCases.map(\.rule)
        return !demands.isEmpty && demands.allSatisfy { rules.contains($0.rule) }
    }
}
