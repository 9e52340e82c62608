// SPDX-License-Identifier: Apache-2.0

/// Why bytes may not be signed.
public enum DomainError: Error, Hashable, Sendable {
    /// No adapter registered this domain.
    case notRegistered(SigningDomain.ID)
    /// The key belongs to another protocol or signs with another algorithm.
    case wrongKey(SigningDomain.ID)
    /// The preimage is not one of the domain's.
    case wrongBytes(SigningDomain.ID)
    /// Another registered domain could claim the same bytes.
    case ambiguous(SigningDomain.ID, other: SigningDomain.ID)
}

/// All domains that may be signed in this process; every key store checks against it.
public struct DomainRegistry: Sendable {
    private let domains: [SigningDomain]

    /// Registers the domains of the chosen adapters; several wires of a chain bring the same.
    public init(_ domains: [SigningDomain]) {
        self.domains = domains.reduce(into: []) { known, domain in
            guard let same = known.first(where: { $0.id == domain.id }) else {
                return known.append(domain)
            }
            precondition(same.isDeclared(as: domain), "two domains share one identity")
        }
    }

    /// Returns what the algorithm has to sign, or refuses.
    ///
    /// `sha256` is given by the key store, so that hashing happens on its side of the fence.
    public func message(
        for input: SigningInput, by account: Account, sha256: (Span<UInt8>) -> [UInt8]
    ) throws(DomainError) -> [UInt8] {
        guard let place = domains.indices.first(where: { domains[$0].id == input.domain }) else {
            throw .notRegistered(input.domain)
        }
        let domain = domains[place]
        guard domain.protocolID == account.protocolID, domain.algorithm == account.algorithm else {
            throw .wrongKey(domain.id)
        }
        guard domain.claims(input.preimage, publicKey: account.publicKey) else {
            throw .wrongBytes(domain.id)
        }
        guard let message = domain.prehash.message(of: input.preimage, sha256: sha256) else {
            throw .wrongBytes(domain.id)
        }
        for other in domains.indices
        where other != place && domains[other].algorithm == domain.algorithm
            && !domains[other].isElsewhere(from: domain)
        {
            // Its verifier hashes as its domain does: compare what it would have to hash.
            let prehash = domains[other].prehash
            let rival = prehash == domain.prehash ? input.preimage : message
            let isComparable = prehash == domain.prehash || prehash == .none
            if isComparable, domains[other].claims(rival, publicKey: account.publicKey) {
                throw .ambiguous(domain.id, other: domains[other].id)
            }
        }
        return message
    }
}

extension SigningDomain {
    /// Whether it takes any bytes, for keys of another protocol: no key belongs to two.
    fileprivate func isElsewhere(from other: SigningDomain) -> Bool {
        isBare && protocolID != other.protocolID
    }
}
