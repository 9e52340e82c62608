// SPDX-License-Identifier: Apache-2.0
package import SigningCore

extension TOMLPolicy {
    /// Whether the policy lets this client know this account.
    ///
    /// A client that names an account learns from the answer whether it exists, so only such a
    /// client gets an answer that depends on the account. True if a rule that allows or asks lists
    /// the client and may apply to the account. Also true if a rule allows every client every use
    /// of the account.
    package func introduces(
        _ client: Client, from peer: Peer, to account: Account, at time: Timestamp
    ) -> Bool {
        let operation = RequestedOperation(
            account: account, operation: .publicKey, facts: [], effects: [], dangers: [])
        let request = JudgedRequest(
            adapter: AdapterID(""), protocolID: account.protocolID, method: "", client: client,
            peer: peer, time: time, frameBytes: 0, decoding: .full, facts: [], effects: [],
            dangers: [], operations: [operation], ownAddresses: [])
        let view = FactView(of: request, in: slots).entering(operation, of: request, in: slots)
        return rules.contains { rule in
            rule.rule.introducesClients && rule.rule.isInForce(for: request)
                && rule.conditions.allSatisfy { test in
                    !Self.identifying.contains(test.condition.field.name)
                        || test.truth(in: view) == .yes
                }
        }
    }

    /// The facts that identify the client and the account; all others belong to the request.
    private static let identifying = Set(
        [
            EngineFact.protocolID, .key, .keyTags, .client, .clientParty, .clientProof,
            .clientProfile, .clientTopOrigin, .channel,
        ].map(\.rawValue))
}

extension PolicyRule {
    /// True if the rule lists its clients, or lets every client use its accounts.
    fileprivate var introducesClients: Bool {
        if namesClients { return effect != .deny }
        return effect == .allow && exceptions.isEmpty && batch.isEmpty
            && conditions.allSatisfy { Self.unbounding.contains($0.field.name) }
    }

    /// The facts that limit neither the client nor the content of its request.
    private static let unbounding = Set(
        [EngineFact.protocolID, .operation, .key, .keyTags, .channel].map(\.rawValue))
}
