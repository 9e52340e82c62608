// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension ARC27Adapter {
    /// The maximum number of accounts in the questions of one request: the size of a group.
    ///
    /// For further accounts, no node says which key signs.
    static let askedAccountsMax = 16

    /// Returns the accounts to ask nodes about.
    ///
    /// These are accounts that a key here would sign for, if the client names no key. Accounts that
    /// the client may not name are left out, and so are requests that are refused anyway.
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

    /// Returns the networks that a request to post is about, so that it waits for no other node;
    /// all of them for a request that is refused anyway.
    func targets(
        of envelope: ARC27Envelope, among networks: [AlgorandNetwork]
    ) -> [AlgorandNetwork] {
        func list(_ name: String) -> ArraySlice<JSON> {
            (envelope.params?[name]?.list ?? []).prefix(ARC27Wire.transactionCountMax)
        }
        let items =
            list("txns").map { try? WalletTransaction($0) }
            + list("stxns").map { try? WalletTransaction(posted: $0) }
        let hashes = items.map(\.?.transaction.genesisHash)
        let named = networks.filter { hashes.contains($0.genesisHash) }
        return named.isEmpty ? networks : named
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

    /// Returns the account of a message; as it names no network, those of the client's sessions
    /// count.
    ///
    /// The node of a network that the owner added has no say about other networks, so it is asked
    /// only if the client or the account is bound to that network.
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
                && (connected.contains(network.policyName)
                    || connected.isEmpty
                        && (network.name == nil || account.network == network.policyName))
        }
        return networks.isEmpty
            ? nil : NodeAuthorities.Question(account.address, on: networks)
    }
}
