// SPDX-License-Identifier: Apache-2.0

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
