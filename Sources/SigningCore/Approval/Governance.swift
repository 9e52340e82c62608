// SPDX-License-Identifier: Apache-2.0

/// The approvals of several people that a policy demands for acts of the owner, beside requests.
public struct Governance: Hashable, Sendable {
    /// An act of the owner that may need several people.
    public enum Act: String, Hashable, Sendable, CaseIterable {
        /// Another policy is put in force, or other rules of it apply to a key by its tags.
        case policy
        /// The secret of a key is written out.
        case export
        /// Signing resumes after a freeze.
        case thaw

        /// The name in place of a rule's id in questions; rules cannot have such an id.
        public var rule: String { Self.rulePrefix + rawValue }

        fileprivate static let rulePrefix = "governance."
    }

    /// The demand for each act that the owner may not do alone.
    public let demands: [Act: ApproverDemand]

    /// The governance of a policy without demands.
    public static let none = Governance([:])

    /// True if the owner does everything alone.
    public var isEmpty: Bool { demands.isEmpty }

    /// Makes governance from demands; called by policies and by ledgers that read one back.
    public init(_ demands: [Act: ApproverDemand]) { self.demands = demands }
}

/// One exact act of the owner that several people approve.
public enum GovernedAct: Hashable, Sendable {
    /// Puts a policy in force.
    case policy(PolicyChange)
    /// Writes out the secret of a key in a form.
    case export(KeyID, form: String)
    /// Ends the freeze of the home; `freeze` is the hash of the newest freeze's entry, 32 bytes.
    case thaw(freeze: [UInt8])
    /// Replaces the tags of a key by which rules apply to it; both lists are sorted.
    case tags(KeyID, from: [String], to: [String])

    /// The kind of act, which has a demand.
    public var kind: Governance.Act {
        switch self {
        case .policy, .tags: .policy
        case .export: .export
        case .thaw: .thaw
        }
    }

    /// The text that each approver signs beside the question's digest, so that an approval names
    /// its act.
    public var text: String {
        switch self {
        case .policy(let change): change.text
        case .export(let key, let form): "write out the secret of key \(key.text) as \(form)"
        case .thaw(let freeze): "thaw freeze \(freeze.hexText)"
        case .tags(let key, let old, let new):
            "set tags of key \(key.text) from \(Self.list(old)) to \(Self.list(new))"
        }
    }

    /// True if a text describes an act of any kind.
    package static func isText(_ text: String) -> Bool {
        ["put policy ", "write out the secret of ", "thaw freeze ", "set tags of key "]
            .contains { text.hasPrefix($0) }
    }

    /// Tags have no comma, space or bracket.
    private static func list(_ tags: [String]) -> String {
        "[\(tags.joined(separator: ", "))]"
    }

    /// The frame in a question about an act; wires do not read frames that begin so.
    package var frame: [UInt8] { Array("countersign act v1\0\(text)".utf8) }
}

/// An exact change of the policy in force: its hash, its governance and its predecessor.
public struct PolicyChange: Hashable, Sendable {
    /// The policy's hash, 32 bytes.
    public let hash: [UInt8]
    /// SHA-256 of the policy's governance in the form of the record; empty if it demands nothing.
    public let governance: [UInt8]
    /// The hash of the entry that put the previous policy in force; empty if there was none.
    ///
    /// As people sign it too, their yes counts for one change at one place of the record.
    public let predecessor: [UInt8]

    /// Makes a change from its parts.
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
    /// True if the question is either about an act or about a request.
    ///
    /// A question about an act has only the text of an act; one about a request has no such text.
    public var isOfOneKind: Bool {
        let texts = totals.filter(GovernedAct.isText)
        return isGovernance ? totals.count == 1 && texts.count == 1 : texts.isEmpty
    }

    /// True if the question is about an act of the owner and not about a request.
    public var isGovernance: Bool {
        let rules = Governance.Act.allCases.map(\.rule)
        return !demands.isEmpty && demands.allSatisfy { rules.contains($0.rule) }
    }
}
