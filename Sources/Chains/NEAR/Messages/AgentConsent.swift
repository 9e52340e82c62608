// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A message in which the owner of an agent of NEAR Intents grants it something, or takes it back.
///
/// Such a message of NEAR Intents' Agent API is a JSON object with a `purpose`. Its other members
/// are published for the policy only, so each of them is shown under its own name.
struct AgentConsent: Hashable {
    /// The consequence of each purpose, and whether it gives the agent more power.
    private static let purposes: [String: (phrase: String, isGrant: Bool)] = [
        "agent_create": ("creates an agent that spends within its rules without you", true),
        "policy_update": (
            "replaces the rules of your agent: what it may do and spend without you", true
        ),
        "grant_issue": ("lets anyone with a credential act for your agent, by its rules", true),
        "approval_vote": ("is your vote on a payment of your agent", true),
        "agent_unfreeze": ("lets your agent act again", true),
        "agent_restore": ("puts your agent back on the list of agents", false),
        "agent_archive": ("takes your agent off the list of agents", false),
        "grant_revoke": (
            "ends a grant, so that its credential no longer acts for your agent", false
        ),
        "execution_cancel": ("cancels a payment of your agent that waits", false),
        "agent_freeze": ("stops your agent", false),
        "agent_delete": ("deletes your agent, with what it still has", true),
    ]

    let purpose: String
    let phrase: String
    let isGrant: Bool
    /// The members of the message besides the purpose.
    let members: JSON

    /// Reads a message; nil if it has no purpose of the Agent API.
    init?(_ message: JSON) {
        guard let object = message.object, let purpose = object["purpose"]?.text,
            let known = Self.purposes[purpose]
        else { return nil }
        self.purpose = purpose
        phrase = known.phrase
        isGrant = known.isGrant
        members = .object(JSONObject(object.members.filter { $0.name != "purpose" }))
    }

    /// A value in the message and the names that lead to it.
    struct Leaf: Hashable {
        var path: [String]
        let values: [JSON]
    }

    /// Every value of the message; a list of plain values is one.
    var leaves: [Leaf] { Self.leaves(of: members) }

    private static func leaves(of json: JSON) -> [Leaf] {
        switch json {
        case .object(let object) where !object.members.isEmpty:
            return object.members.flatMap { under($0.name, $0.value) }
        case .array(let list) where list.contains(where: { $0.object != nil || $0.list != nil }):
            return list.enumerated().flatMap { under("\($0.offset + 1)", $0.element) }
        case .array(let list): return [Leaf(path: [], values: list)]
        default: return [Leaf(path: [], values: [json])]
        }
    }

    private static func under(_ name: String, _ json: JSON) -> [Leaf] {
        leaves(of: json).map { Leaf(path: [name] + $0.path, values: $0.values) }
    }
}
