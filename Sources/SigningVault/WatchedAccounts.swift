// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension Vault {
    /// Stores an account whose transactions several keys sign together (multisig); the keys need
    /// not be in this vault.
    ///
    /// Needs an unlocked vault.
    ///
    /// `publicKey` is the 32 bytes that identify the account. The caller must check that
    /// `publicKey` and `address` belong to the members. An account may be stored once for each
    /// network. It has no secret, so it signs nothing.
    @discardableResult
    package func watch(
        name: String, protocolID: ProtocolID, address: String, publicKey: [UInt8],
        network: String?, members: MultisigMembers
    ) throws(VaultError) -> Account {
        try VaultName.check(name)
        guard members.isSound, publicKey.count == MultisigMembers.keyBytes else {
            throw .storage(
                "an account has 1 to \(MultisigMembers.keyCountMax) members, a threshold up to"
                    + " their number, and keys of \(MultisigMembers.keyBytes) bytes")
        }
        let account = Account(
            id: Self.makeKeyID(), name: name, protocolID: protocolID, algorithm: .multisig,
            publicKey: publicKey, address: address, network: network, multisig: members)
        try keep(account)
        return account
    }

    /// Stores a rekeyed account; `key` is the public key of the account that signs for it.
    ///
    /// The account's own former key may be stored too, under another name.
    @discardableResult
    package func watch(
        name: String, protocolID: ProtocolID, address: String, publicKey: [UInt8],
        network: String?, signedBy key: [UInt8]
    ) throws(VaultError) -> Account {
        try VaultName.check(name)
        guard [key, publicKey].allSatisfy({ $0.count == MultisigMembers.keyBytes }),
            key != publicKey
        else { throw .storage("another key of \(MultisigMembers.keyBytes) bytes has to sign") }
        let account = Account(
            id: Self.makeKeyID(), name: name, protocolID: protocolID, algorithm: .rekeyed,
            publicKey: publicKey, address: address, network: network, signedBy: key)
        try keep(account)
        return account
    }

    private func keep(_ account: Account) throws(VaultError) {
        try changeAccounts(with: try openVaultKey()) { access throws(VaultError) in
            try access.checkIsFree(account.name)
            try access.checkIsNew(account, true)
            try access.insert(account, [])
        }
    }
}

// The stored form: version, threshold, then the keys without separators.

extension MultisigMembers {
    /// The maximum number of members of one account.
    static let keyCountMax = 255
    /// The length of a member's key in bytes.
    static let keyBytes = 32

    var record: [UInt8] { [version, threshold] + keys.joined() }

    /// Parses a record; nil if it is malformed.
    init?(record: [UInt8]) {
        guard record.count > 2, (record.count - 2).isMultiple(of: Self.keyBytes) else { return nil }
        self.init(
            version: record[0], threshold: record[1],
            keys: stride(from: 2, to: record.count, by: Self.keyBytes).map {
                Array(record[$0..<$0 + Self.keyBytes])
            })
        guard isSound else { return nil }
    }

    /// True if the threshold is 1 or more and not above the number of members, and all keys have
    /// the right length.
    var isSound: Bool {
        (1...Self.keyCountMax).contains(keys.count) && (1...keys.count).contains(Int(threshold))
            && keys.allSatisfy { $0.count == Self.keyBytes }
    }
}
