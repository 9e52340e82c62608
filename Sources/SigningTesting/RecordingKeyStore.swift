// SPDX-License-Identifier: Apache-2.0

public import SigningCore
import SigningCrypto
import Synchronization

/// A key store without keys: it checks domains like a real one, counts uses, and returns zeros.
public final class RecordingKeyStore: KeyStore {
    private let held: [Account]
    private let registry: DomainRegistry
    private let failure: KeyStoreError?
    private let count = Mutex(0)

    /// Creates a store; with `failure` every use throws that error.
    public init(_ accounts: [Account], domains: [SigningDomain], failure: KeyStoreError? = nil) {
        held = accounts
        registry = DomainRegistry(domains)
        self.failure = failure
    }

    /// The number of operations performed.
    public var usesCount: Int { count.withLock { $0 } }

    /// The accounts given at creation.
    public func accounts() throws(KeyStoreError) -> [Account] { held }

    /// Seals each grant with its id.
    public func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] {
        grants.map { SealedGrant($0, seal: $0.id) }
    }

    /// Returns zeros of the right size, after every operation has been checked.
    public func perform(_ permit: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult] {
        if let failure { throw failure }
        for sealed in permit.grants where sealed.seal != sealed.grant.id {
            throw .forgedGrant(sealed.grant.idText)
        }
        var results: [KeyResult] = []
        for requested in permit.operations {
            guard held.contains(requested.account) else { throw .unknownKey(requested.account.id) }
            results.append(try result(of: requested))
        }
        count.withLock { $0 += results.count }
        return results
    }

    private func result(of requested: RequestedOperation) throws(KeyStoreError) -> KeyResult {
        switch requested.operation {
        case .publicKey: return .publicKey(requested.account.publicKey)
        case .makePasskey: return .passkey([UInt8](repeating: 0, count: 64))
        case .signByPasskey(_, let input):
            return try signature(over: input, by: requested.account.passkey)
        case .encrypt(_, _, let plaintext): return .ciphertext(plaintext)
        case .decrypt(_, _, let payload): return .plaintext(payload)
        case .sign(let input): return try signature(over: input, by: requested.account)
        }
    }

    private func signature(
        over input: SigningInput, by account: Account
    ) throws(KeyStoreError) -> KeyResult {
        do throws(DomainError) {
            let message = try registry.message(for: input, by: account)
            return .signature([UInt8](repeating: 0, count: 64), message: message)
        } catch {
            throw .domain(error)
        }
    }
}

extension Account {
    /// The account of a passkey, as domains see it.
    fileprivate var passkey: Account {
        Account(
            id: id, name: name, protocolID: protocolID, algorithm: .p256,
            publicKey: [UInt8](repeating: 0, count: 64), address: address, network: network)
    }
}
