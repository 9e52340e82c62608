// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy

extension DescribedRequest {
    /// The request as policies judge it: fully decoded, with one operation of a key.
    func judged(
        by account: Account, for peer: Peer, as test: PolicyTest, _ schema: FactSchema,
        in environment: any HubEnvironment
    ) -> JudgedRequest {
        var outflows: [Outflow] = []
        if let outflow, case .amount(let unit)? = schema.field(named: PolicyField.outflowName)?.type
        {
            let coin = Asset(
                id: unit.symbol, network: account.network ?? "", name: unit.symbol, unit: unit)
            outflows = [Outflow(coin, outflow)]
        }
        let operation = RequestedOperation(
            account: account, operation: .publicKey, facts: facts, effects: [], dangers: dangers,
            outflows: outflows)
        var judged = JudgedRequest(
            adapter: AdapterID(protocolID.name), protocolID: protocolID, method: method,
            client: client(of: peer, as: test, environment), peer: peer, time: environment.now(),
            frameBytes: 0, decoding: .full, facts: [], effects: [],
            dangers: test.hasNewClient ? [.newClient] : [], operations: [operation],
            ownAddresses: [account.address])
        judged.hub = test.client["hub"]
        return judged
    }

    /// The client that the peer is; a callback, which a frame would name, is the test's client.
    private func client(
        of peer: Peer, as test: PolicyTest, _ environment: any HubEnvironment
    ) -> Client? {
        guard peer.opensCallbacks, let id = test.client["client"] else {
            return peer.client(by: environment)
        }
        let party = (try? WebOrigin(id))?.host.registrableDomain
        return Client(id: id, name: nil, proof: .callback, party: party)
    }
}
