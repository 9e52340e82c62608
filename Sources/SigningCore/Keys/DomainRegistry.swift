// SPDX-License-Identifier: Apache-2.0

/// The reasons that bytes may not be signed.
public enum DomainError: Error, Hashable, Sendable {
    /// The domain is not registered by any adapter.
    case notRegistered(SigningDomain.ID)
    /// The key belongs to another protocol or signs with another algorithm.
    case wrongKey(SigningDomain.ID)
    /// The preimage does not belong to the domain.
    case wrongBytes(SigningDomain.ID)
    /// Another registered domain could claim the same bytes.
    case ambiguous(SigningDomain.ID, other: SigningDomain.ID)
}

/// All domains that may be signed in this process; every key store checks signatures against it.
public struct DomainRegistry: Sendable {
    private let domains: [SigningDomain]

    /// Registers the domains of the chosen adapters; wires of one chain register the same ones.
    public init(_ domains: [SigningDomain]) {
        self.domains = domains.reduce(into: []) { known, domain in
            guard let same = known.first(where: { $0.id == domain.id }) else {
                return known.append(domain)
            }
            precondition(same.isDeclared(as: domain), "two domains share one identity")
        }
    }

    /// Returns the bytes that the algorithm has to sign; throws if they may not be signed.
    ///
    /// The key store calls this, so that it hashes the preimage with the domain's own hash.
    public func message(
        for input: SigningInput, by account: Account
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
        guard let message = domain.prehash.message(of: input.preimage) else {
            throw .wrongBytes(domain.id)
        }
        for other in domains.indices
        where other != place && domains[other].algorithm == domain.algorithm
            && !domains[other].isElsewhere(from: domain)
        {
            // A signature counts in the other domain if both sign the same bytes after hashing.
            let isClaimed = [input.preimage, message].contains { rival in
                domains[other].claims(rival, publicKey: account.publicKey)
                    && domains[other].prehash.message(of: rival) == message
            }
            if isClaimed { throw .ambiguous(domain.id, other: domains[other].id) }
        }
        return message
    }
}

extension SigningDomain {
    /// True if this domain takes arbitrary bytes and belongs to another protocol than `other`.
    ///
    /// A key belongs to one protocol only.
    fileprivate func isElsewhere(from other: SigningDomain) -> Bool {
        isBare && protocolID != other.protocolID
    }
}
