// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// What nodes said for one request.
///
/// Rounds and genesis are what the client brings itself. Which key signs for an account is the one
/// thing that is signed by.
public enum AlgorandLookup: LookedUp, Hashable {
    /// What nodes are asked.
    public enum Need: Hashable, Sendable {
        /// Whether something could be posted just now on networks that are to have a node.
        case posting(on: [AlgorandNetwork])
        /// The same, to be told a client that waits: what is not known soon does not count.
        case offering(on: [AlgorandNetwork])
        /// Which key signs for an account, by its address, on networks that are to have a node.
        case authority(of: String, on: [AlgorandNetwork])
        /// Several of them, at once.
        case several([Need])
    }

    /// A node that cannot be asked is one less, or a problem of what was found.
    public typealias Failure = Never

    /// The networks whose node answers and is on it, and why others are not, for the owner.
    case posting(able: [AlgorandNetwork], problems: [String])
    /// Which key signs for an account.
    case authority(AlgorandAuthority)
    /// Several of them, in the order of the needs.
    case several([AlgorandLookup])

    /// Which key signs for an account ages, as it may be rekeyed while a person is asked.
    public var ages: Bool { !authorities.isEmpty }

    /// Which networks can be posted to, and why others cannot; nil where nobody asked.
    package var posting: (able: [AlgorandNetwork], problems: [String])? {
        switch self {
        case .posting(able: let able, problems: let problems): (able, problems)
        case .authority: nil
        case .several(let list): list.lazy.compactMap(\.posting).first
        }
    }

    /// What was found of accounts.
    package var authorities: [AlgorandAuthority] {
        switch self {
        case .posting: []
        case .authority(let authority): [authority]
        case .several(let list): list.flatMap(\.authorities)
        }
    }

    /// The address of a key that signs for another account; nothing else that is signed comes of
    /// it.
    public var digested: [UInt8]? {
        let others = authorities.flatMap { authority in
            authority.signers.filter { $0.address != authority.account }
        }
        guard !others.isEmpty else { return nil }
        return others.flatMap { Array("auth-addr \($0.network.genesisID) \($0.address) ".utf8) }
    }
}

/// Which key signs for an account, as far as nodes say.
public struct AlgorandAuthority: Hashable, Sendable {
    /// What one network says.
    public struct Signer: Hashable, Sendable {
        /// The network.
        public let network: AlgorandNetwork
        /// The address whose key signs there: the account's own where it was not rekeyed.
        public let address: String

        /// Names both.
        public init(on network: AlgorandNetwork, _ address: String) {
            self.network = network
            self.address = address
        }
    }

    /// The address of the account that was asked about.
    public let account: String
    /// The networks that were to be asked.
    public let networks: [AlgorandNetwork]
    /// What those say that answered.
    public let signers: [Signer]
    /// Why others did not, for the owner.
    public let problems: [String]
    /// When they were asked.
    public let time: Timestamp

    /// Makes it of what was asked and what was said; without a time it is too old to sign by.
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
    /// Stands for an answer where a request is only explained and no node is asked.
    package static func standIn(for account: String) -> Self {
        Self(of: account, on: [], signers: [], problems: [])
    }

    /// True if no node was asked.
    package var isStandIn: Bool { networks.isEmpty }
}
