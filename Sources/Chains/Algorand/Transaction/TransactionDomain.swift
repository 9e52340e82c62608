// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SigningDomain {
    /// "TX" and a canonical transaction.
    ///
    /// Any key may sign for any sender: the network knows which key an account is rekeyed to.
    package static let algorandTransaction = SigningDomain(
        id: ID("algorand/transaction"), protocolID: .algorand, algorithm: .ed25519, prehash: .none,
        prefix: Transaction.prefix,
        isValid: { preimage, _ in
            guard preimage.starts(with: Transaction.prefix) else { return false }
            let bytes = preimage.span.extracting(Transaction.prefix.count..<preimage.count)
            return (try? Transaction(canonical: bytes)) != nil
        })
}
