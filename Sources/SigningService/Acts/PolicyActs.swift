// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
package import SigningPolicy
package import SigningStorage

/// A policy to put in force.
package struct NewPolicy: Sendable {
    let policy: TOMLPolicy
    let source: [UInt8]
    let text: @Sendable (ActDemands) throws -> String
    let onceAgreed: @Sendable () throws -> Void

    /// Describes a policy and its source.
    ///
    /// `text` describes the change to the approvers whom the policy in force demands; `onceAgreed`
    /// runs after their consent, just before the policy is in force.
    package init(
        _ policy: TOMLPolicy, _ source: [UInt8],
        text: @escaping @Sendable (ActDemands) throws -> String,
        onceAgreed: @escaping @Sendable () throws -> Void = {}
    ) {
        self.policy = policy
        self.source = source
        self.text = text
        self.onceAgreed = onceAgreed
    }
}

extension OwnerActs {
    /// Puts a policy in force, after the approvers agreed whom the policy in force demands.
    package static let policyAttest = JointAct<NewPolicy, Void>(
        ActDescription(name: "policy attest", summary: "put policy.toml in force")
    ) { new, place, asking in
        let ledger = try place.ledger()
        let home = place.home
        try home.checkMayPutInForce(new.policy, new.source, in: ledger)
        try ledger.catchUp()
        let act = try ledger.act(
            puttingInForce: new.policy.hash, demanding: new.policy.governance)
        let (questions, consent) = try await home.consent(to: act, in: ledger, asking, new.text)
        do {
            // The approvers have agreed to exactly this change.
            try new.onceAgreed()
            try home.putInForce(new.policy, new.source, consent, in: ledger)
        } catch {
            await questions.withdraw(consent)
            throw error
        }
    }
}
