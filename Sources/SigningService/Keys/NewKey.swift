// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
internal import SigningPolicy
internal import SigningVault

extension OpenHome {
    /// Makes a key and stores it, after the passphrase; the address is derived.
    ///
    /// The vault is locked afterwards. `account` is the account of the key if its chain names
    /// accounts; without it, the key's own. `network` binds it to one of the chain's networks.
    @discardableResult
    public func makeKey(
        _ chain: some Chain, name: String, account: String? = nil, network: String? = nil,
        passphrase: borrowing SecretBytes
    ) throws(ServiceError) -> Account {
        let count = try chain.signing(among: protocols.algorithms).secretCount
        return try importKey(
            chain, name: name, secret: SecretBytes.random(count: count), account: account,
            network: network, passphrase: passphrase)
    }

    /// Puts the text of a policy in force, after the passphrase; a policy with errors is refused.
    ///
    /// The vault is locked afterwards.
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
