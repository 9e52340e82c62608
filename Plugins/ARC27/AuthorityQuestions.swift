// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension ARC27Adapter {
    /// The most accounts that nodes are asked about for one request: a group has no more senders.
    ///
    /// Of others it is said that no node tells who signs.
    static let askedAccountsMax = 16

    /// Which accounts nodes are asked about: those that a key here would sign for, and for which
    /// the client names no key.
    ///
    /// Nobody is asked about an account that the client may not name, nor for a request that is
    /// refused anyway.
    func questions(
        in envelope: ARC27Envelope, _ method: ARC27Wire.Method, _ context: DecodingContext
    ) -> [NodeAuthorities.Question] {
        guard envelope.problem == nil, !configuration.postingNetworks.isEmpty,
            let params = try? ARC27Params(envelope.params, names: method.parameterNames)
        else { return [] }
        let clientContext = ARC27ClientContext(context, configuration)
        switch method {
        case .signTransactions, .signAndPostTransactions:
            return (try? senders(params, clientContext)) ?? []
        case .signMessage:
            return subject(params, clientContext).map { [$0] } ?? []
        case .discover, .enable, .disable, .postTransactions: return []
        }
    }

    private func senders(
        _ params: ARC27Params, _ clientContext: ARC27ClientContext
    ) throws(AlgorandRefusal) -> [NodeAuthorities.Question] {
        var questions: [NodeAuthorities.Question] = []
        let list = try params.list("txns")
        guard clientContext.disconnection == nil, list.count <= ARC27Wire.transactionCountMax else {
            return []
        }
        for item in list {
            let wire = try WalletTransaction(item)
            let network = try network(of: wire.transaction)
            guard wire.leavesAuthorityOpen, configuration.postingNetworks.contains(network),
                let account = clientContext.nameable.first(where: { account in
                    account.publicKey == wire.transaction.sender
                        && network.serves(accountNetwork: account.network)
                })
            else { continue }
            let question = NodeAuthorities.Question(account.address, on: [network])
            if !questions.contains(question) { questions.append(question) }
        }
        return questions
    }

    /// A message names no network: those count that the client is connected to the account on.
    private func subject(
        _ params: ARC27Params, _ clientContext: ARC27ClientContext
    ) -> NodeAuthorities.Question? {
        let isARC60 = params.value("data") != nil
        guard clientContext.disconnection == nil,
            let account = try? clientContext.subject(params, isARC60: isARC60)
        else { return nil }
        let connected = Set(
            clientContext.sessions.filter { $0.address == account.address }.map(\.network))
        let networks = configuration.postingNetworks.filter { network in
            network.serves(accountNetwork: account.network)
                && (connected.isEmpty || connected.contains(network.policyName))
        }
        return networks.isEmpty
            ? nil : NodeAuthorities.Question(account.address, on: networks)
    }
}
