// SPDX-License-Identifier: Apache-2.0
package import SigningCore

extension TOMLPolicy {
    /// Whether a rule says that this client may know this account: one that allows or asks, names
    /// the client one by one and may be about the account, or one that allows every client to use
    /// the account, whatever it asks for.
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
            rule.rule.introducesClients && rule.isInForce(for: request)
                && rule.conditions.allSatisfy { test in
                    !Self.identifying.contains(test.condition.field.name)
                        || test.truth(in: view) == .yes
                }
        }
    }

    /// The facts that say who asks, and of which account; all others are the request's.
    private static let identifying = Set(
        [
            EngineFact.protocolID, .key, .keyTags, .client, .clientParty, .clientProof,
            .clientProfile, .clientTopOrigin, .channel,
        ].map(\.rawValue))
}

extension PolicyRule {
    /// Whether it names clients, or lets every client use its accounts.
    fileprivate var introducesClients: Bool {
        if namesClients { return effect != .deny }
        return effect == .allow && exception == nil
            && conditions.allSatisfy { Self.unbounding.contains($0.field.name) }
    }

    /// The facts that bound neither the client nor what it asks for.
    private static let unbounding = Set(
        [EngineFact.protocolID, .operation, .key, .keyTags, .channel].map(\.rawValue))
}
