// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningCrypto
import SigningDigests

/// Performs an operation with the checks of a key store, for the accounts that `NostrKeys` makes of
/// these secrets.
package func use(
    _ operation: RequestedOperation, holding secrets: [String], in domains: [SigningDomain]
) throws -> KeyResult {
    let accounts = try NostrKeys.accounts(secrets)
    guard let index = accounts.firstIndex(where: { $0.publicKey == operation.account.publicKey })
    else { throw StatementError("an account that is not held") }
    let key = try NostrKeys.key(secrets[index])
    switch operation.operation {
    case .publicKey: return .publicKey(key.publicKey)
    case .makePasskey, .signByPasskey: throw KeyStoreError.unsupportedOperation
    case .sign(let input):
        let message = try DomainRegistry(domains).message(for: input, by: operation.account)
        return .signature(try key.sign(message.span), message: message)
    case .encrypt(.nip44, let peer, let plaintext):
        let shared = try NIP44.conversationKey(own: key, peer: peer.span)
        return .ciphertext(try NIP44.encrypt(plaintext.span, conversationKey: shared))
    case .encrypt(_, let peer, let plaintext):
        let shared = try key.sharedX(with: peer.span)
        return .ciphertext(try NIP04.encrypt(plaintext.span, sharedX: shared))
    case .decrypt(.nip44, let peer, let payload):
        let shared = try NIP44.conversationKey(own: key, peer: peer.span)
        return .plaintext(try NIP44.decrypt(payload.span, conversationKey: shared))
    case .decrypt(.sentPrivateZap(_, let context), let peer, let payload):
        let oneTimeKey = try PrivateZap.oneTimeKey(of: key, context: context.span)
        let shared = try oneTimeKey.sharedX(with: peer.span)
        return .plaintext(try NIP04.decrypt(payload.span, sharedX: shared))
    case .decrypt(_, let peer, let payload):
        let shared = try key.sharedX(with: peer.span)
        return .plaintext(try NIP04.decrypt(payload.span, sharedX: shared))
    }
}
