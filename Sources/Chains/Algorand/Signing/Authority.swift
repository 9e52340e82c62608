// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The key that signs for an account, and the source of this information.
package struct Authority: Hashable {
    /// The source of the information about a signing key.
    package enum Source: Hashable {
        /// The default: the key of the account itself.
        case own
        /// The client, in `authAddr`.
        case client
        /// The owner, by a watched account.
        case owner
        /// A node of the network.
        case node
    }

    /// The public key of the account whose key or members sign.
    package let key: [UInt8]
    package let source: Source
    /// True if a node is configured but did not say which key signs.
    package let isUnconfirmed: Bool

    init(_ key: [UInt8], by source: Source, isUnconfirmed: Bool = false) {
        self.key = key
        self.source = source
        self.isUnconfirmed = isUnconfirmed
    }

    /// True if Countersign found the key, because the client named no key.
    package var isFound: Bool { source == .owner || source == .node }

    /// The warning about a key that signs for another account.
    package var rekeyedWarning: String {
        let speaker =
            switch source {
            case .node: "says the node"
            case .owner: "as you said by \"key watch\""
            case .client, .own: "says the client"
            }
        let address = AlgorandAddress.text(publicKey: key.span)
        return "the account was rekeyed, \(speaker): the key of \(address) signs for it"
    }
}

/// The questions about accounts that nodes were asked for one request, and the answers.
package struct NodeAuthorities {
    /// A question: the key that signs for an account on these networks.
    package struct Question: Hashable {
        package let account: String
        package let networks: [AlgorandNetwork]

        package init(_ account: String, on networks: [AlgorandNetwork]) {
            self.account = account
            self.networks = networks
        }
    }

    /// The combined answer of the nodes of all networks.
    enum Answer: Hashable {
        /// All answers name this key; `isWhole` is false if a network did not answer.
        case key([UInt8], isWhole: Bool)
        /// There is no answer.
        case silence
        /// The networks name different keys.
        case conflict([AlgorandAuthority.Signer])
    }

    private let questions: [Question]
    private let answers: [AlgorandAuthority]

    package init(asked questions: [Question], answers: [AlgorandAuthority]) {
        self.questions = questions
        self.answers = answers
    }

    /// The problems of the nodes, for the owner.
    package var problems: [String] { answers.flatMap(\.problems) }

    /// The value for a request that asks no node.
    package static let none = Self(asked: [], answers: [])

    /// Returns the combined answer for an account; nil if no node was to be asked.
    func answer(for key: [UInt8], on network: AlgorandNetwork?) -> Answer? {
        let address = AlgorandAddress.text(publicKey: key.span)
        let asked = questions.first {
            $0.account == address && (network.map($0.networks.contains) ?? true)
        }
        guard let asked else { return nil }
        if answers.contains(where: { $0.account == address && $0.isPlaceholder }) { return nil }
        let answer = answers.first { $0.account == address && $0.networks == asked.networks }
        guard let answer, let first = answer.signers.first else { return .silence }
        guard answer.signers.allSatisfy({ $0.address == first.address }) else {
            return .conflict(answer.signers)
        }
        guard let key = try? AlgorandAddress.parse(first.address) else { return .silence }
        return .key(key, isWhole: answer.problems.isEmpty)
    }
}

extension KeyRing {
    /// Returns the key that signs for an account if the client names no key.
    ///
    /// `network` is nil if the request names no network. The answer of a node takes precedence over
    /// the setting of the owner. Another key is searched only for accounts that the client may
    /// name.
    package func authority(
        of sender: [UInt8], on network: AlgorandNetwork?
    ) throws(AlgorandRefusal) -> Authority {
        let isServed = { (account: Account) in
            account.publicKey == sender
                && (network.map { $0.serves(accountNetwork: account.network) } ?? true)
        }
        guard accounts.contains(where: isServed) else { return Authority(sender, by: .own) }
        let watched = (accounts + keptAccounts).first { isServed($0) && $0.signedBy != nil }
        let known = { (isUnconfirmed: Bool) in
            Authority(
                watched?.signedBy ?? sender, by: watched == nil ? .own : .owner,
                isUnconfirmed: isUnconfirmed)
        }
        switch nodes.answer(for: sender, on: network) {
        case nil: return known(false)
        case .silence?: return known(true)
        case .key(let key, let isWhole)?:
            return Authority(key, by: .node, isUnconfirmed: !isWhole)
        case .conflict(let signers)?:
            let list = signers.map { "\($0.address) on \($0.network.policyName)" }
            throw AlgorandRefusal(
                .unauthorizedSigner,
                "nodes name different keys that sign for the account:"
                    + " \(list.joined(separator: ", ")); send enable for one network first")
        }
    }

    /// Returns the key that signs for a transaction, which the client may name.
    package func authority(
        of wire: WalletTransaction, on network: AlgorandNetwork
    ) throws(AlgorandRefusal) -> Authority {
        let sender = wire.transaction.sender
        if let key = wire.authAddress {
            return Authority(key, by: key == sender ? .own : .client)
        }
        guard wire.leavesAuthorityOpen else { return Authority(sender, by: .own) }
        return try authority(of: sender, on: network)
    }

    /// Returns the accounts that may sign.
    ///
    /// If Countersign found the key, all accounts that the owner keeps are included.
    package func choosing(_ authority: Authority) -> KeyRing {
        guard authority.isFound else { return self }
        return KeyRing(
            accounts: accounts + keptAccounts.filter { !accounts.contains($0) },
            keptAccounts: keptAccounts, connections: connections, nodes: nodes)
    }

    /// Returns the key that signs a message for an account, and the source of that fact.
    package func signer(
        of subject: Account
    ) throws(AlgorandRefusal) -> (Account, Authority) {
        let authority = try authority(of: subject.publicKey, on: nil)
        if subject.algorithm == .ed25519, authority.key == subject.publicKey {
            return (subject, authority)
        }
        let named = choosing(authority).accounts.filter { $0.publicKey == authority.key }
        guard let account = named.first(where: { $0.algorithm == .ed25519 }) else {
            var refusal = unauthorized(authority, for: subject.publicKey)
            if named.contains(where: { $0.multisig != nil }) {
                refusal.message += ": it is a multisignature account, which cannot sign messages"
            }
            throw refusal
        }
        return (account, authority)
    }

    /// Returns the error for a signing key that is not held, or not for this network.
    func unauthorized(
        _ authority: Authority, for sender: [UInt8]
    ) -> AlgorandRefusal {
        var refusal = unauthorized(authority.key)
        let address = AlgorandAddress.text(publicKey: authority.key.span)
        switch authority.source {
        case .node where authority.key == sender:
            refusal.message =
                "a node says that the account's own key signs for it, which "
                + "\(AlgorandRefusal.notHeld)"
        case .node:
            refusal.message =
                "a node says that the account was rekeyed: the key of \(address) signs for it, "
                + "which \(AlgorandRefusal.notHeld)"
        case .owner:
            refusal.message =
                "the key of \(address), which signs for it, \(AlgorandRefusal.notHeld)"
        case .own, .client: break
        }
        return refusal
    }
}

extension WalletTransaction {
    /// True if a key here should sign and the client does not name the key.
    package var leavesAuthorityOpen: Bool {
        authAddress == nil && multisig == nil && signed == nil && signers?.isEmpty != true
    }
}
