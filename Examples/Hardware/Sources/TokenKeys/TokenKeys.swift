// SPDX-License-Identifier: Apache-2.0

import CPKCS11
public import SigningCore
public import SigningCrypto
import Synchronization

/// The Ed25519 keys of one token as the keys of a signer.
///
/// The secrets never leave the token. After a login the token signs until `lock`.
public final class TokenKeys: KeyStore {
    /// Returns the PIN, which is erased after the login.
    public typealias PINSource = @Sendable () throws(TokenError) -> SecretBytes

    let token: Token
    private let chains: [any Chain]
    private let domains: DomainRegistry
    private let pin: PINSource
    private let login = Mutex<TokenSession?>(nil)
    private let problem = Mutex<TokenError?>(nil)
    private let known = Mutex<[Account]>([])

    /// Makes the store of the keys for these chains.
    public init(
        of token: Token, chains: [any Chain], domains: [SigningDomain],
        pin: @escaping PINSource
    ) {
        self.token = token
        self.chains = chains.filter { $0.algorithm == .ed25519 }
        self.domains = DomainRegistry(domains)
        self.pin = pin
    }

    deinit { lock() }

    /// Returns the last error of the token, with a remedy for its owner, and forgets it.
    public func takeError() -> TokenError? { problem.withLock { $0.take() } }

    /// Logs out, so that the next use needs the PIN again.
    public func lock() {
        login.withLock { session in
            try? session?.logOut()
            session = nil
        }
    }

    /// Returns the accounts of the keys on the token; needs no PIN.
    ///
    /// If the token was removed, these are the accounts of before, so that a request for one of
    /// them is told that the token is missing. `perform` reads the token again.
    public func accounts() throws(KeyStoreError) -> [Account] {
        do throws(TokenError) {
            let held = try heldAccounts()
            known.withLock { $0 = held }
            return held
        } catch {
            problem.withLock { $0 = error }
            guard error == .removed else { throw KeyStoreError(error) }
            return known.withLock { $0 }
        }
    }

    /// Logs in unless the user is logged in; the PIN is read only if the token can be used.
    public func unlock(for _: KeyUse) async throws(KeyStoreError) -> Bool {
        try noting { () throws(TokenError) in try logIn() }
    }

    /// Seals nothing: the store has no key for seals, so no answer is remembered.
    public func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] {
        guard grants.isEmpty else { throw .unsupportedOperation }
        return []
    }

    /// Carries out a permit; every check that needs no signature comes before the first one.
    public func perform(
        _ permit: consuming SigningPermit
    ) throws(KeyStoreError) -> [KeyResult] {
        if let sealed = permit.grants.first { throw .forgedGrant(sealed.grant.idText) }
        let held = try noting { () throws(TokenError) in try heldAccounts() }
        let plans = try permit.operations.map { (operation) throws(KeyStoreError) in
            try PlannedUse(operation, among: held, in: domains)
        }
        return try login.withLock { (session) throws(KeyStoreError) in
            guard let open = session, open.isLoggedIn else { throw .locked }
            let keys = try plans.map { (plan) throws(KeyStoreError) in
                try noting(plan.account.id) { () throws(TokenError) in
                    try open.privateKey(of: plan.account)
                }
            }
            return try zip(plans, keys).map { (plan, key) throws(KeyStoreError) in
                guard let message = plan.message else { return .publicKey(plan.account.publicKey) }
                do throws(TokenError) {
                    return .signature(
                        try open.verifiedSignature(of: message, by: key, of: plan.account),
                        message: message)
                } catch {
                    // The token may have signed, so the use counts.
                    problem.withLock { $0 = error }
                    session = nil
                    throw .failed
                }
            }
        }
    }

    /// Logs in; returns true if the PIN was asked for.
    func logIn() throws(TokenError) -> Bool {
        guard login.withLock({ !($0?.isLoggedIn ?? false) }) else { return false }
        try token.checkUsable()
        let pin = try pin()
        try login.withLock { (session) throws(TokenError) in
            let new = try token.session()
            try new.logIn(pin: pin)
            session = new
        }
        return true
    }

    /// Returns the accounts of the public keys whose labels this store gives.
    func heldAccounts() throws(TokenError) -> [Account] {
        let session = try token.session()
        var accounts: [Account] = []
        var names: Set<TokenKeyName> = []
        for object in try session.find(.keys(UInt(CKO_PUBLIC_KEY))) {
            let label = try session.bytes(of: object, UInt(CKA_LABEL))
            // Keys of other programs have other labels and identities, or another curve.
            guard let name = TokenKeyName(String(decoding: label, as: UTF8.self)),
                let publicKey = ECPoint.publicKey(
                    in: try session.bytes(of: object, UInt(CKA_EC_POINT))),
                let id = KeyID(token: try session.bytes(of: object, UInt(CKA_ID))),
                chains.contains(where: { $0.protocolID == name.protocolID })
            else { continue }
            guard names.insert(name).inserted else { throw .keyTwice(name) }
            accounts.append(try account(name, id, publicKey))
        }
        return accounts.sorted { $0.name < $1.name }
    }

    /// Describes a key; throws if its chain is not supported.
    func account(
        _ name: TokenKeyName, _ id: KeyID, _ publicKey: [UInt8]
    ) throws(TokenError) -> Account {
        guard let chain = chains.first(where: { $0.protocolID == name.protocolID }),
            let address = try? chain.address(publicKey: publicKey, given: nil)
        else { throw .unknownProtocol(name) }
        return Account(
            id: id, name: name.name, protocolID: name.protocolID, algorithm: .ed25519,
            publicKey: publicKey, address: address, network: nil)
    }

    /// Runs a step and keeps the error of the token for its owner.
    private func noting<R>(
        _ key: KeyID? = nil, _ step: () throws(TokenError) -> R
    ) throws(KeyStoreError) -> R {
        do throws(TokenError) {
            return try step()
        } catch {
            problem.withLock { $0 = error }
            throw KeyStoreError(error, about: key)
        }
    }
}
