// SPDX-License-Identifier: Apache-2.0

/// Why a key was not used.
public enum KeyStoreError: Error, Hashable, Sendable {
    /// No key has this identity.
    case unknownKey(KeyID)
    /// The store is locked.
    case locked
    /// Whoever was asked for the passphrase did not want to give it.
    case declined
    /// The store could not be read.
    case unavailable(String)
    /// The record of the key with this name is not what was sealed.
    case damaged(name: String)
    /// A remembered yes was not sealed by this store.
    case forgedGrant(String)
    /// Another policy judged than the one the store holds to be in force.
    case foreignPolicy
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

    /// The public halves of all passkeys, without unlocking.
    func passkeys() throws(KeyStoreError) -> [Passkey]

    /// Opens the store for a use that was decided, where it is not open; whoever has to give
    /// a passphrase is shown the use first.
    ///
    /// - Returns: Whether anybody was waited for.
    func unlock(for use: KeyUse) async throws(KeyStoreError) -> Bool

    /// Vouches for grants, so that `perform` knows them again.
    func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant]

    /// Carries out every operation of a permit, in order, or none.
    ///
    /// The store itself checks each preimage against its `DomainRegistry` and each grant against
    /// its seal before any key is used, hashes, and verifies its own signatures.
    func perform(_ permit: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult]
}

extension KeyStore {
    /// None.
    public func passkeys() throws(KeyStoreError) -> [Passkey] { [] }

    /// Nothing: it is open.
    public func unlock(for _: KeyUse) async throws(KeyStoreError) -> Bool { false }
}

/// What keys are about to be used for, and on whose word.
public struct KeyUse: Sendable {
    /// Whose word it is.
    public enum Ground: Hashable, Sendable {
        /// A person's, who has just seen the summary.
        case person
        /// That of several people, by what the policy calls them.
        case approvers([String])
        /// That of the rules with these ids.
        case rules([String])
        /// That of answers given before, by their ids.
        case grants([String])
        /// Nobody's yet: several people are asked next, whom each rule asks in words.
        case asking([String])
    }

    /// What a person is shown of the request; made when it is looked at.
    public var summary: Summary { makeSummary() }
    let makeSummary: @Sendable () -> Summary
    /// The accounts whose keys are used.
    public let accounts: [Account]
    /// Who said yes.
    public let ground: Ground
}

/// Proof that a request passed every step before the key: judged, approved, on record.
///
/// Only `SigningHub` can make one, and it can be spent once.
public struct SigningPermit: ~Copyable, Sendable {
    /// The uses it permits.
    public let operations: [RequestedOperation]
    /// The remembered answers that it stands on.
    public let grants: [SealedGrant]
    /// The hash of the policy that judged, 32 bytes; the store holds it against its own record.
    public let policyHash: [UInt8]

    init(
        for operations: [RequestedOperation], on grants: [SealedGrant] = [],
        judgedBy policyHash: [UInt8]
    ) {
        self.operations = operations
        self.grants = grants
        self.policyHash = policyHash
    }
}
