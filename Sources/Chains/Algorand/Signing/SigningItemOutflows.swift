// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SigningItem {
    /// The amounts that leave the sender: the fee and transfers to other accounts.
    ///
    /// The balance of a closed account is unknown, so its outflow is the maximum. The amount of a
    /// clawback leaves another account and is not counted.
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
}

extension Posting {
    /// The outflows of accounts that are held or kept here, whichever key signed.
    package var ownOutflows: [Outflow] {
        items.filter { item in
            let sender = item.wire.transaction.sender
            return item.keys.holds(sender) || item.keys.kept(sender, on: item.network) != nil
                || item.keys.isWatchedAsRekeyed(sender, on: item.network)
        }.flatMap(\.outflows)
    }
}

extension SigningItem {
    /// Returns the connections of the client to an account that signs, or to the account it signs
    /// for.
    func connections(of account: Account?) -> [ClientConnection] {
        let served = authority.isFound ? [wire.transaction.sender] : []
        return keys.choosing(authority).connections(
            of: account, for: [authority.key] + served, on: network)
    }
}

extension [SigningItem] {
    /// The connections of the client to the signing accounts, without repetition.
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

    /// The amount has no decimals, because the transaction does not contain them.
    fileprivate static func algorand(
        _ id: UInt64, on network: AlgorandNetwork
    ) -> Asset {
        Asset(
            id: "algorand/\(network.policyName)/asset/\(id)", network: network.policyName,
            name: "smallest units of asset \(id)", unit: nil)
    }
}
