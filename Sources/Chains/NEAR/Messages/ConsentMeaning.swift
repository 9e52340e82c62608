// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// The consequence of a message to the service that runs an agent of NEAR Intents.
struct ConsentMeaning: Hashable {
    /// The consequence for the title of a question.
    let title: String
    /// A phrase for what the message does.
    let phrase: String
    let gravity: Summary.Headline.Gravity
    let effects: [Effect]

    private init(
        _ title: String, _ phrase: String, _ gravity: Summary.Headline.Gravity = .authority,
        _ effects: [Effect] = [.spends, .grantsAuthority]
    ) {
        self.title = title
        self.phrase = phrase
        self.gravity = gravity
        self.effects = effects
    }

    /// The meaning of a message whose purpose is not known here.
    static let unknown = ConsentMeaning(
        "This may let others act for you, and what it does is not known",
        "it is not known what the service does with this message: it may let others act for you")

    /// The meanings by purpose.
    static let known: [String: ConsentMeaning] = [
        "agent_create": .init(
            "An agent may spend for you",
            "creates an agent that spends within its rules without you"),
        "policy_update": .init(
            "The rules of your agent change",
            "replaces the rules of your agent: what it may do and spend without you"),
        "budget_set": .init(
            "The budget of your agent changes",
            "replaces the bounds in USD on what your agent may spend without you"),
        "timelock_set": .init(
            "The waiting time of your agent changes",
            "replaces the time that payments of your agent wait, in which you can cancel them"),
        "grant_issue": .init(
            "A program may spend for you",
            "lets anyone with a credential act for your agent, by its rules"),
        "approval_vote": .init(
            "You vote on a payment of your agent", "is your vote on a payment of your agent"),
        "agent_unfreeze": .init("Your agent may spend again", "lets your agent act again"),
        "agent_restore": .init(
            "Your agent comes back",
            "takes your agent out of the archive: it may act again, unless it is frozen"),
        "agent_archive": .init(
            "Your agent is put aside",
            "puts your agent into the archive: it refuses requests until it is restored",
            .flagged, []),
        "grant_revoke": .init(
            "A program loses its power over your agent",
            "ends a grant, so that its credential no longer acts for your agent", .flagged, []),
        "execution_cancel": .init(
            "A payment of your agent is cancelled",
            "cancels a payment of your agent that waits", .flagged, []),
        "agent_freeze": .init("Your agent stops", "stops your agent", .flagged, []),
        "agent_delete": .init(
            "Your agent and what it still has are lost for good",
            "deletes your agent; the balances that it still has are lost", .loss,
            [.spends, .deletes]),
    ]

    /// The purposes by the form of a message, that is its domain without the version, and its
    /// action.
    static let purposes = [
        "agent-grant": "grant_issue", "agent-delete": "agent_delete",
        "agent-control archive": "agent_archive", "agent-control restore": "agent_restore",
        "owner-admin update_policy": "policy_update", "owner-admin set_budget": "budget_set",
        "owner-admin set_timelock": "timelock_set", "owner-admin revoke_grant": "grant_revoke",
        "owner-admin cancel_execution": "execution_cancel",
    ]
}
