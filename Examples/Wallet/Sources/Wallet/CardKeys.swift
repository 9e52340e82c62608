// SPDX-License-Identifier: Apache-2.0

import NIP155
import Nostr
import SigningService
import Synchronization

/// One Nostr key that the app holds itself, in place of a smart card or a hardware module.
final class CardKeys: KeyStore {
    private let key: Secp256k1Key
    private let account: Account
    private let domains = DomainRegistry(NIP155Adapter().domains)
    /// The key of seals, which proves that a remembered answer came from here.
    private let sealKey = SecretBytes.random(count: 32)
    private let uses = Mutex(0)

    /// The number of signatures so far.
    var usesCount: Int { uses.withLock { $0 } }

    init(name: String) throws {
        key = try Secp256k1Key(secret: .random(count: 32))
        account = Account(
            id: KeyID(name), name: name, protocolID: .nostr, algorithm: .bip340,
            publicKey: key.publicKey,
            address: try NostrChain().address(publicKey: key.publicKey, given: nil), network: nil)
    }

    func accounts() throws(KeyStoreError) -> [Account] { [account] }

    func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] {
        grants.map { SealedGrant($0, seal: seal(of: $0)) }
    }

    /// Signs what is permitted: bytes of a known domain, with grants that were sealed here.
    func perform(_ permit: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult] {
        for sealed in permit.grants where sealed.seal != seal(of: sealed.grant) {
            throw .forgedGrant(sealed.grant.idText)
        }
        return try permit.operations.map { (requested) throws(KeyStoreError) in
            guard requested.account == account else { throw .unknownKey(requested.account.id) }
            guard case .sign(let input) = requested.operation else { throw .unsupportedOperation }
            let message: [UInt8]
            do throws(DomainError) {
                message = try domains.message(for: input, by: account)
            } catch {
                throw .domain(error)
            }
            do throws(CryptoError) {
                let signature = try key.sign(message.span)
                uses.withLock { $0 += 1 }
                return .signature(signature, message: message)
            } catch {
                throw .failed
            }
        }
    }

    private func seal(of grant: Grant) -> [UInt8] {
        sealKey.withSpan { Digest.hmacSHA256(key: $0, Array("\(grant)".utf8).span) }
    }
}
