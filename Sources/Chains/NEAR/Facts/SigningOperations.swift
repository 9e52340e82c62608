// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension ActionsFinding {
    /// Returns the operation that signs a transaction.
    func operation(
        _ transaction: NEARTransaction, by account: Account, on network: AssetNetwork,
        given: GivenValues
    ) -> RequestedOperation {
        let preimage = transaction.preimage
        let places = transaction.places
        let aging = (given.nonce ? [] : [places.nonce]) + (given.block ? [] : [places.blockHash])
        return operation(
            account, .init(domain: .nearTransaction, preimage: preimage, aging: aging),
            facts: [Fact("nonce", .integer(Int128(transaction.nonce)))],
            dangers: given.nonce ? [.offlineNonce] : [],
            outflows: outflows(on: network, bytes: preimage.count, paysGas: true))
    }

    /// Returns the operation that signs a delegate action; `height` is that of the chain, if known.
    func operation(
        _ delegate: DelegateAction, by account: Account, on network: AssetNetwork,
        given: GivenValues, height: UInt64?
    ) -> RequestedOperation {
        let preimage = delegate.preimage
        let places = delegate.places(in: preimage.count)
        let aging = (given.nonce ? [] : [places.nonce]) + (given.block ? [] : [places.height])
        var facts = [
            Fact("nonce", .integer(Int128(delegate.nonce))),
            Fact("max_block_height", .integer(Int128(delegate.maxBlockHeight))),
        ]
        if let height {
            let blocks = Int128(delegate.maxBlockHeight) - Int128(height)
            facts.append(Fact("validity.blocks", .integer(blocks)))
        }
        return operation(
            account, .init(domain: .nearDelegate, preimage: preimage, aging: aging), facts: facts,
            dangers: [.delegates] + (given.nonce ? [.offlineNonce] : []),
            outflows: outflows(on: network, bytes: preimage.count, paysGas: false),
            undetermined: height == nil ? ["validity.blocks"] : [])
    }

    private func operation(
        _ account: Account, _ input: SigningInput, facts: [Fact], dangers: [Danger],
        outflows: [Outflow], undetermined: [String] = []
    ) -> RequestedOperation {
        RequestedOperation(
            account: account, operation: .sign(input),
            facts: self.facts(for: account.address) + facts, effects: effects,
            dangers: self.dangers + dangers.filter { !self.dangers.contains($0) },
            outflows: outflows, undetermined: self.undetermined + undetermined)
    }
}
