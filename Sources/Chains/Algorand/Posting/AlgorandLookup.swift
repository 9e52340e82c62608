// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// The answers of nodes for one request.
///
/// Rounds and genesis come from the client, not from nodes. The only answer of a node that affects
/// a signature is which key signs for an account.
public enum AlgorandLookup: LookedUp, Hashable {
    /// The questions that nodes are asked.
    public enum Need: Hashable, Sendable {
        /// The ability to post transactions now, on networks that are to have a node.
        case posting(on: [AlgorandNetwork])
        /// The ability to post transactions, for a client that waits for the reply: slow answers do
        /// not count.
        case offering(on: [AlgorandNetwork])
        /// The key that signs for an account, by its address, on networks that are to have a node.
        case authority(of: String, on: [AlgorandNetwork])
        /// Several needs at once.
        case several([Need])
    }

    /// A lookup never fails: an unreachable node becomes one of the `problems`.
    public typealias Failure = Never

    /// The networks whose node answers and is on the right network, and the problems of the other
    /// networks, for the owner.
    case posting(able: [AlgorandNetwork], problems: [String])
    /// The key that signs for an account.
    case authority(AlgorandAuthority)
    /// Several answers, in the order of the needs.
    case several([AlgorandLookup])

    /// True if the answer names a signing key: the account may be rekeyed while a person decides.
    public var ages: Bool { !authorities.isEmpty }

    /// The networks that can be posted to and the problems of the others; nil if this was not
    /// asked.
    package var posting: (able: [AlgorandNetwork], problems: [String])? {
        switch self {
        case .posting(able: let able, problems: let problems): (able, problems)
        case .authority: nil
        case .several(let list): list.lazy.compactMap(\.posting).first
        }
    }

    /// The answers about accounts.
    package var authorities: [AlgorandAuthority] {
        switch self {
        case .posting: []
        case .authority(let authority): [authority]
        case .several(let list): list.flatMap(\.authorities)
        }
    }

    /// The address of a key that signs for another account; other answers do not affect a
    /// signature.
    public var digested: [UInt8]? {
        let others = authorities.flatMap { authority in
            authority.signers.filter { $0.address != authority.account }
        }
        guard !others.isEmpty else { return nil }
        return others.flatMap { Array("auth-addr \($0.network.genesisID) \($0.address) ".utf8) }
    }
}

/// The key that signs for an account, according to nodes.
public struct AlgorandAuthority: Hashable, Sendable {
    /// The answer of one network.
    public struct Signer: Hashable, Sendable {
        /// The network.
        public let network: AlgorandNetwork
        /// The address whose key signs there; the address of the account if it was not rekeyed.
        public let address: String

        /// Creates an answer.
        public init(on network: AlgorandNetwork, _ address: String) {
            self.network = network
            self.address = address
        }
    }

    /// The address of the account in question.
    public let account: String
    /// The networks that were queried.
    public let networks: [AlgorandNetwork]
    /// The answers received.
    public let signers: [Signer]
    /// The problems of the other networks, for the owner.
    public let problems: [String]
    /// The time of the query.
    public let time: Timestamp

    /// Creates an authority from the query and its answers; without a time it is too old to sign
    /// by.
    public init(
        of account: String, on networks: [AlgorandNetwork], signers: [Signer], problems: [String],
        at time: Timestamp = Timestamp(seconds: 0)
    ) {
        self.time = time
        self.account = account
        self.networks = networks
        self.signers = signers
        self.problems = problems
    }
}

extension AlgorandAuthority {
    /// Returns a placeholder for a request that is only explained, without asking a node.
    package static func placeholder(for account: String) -> Self {
        Self(of: account, on: [], signers: [], problems: [])
    }

    /// True if no node was asked.
    package var isPlaceholder: Bool { networks.isEmpty }
}
