// SPDX-License-Identifier: Apache-2.0

/// Why a key was not used.
public enum KeyStoreError: Error, Hashable, Sendable {
    /// No key has this identity.
    case unknownKey(KeyID)
    /// The store is locked.
    case locked
    /// The store could not be read.
    case unavailable(String)
    /// The record of the key with this name is not what was sealed.
    case damaged(name: String)
    /// A remembered yes was not sealed by this store.
    case forgedGrant(String)
    /// The bytes may not be signed by this key.
    case domain(DomainError)
    /// The key's protocol or algorithm does not offer this operation.
    case unsupportedOperation
    /// The peer's public key is not a key.
    case invalidPeer
    /// The payload does not decrypt; never says why.
    case undecryptable
    /// The key was used and the result was not good: nothing is released.
    case failed
}

/// Holds keys and uses them; never returns one.
public protocol KeyStore: Sendable {
    /// The public halves of all keys, without unlocking.
    func accounts() throws(KeyStoreError) -> [Account]

    /// Vouches for grants, so that `perform` knows them again.
    func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant]

    /// Carries out every operation of a permit, in order, or none.
    ///
    /// The store itself checks each preimage against its `DomainRegistry` and each grant against
    /// its seal before any key is used, hashes, and verifies its own signatures.
    func perform(_ permit: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult]
}

/// Proof that a request passed every step before the key: judged, approved, on record.
///
/// Only `SigningHub` can make one, and it can be spent once.
public struct SigningPermit: ~Copyable, Sendable {
    /// The uses it permits.
    public let operations: [RequestedOperation]
    /// The remembered answers that it stands on.
    public let grants: [SealedGrant]

    init(for operations: [RequestedOperation], on grants: [SealedGrant] = []) {
        self.operations = operations
        self.grants = grants
    }
}
