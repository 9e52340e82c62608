// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SigningDomain {
    /// The prefix "TX" and a canonical transaction.
    ///
    /// Any key may sign for any sender: only the network knows the key of a rekeyed account.
    package static let algorandTransaction = SigningDomain(
        id: ID("algorand/transaction"), protocolID: .algorand, algorithm: .ed25519, prehash: .none,
        prefix: Transaction.prefix,
        isValid: { preimage, _ in
            guard preimage.starts(with: Transaction.prefix) else { return false }
            let bytes = preimage.span.extracting(Transaction.prefix.count..<preimage.count)
            return (try? Transaction(canonical: bytes)) != nil
        })
}
