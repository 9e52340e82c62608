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
    /// Puts a policy in force.
    case policy(PolicyChange)
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
        case .policy(let change): change.text
        case .export(let key, let form): "write out the secret of key \(key.text) as \(form)"
        case .thaw(let freeze): "thaw freeze \(freeze.hexText)"
        }
    }

    /// Whether a text is one of these, of whatever act.
    package static func isText(_ text: String) -> Bool {
        ["put policy ", "write out the secret of ", "thaw freeze "].contains { text.hasPrefix($0) }
    }

    /// What stands for a request in a question about it; no wire reads a frame that begins so.
    package var frame: [UInt8] { Array("countersign act v1\0\(text)".utf8) }
}

/// Another policy in force, to the letter: what it is, what it demands, and what it comes after.
public struct PolicyChange: Hashable, Sendable {
    /// The policy's hash, 32 bytes.
    public let hash: [UInt8]
    /// SHA-256 of whom it wants asked where its owner acts, as the record writes that; nothing
    /// where it wants nobody asked.
    public let governance: [UInt8]
    /// The hash of the entry that put the policy before it in force, so that a yes is good for
    /// one change in one place; nothing where there was none.
    public let predecessor: [UInt8]

    /// Puts these together.
    public init(hash: [UInt8], governance: [UInt8], after predecessor: [UInt8]) {
        self.hash = hash
        self.governance = governance
        self.predecessor = predecessor
    }

    fileprivate var text: String {
        let acts = governance.isEmpty ? "nobody" : "governance sha256 \(governance.hexText)"
        let before = predecessor.isEmpty ? "no other" : "entry \(predecessor.hexText)"
        return "put policy \(hash.hexText) in force, under \(acts), after \(before)"
    }
}

extension JointQuestion {
    /// Whether it says of itself what it is: one about an act has a text of an act alone, and one
    /// about a request has none.
    public var isOfOneKind: Bool {
        let texts = totals.filter(GovernedAct.isText)
        return isGovernance ? totals.count == 1 && texts.count == 1 : texts.isEmpty
    }

    /// Whether it is about an act of the owner and not about a request.
    public var isGovernance: Bool {
        let rules = Governance.Act.allCases.map(\.rule)
        return !demands.isEmpty && demands.allSatisfy { rules.contains($0.rule) }
    }
}
