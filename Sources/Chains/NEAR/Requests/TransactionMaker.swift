// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// A transaction to be created from given values; the missing values are looked up.
package struct TransactionDraft: Sendable {
    package let receiver: String
    package let actions: [NEARAction]
    package let nonce: UInt64?
    package let blockHash: [UInt8]?

    package init(
        receiver: String, actions: [NEARAction], nonce: UInt64? = nil, blockHash: [UInt8]? = nil
    ) {
        self.receiver = receiver
        self.actions = actions
        self.nonce = nonce
        self.blockHash = blockHash
    }
}

/// A delegate action to be created.
package struct DelegateDraft: Sendable {
    package let receiver: String
    package let actions: [NEARAction]
    package let nonce: UInt64?
    package let maxBlockHeight: UInt64?
    /// The validity in blocks, from the block at which it is signed.
    package let blocks: UInt64?

    package init(
        receiver: String, actions: [NEARAction], nonce: UInt64?, maxBlockHeight: UInt64?,
        blocks: UInt64? = nil
    ) {
        self.receiver = receiver
        self.actions = actions
        self.nonce = nonce
        self.maxBlockHeight = maxBlockHeight
        self.blocks = blocks
    }
}

/// Combines the values of the client with those that were looked up.
struct TransactionMaker {
    let account: Account
    let network: String
    private let found: NEARLookup.Found?
    private let key: KeyText
    /// The notes about the lookup.
    let notes: [Note]

    init(
        _ account: Account, _ network: String, in context: NEARContext
    ) throws(NEARRefusal) {
        try context.lookup?.check(isFor: account, on: network)
        self.account = account
        self.network = network
        found = context.lookup?.found
        key = KeyText(curve: .ed25519, bytes: account.publicKey)
        notes =
            found.map { looked in
                NEARKeyMemory(of: account, on: network, in: context.hub)
                    .notes(looked, at: context.hub.now)
            } ?? []
    }

    /// The dangers of the lookup.
    var dangers: [Danger] { found?.isNonceJump == true ? [.nonceJump] : [] }

    /// Creates a transaction; `place` is its index among those without a nonce from the client.
    func transaction(_ draft: TransactionDraft, at place: Int) throws(NEARRefusal)
        -> NEARTransaction
    {
        guard let blockHash = draft.blockHash ?? found?.blockHash else {
            throw Self.missing("blockHash")
        }
        return NEARTransaction(
            signer: account.address, key: key, nonce: try nonce(draft.nonce, at: place),
            receiver: draft.receiver, blockHash: blockHash, actions: draft.actions)
    }

    func delegate(_ draft: DelegateDraft, at place: Int) throws(NEARRefusal) -> DelegateAction {
        let looked = found?.blockHeight.addingSaturated(draft.blocks ?? NEARLookup.delegateBlocks)
        guard let height = draft.maxBlockHeight ?? looked else {
            throw Self.missing("maxBlockHeight")
        }
        if let reached = found?.blockHeight, height <= reached {
            throw NEARRefusal(
                .expired, "maxBlockHeight \(height) has passed: the chain is at block \(reached)")
        }
        return DelegateAction(
            sender: account.address, receiver: draft.receiver, actions: draft.actions,
            nonce: try nonce(draft.nonce, at: place), maxBlockHeight: height, key: key)
    }

    /// The height of the chain; nil without a lookup.
    var height: UInt64? { found?.blockHeight }

    /// True if it is certain for which network the signed bytes are, as they do not name it.
    ///
    /// A block hash from the client may belong to another chain.
    func isNetworkKnown(givenBlock: Bool) -> Bool {
        account.network != nil || (found != nil && !givenBlock)
    }

    private func nonce(_ given: UInt64?, at place: Int) throws(NEARRefusal) -> UInt64 {
        let nonces = found?.nonces ?? []
        let looked = nonces.indices.contains(place) ? nonces[place] : nil
        guard let nonce = given ?? looked else { throw Self.missing("nonce") }
        return nonce
    }

    private static func missing(_ name: String) -> NEARRefusal {
        NEARRefusal(
            .networkUnavailable,
            "\(name) is missing, and no node was asked; give it, or configure an RPC URL")
    }
}

/// The values that go out of date and that the client supplied.
///
/// The hub fills in the others when a transaction or delegate action is signed.
struct GivenValues {
    /// True if the client supplied the nonce of the access key.
    let nonce: Bool
    /// True if the client supplied the block hash, or the last height of a delegate action.
    let block: Bool

    static let all = GivenValues(nonce: true, block: true)
}

extension TransactionDraft {
    var given: GivenValues { GivenValues(nonce: nonce != nil, block: blockHash != nil) }
}

extension DelegateDraft {
    var given: GivenValues { GivenValues(nonce: nonce != nil, block: maxBlockHeight != nil) }
}
