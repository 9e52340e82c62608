// SPDX-License-Identifier: Apache-2.0

/// The reasons that a key was not used.
public enum KeyStoreError: Error, Hashable, Sendable {
    /// A key with this identity does not exist.
    case unknownKey(KeyID)
    /// The store is locked.
    case locked
    /// The person who was asked for the passphrase declined.
    case declined
    /// The store cannot be used now; its owner and the record get the reason.
    case unavailable(String)
    /// The record of the key with this name differs from the sealed one.
    case damaged(name: String)
    /// A remembered yes was not sealed by this store.
    case forgedGrant(String)
    /// The policy that judged the request is not the policy in force that the store has sealed.
    case foreignPolicy
    /// The bytes may not be signed by this key.
    case domain(DomainError)
    /// The key's protocol or algorithm does not support this operation.
    case unsupportedOperation
    /// This program does not support the algorithm, with this id, of the key of this name.
    case unknownAlgorithm(name: String, id: String)
    /// The peer's public key is not a valid key.
    case invalidPeer
    /// The payload does not decrypt; the reason is never given.
    case undecryptable
    /// The key was used and the result failed verification: it is not released.
    case failed
}

/// Holds keys and uses them; never returns one.
public protocol KeyStore: Sendable {
    /// Returns the public halves of all keys, without unlocking.
    func accounts() throws(KeyStoreError) -> [Account]

    /// Returns the public halves of all passkeys, without unlocking.
    func passkeys() throws(KeyStoreError) -> [Passkey]

    /// Unlocks the store for a use that was decided; the person who enters a passphrase sees the
    /// use first.
    ///
    /// - Returns: True if a person was waited for.
    func unlock(for use: KeyUse) async throws(KeyStoreError) -> Bool

    /// Seals grants, so that `perform` can verify them.
    func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant]

    /// Carries out every operation of a permit in order, or none at all.
    ///
    /// Before any key is used, the store checks each preimage against its `DomainRegistry` and each
    /// grant against its seal. The store itself hashes, and it verifies its own signatures.
    func perform(_ permit: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult]
}

extension KeyStore {
    /// Empty: the store has no passkeys.
    public func passkeys() throws(KeyStoreError) -> [Passkey] { [] }

    /// False: the store is already open.
    public func unlock(for _: KeyUse) async throws(KeyStoreError) -> Bool { false }
}

/// The intended use of keys and its ground.
public struct KeyUse: Sendable {
    /// The source of the decision.
    public enum Ground: Hashable, Sendable {
        /// A person, who has just seen the summary.
        case person
        /// Several people, by their names in the policy.
        case approvers([String])
        /// The rules with these ids.
        case rules([String])
        /// The remembered answers with these ids.
        case grants([String])
        /// Not decided yet: several people are asked next; the texts of the demands.
        case asking([String])
    }

    /// The summary that a person sees; computed on demand.
    public var summary: Summary { makeSummary() }
    let makeSummary: @Sendable () -> Summary
    /// The accounts whose keys are used.
    public let accounts: [Account]
    /// The source of the decision.
    public let ground: Ground
}

/// Proof that a request passed every step before the key: judged, approved, on record.
///
/// Only `SigningHub` can make a permit, and a permit can be used only once.
public struct SigningPermit: ~Copyable, Sendable {
    /// The permitted operations.
    public let operations: [RequestedOperation]
    /// The remembered answers that the permit relies on.
    public let grants: [SealedGrant]
    /// The hash of the policy that judged, 32 bytes; the store compares it with its record.
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
