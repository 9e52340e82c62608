// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
internal import SigningFiles
internal import SigningStorage
internal import SigningVault

extension OpenHome {
    /// Imports a key from its secret, after the passphrase; the address is derived.
    ///
    /// `SecretText` reads the text forms of secrets, such as `nsec1...`. The other arguments are
    /// those of `makeKey`. The vault is locked afterwards.
    @discardableResult
    public func importKey(
        _ chain: some Chain, name: String, secret: borrowing SecretBytes,
        account: String? = nil, network: String? = nil, passphrase: borrowing SecretBytes
    ) throws(ServiceError) -> Account {
        guard protocols.chain(named: chain.protocolID.name) != nil else {
            throw .misuse(
                "this home does not support keys of \(chain.protocolID)",
                hint: "open it with that protocol")
        }
        let publicKey = try chain.publicKey(of: secret, among: protocols.algorithms)
        let address = try chain.account(of: publicKey, given: account)
        let network = try chain.network(network)
        // Data from before the change must not be compared with the data after it.
        defer { vault.lock() }
        do {
            return try change(with: passphrase) { vault in
                try vault.add(
                    name: name, protocolID: chain.protocolID, algorithm: chain.algorithm,
                    address: address, network: network, secret: secret,
                    servesAccounts: chain.namesAccounts)
            }
        } catch {
            throw ServiceError(error)
        }
    }

    /// Returns the secret of a key to its owner, after the passphrase and once the export is on
    /// record.
    ///
    /// It is refused during a freeze, and if the policy demands that several people approve an
    /// export: those are asked by the command line. `SecretText` writes the text forms. The vault
    /// is locked afterwards.
    public func exportKey(
        named name: String, passphrase: borrowing SecretBytes
    ) throws(ServiceError) -> SecretBytes {
        let account = try account(named: name)
        guard !account.isWatchOnly else { throw VaultError.noSecret(name: name).explained }
        defer { vault.lock() }
        do {
            try unlock(passphrase)
            let ledger = try openLedger()
            let form = "bytes"
            let consent = try governance(over: .export(account.id, form: form), in: ledger).alone
            let secret = try vault.exportSecret(of: account, passphrase: passphrase)
            try ledger.recordExport(of: account, form: form, at: SystemEnvironment().now(), consent)
            try checkpointAtExit(ledger)
            return secret
        } catch {
            throw ServiceError(error)
        }
    }
}
