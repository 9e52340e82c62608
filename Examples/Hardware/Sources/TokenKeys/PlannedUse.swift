// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// An operation that may be carried out, with the bytes to sign; nil to return the public key.
struct PlannedUse {
    let account: Account
    let message: [UInt8]?

    init(
        _ requested: RequestedOperation, among held: [Account], in domains: DomainRegistry
    ) throws(KeyStoreError) {
        account = requested.account
        // The key that was judged must be the key that is there.
        guard held.contains(account) else { throw .unknownKey(account.id) }
        switch requested.operation {
        case .publicKey: message = nil
        case .sign(let input):
            do throws(DomainError) {
                message = try domains.message(for: input, by: account)
            } catch {
                throw .domain(error)
            }
        default: throw .unsupportedOperation
        }
    }
}
