// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
public import SigningCore

extension ARC27Adapter: Broadcasts {
    /// Writes the ids, or error 4300 with the ids that the network accepted.
    public func encode(_ deliveries: [Broadcast.Delivery], to request: ARC27Request) -> Reply {
        guard case .post(let posting) = request.body, let outcome = posting.outcome(deliveries)
        else { return .undeliverable(Reason(.undeliverable, "nothing was to be broadcast")) }
        guard let problem = outcome.problem else {
            return request.answer.reply(result: request.posted(posting.ids))
        }
        return request.answer.reply(.failedToPost(outcome.ids, problem))
    }

    /// Reads a request of the two methods that need a node.
    func post(
        _ method: ARC27Wire.Method, _ params: ARC27Params, _ clientContext: ARC27ClientContext,
        _ answer: ARC27Answer
    ) throws(AlgorandRefusal) -> ARC27Request {
        guard method == .signAndPostTransactions else {
            return try postSigned(params, clientContext, answer)
        }
        // Judged like sign_transactions, so posting is not easier to get approved.
        let signing = try sign(params, clientContext, answer, .arc27)
        guard case .sign(let items, _) = signing.body else { return signing }
        for (index, item) in items.enumerated() {
            do throws(AlgorandRefusal) {
                try checkComplete(item)
            } catch {
                let failure = error.at("txns[\(index)]")
                guard failure.isAboutAccounts else { throw failure }
                return unserved(failure, about: item, answer, clientContext, signing.dangers)
            }
        }
        try checkSigning(items)
        let posting = try posting(items, method)
        return request(
            .post(posting), answer, clientContext, facts: signing.facts, effects: signing.effects,
            dangers: signing.dangers.filter { $0 != .unsettled }, operations: signing.operations,
            requiredConnections: signing.requiredConnections, unsettled: signing.unsettled)
    }

    /// Throws for transactions that would only be posted, which is another method with other rules.
    private func checkSigning(_ items: [SigningItem]) throws(AlgorandRefusal) {
        for index in items.indices where items[index].index == 0 {
            let group = items[items[index].group.members]
            guard group.contains(where: { !$0.decision.signers.isEmpty }) else {
                throw .invalid(
                    "txns[\(index)]: no key here signs it; use post_transactions")
            }
        }
    }

    private func checkComplete(_ item: SigningItem) throws(AlgorandRefusal) {
        switch item.decision {
        case .leave: throw .invalid("it has no signature, so it cannot be posted")
        case .pass(let bytes):
            do throws(AlgorandRefusal) {
                _ = try PostedProof(
                    canonical: bytes, of: item.wire.transaction)
            } catch {
                throw error.at("stxn")
            }
        case .sign: break
        case .share(let share):
            guard share.isComplete else {
                throw AlgorandRefusal(
                    .unauthorizedSigner, "too few of its keys are held here")
            }
        }
    }

    /// Creates a request without signatures, which only posts signed transactions with the owner's
    /// node.
    private func postSigned(
        _ params: ARC27Params, _ clientContext: ARC27ClientContext, _ answer: ARC27Answer
    ) throws(AlgorandRefusal) -> ARC27Request {
        let list = try params.list("stxns")
        guard list.count <= ARC27Wire.transactionCountMax else {
            throw .invalid("stxns has more than \(ARC27Wire.transactionCountMax) items")
        }
        let items = try items(list, clientContext, "stxns", WalletTransaction.init(posted:))
        let posting = try posting(items, .postTransactions)
        if let failure = clientContext.disconnection {
            return unserved(failure, about: items.first, answer, clientContext, [])
        }
        return request(posting, answer, clientContext)
    }

    /// Returns a request for transactions that are all signed already.
    private func request(
        _ posting: Posting, _ answer: ARC27Answer, _ clientContext: ARC27ClientContext
    ) -> ARC27Request {
        let count = posting.items.count
        var facts = [Fact("transactions.count", .unsigned(UInt64(count)))]
        var dangers: [Danger] = []
        var sessions: [ClientConnection] = []
        if let network = posting.network {
            facts.append(.network(network))
            sessions = clientContext.sessions.filter { $0.network == network.policyName }
            facts.append(Fact("connected", .bool(!sessions.isEmpty)))
            if !network.isKnown { dangers.append(.unknownNetwork) }
        }
        if posting.items.contains(where: \.hasHiddenText) { dangers.append(.controlCharacters) }
        return request(
            .post(posting), answer, clientContext, facts: facts,
            effects: count == 0 ? [] : [.spends],
            dangers: dangers, outflows: posting.ownOutflows,
            requiredConnections: sessions.map(\.id))
    }

    private func posting(
        _ items: [SigningItem], _ method: ARC27Wire.Method
    ) throws(AlgorandRefusal) -> Posting {
        let posting = Posting(items: items)
        guard let network = posting.network else { return posting }
        // A network accepts a transaction once; the first of two signed forms would win.
        guard Set(posting.ids).count == items.count else {
            throw .invalid("a transaction is in the list twice")
        }
        guard configuration.canPost(to: network) else {
            var failure = AlgorandRefusal.methodNotSupported(method.rawValue)
            failure.message = "this method is not supported on \(network.policyName)"
            throw failure
        }
        return posting
    }
}
