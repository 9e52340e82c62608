// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SigningItem {
    /// What leaves the sender by it: the fee, and what is moved to anybody else.
    ///
    /// Nobody said how much an account holds that gives all of it away: that is any amount. A
    /// clawback takes from another account.
    package var outflows: [Outflow] {
        let transaction = wire.transaction
        var algo = Int128(transaction.fee)
        var outflows: [Outflow] = []
        let moves = transaction.receiver != transaction.sender
        switch transaction.body {
        case .payment(let payment):
            if moves { algo += Int128(payment.amount) }
            if payment.closeTo != nil { algo = .max }
        case .assetTransfer(let transfer) where transfer.source == nil:
            let isClosed = transfer.closeTo != nil
            guard moves || isClosed else { break }
            outflows.append(
                Outflow(
                    .algorand(transfer.asset, on: network),
                    isClosed ? .max : Int128(transfer.amount)))
        default: break
        }
        return [Outflow(.algo(on: network), algo)] + outflows
    }

    /// What leaves by the use of one of several keys: it leaves once, however many sign.
    package func outflows(ofSigner number: Int) -> [Outflow] {
        number == 0 ? outflows : outflows.map { Outflow($0.asset, 0) }
    }
}

extension Posting {
    /// What leaves accounts that are held or kept here, whoever signed for them.
    package var ownOutflows: [Outflow] {
        items.filter { item in
            let sender = item.wire.transaction.sender
            return item.keys.holds(sender) || item.keys.kept(sender, on: item.network) != nil
                || item.keys.isWatchedAsRekeyed(sender, on: item.network)
        }.flatMap(\.outflows)
    }
}

extension SigningItem {
    /// The connections by which the client is connected to an account that signs, or to that
    /// which it signs for here.
    func connections(of account: Account?) -> [ClientConnection] {
        let served = authority.isFound ? [wire.transaction.sender] : []
        return keys.choosing(authority).connections(
            of: account, for: [authority.key] + served, on: network)
    }
}

extension [SigningItem] {
    /// The connections by which the client is connected to the accounts that sign, each once.
    package var requiredConnections: [[UInt8]] {
        var ids: [[UInt8]] = []
        for item in self {
            for account in item.decision.signers {
                for connection in item.connections(of: account) where !ids.contains(connection.id) {
                    ids.append(connection.id)
                }
            }
        }
        return ids
    }
}

extension Asset {
    fileprivate static func algo(on network: AlgorandNetwork) -> Asset {
        Asset(
            id: "algorand/\(network.policyName)/algo", network: network.policyName,
            name: AmountUnit.algo.smallest, unit: .algo)
    }

    /// Its decimals are not in the transaction.
    fileprivate static func algorand(
        _ id: UInt64, on network: AlgorandNetwork
    ) -> Asset {
        Asset(
            id: "algorand/\(network.policyName)/asset/\(id)", network: network.policyName,
            name: "smallest units of asset \(id)", unit: nil)
    }
}
