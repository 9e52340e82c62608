// SPDX-License-Identifier: Apache-2.0

/// Which of the values that age are the client's word; the others are filled in when a transaction
/// or delegate action is signed.
struct GivenValues {
    /// The nonce of the access key.
    let nonce: Bool
    /// The block hash of a transaction, or the height at which a delegate action ends.
    let block: Bool

    static let all = GivenValues(nonce: true, block: true)
}

extension TransactionDraft {
    var given: GivenValues { GivenValues(nonce: nonce != nil, block: blockHash != nil) }
}

extension DelegateDraft {
    var given: GivenValues { GivenValues(nonce: nonce != nil, block: maxBlockHeight != nil) }
}
