// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
internal import SigningPolicy
internal import SigningStorage

extension OpenHome {
    /// Makes a key and keeps it, after the passphrase; its address is derived.
    ///
    /// The vault is locked then.
    /// `account` is the NEAR account the key belongs to, without it the key's implicit one;
    /// `network` binds a NEAR or Algorand key to `mainnet` or `testnet`.
    @discardableResult
    public func makeKey(
        _ family: KeyFamily, name: String, account: String? = nil, network: String? = nil,
        passphrase: borrowing SecretBytes
    ) throws(ServiceError) -> Account {
        let secret = SecretBytes.random(count: 32)
        let publicKey = try family.publicKey(of: secret)
        let address = try family.address(publicKey: publicKey, given: account)
        let network = try family.network(network)
        // What was told before the change is not held against what stands after it.
        defer { vault.lock() }
        return try change(with: passphrase) { vault throws(VaultError) in
            try vault.add(
                name: name, protocolID: family.protocolID, algorithm: family.algorithm,
                address: address, network: network, secret: secret,
                servesAccounts: family == .near)
        }
    }

    /// Puts the text of a policy in force, after the passphrase; mistakes in it are an error.
    ///
    /// The vault is locked then.
    public func attest(
        policy text: String, passphrase: borrowing SecretBytes
    ) throws(ServiceError) {
        let loaded = PolicyLoading(
            Array(text.utf8), fileName: "the policy", adapters: adapters)
        guard let policy = loaded.policy else {
            let first = loaded.diagnostics.first { $0.severity == .error }
            throw ServiceError(
                "the policy cannot be used: \(loaded.mistakes)",
                hint: first.map { "line \($0.line): \($0.message)" })
        }
        defer { vault.lock() }
        try attest(policy, loaded.source, passphrase)
    }
}
