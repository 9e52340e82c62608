// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
internal import SigningFiles
internal import SigningPolicy
internal import SigningStorage
internal import SigningVault

extension OpenHome {
    /// Puts a policy of the program's own in force, after the passphrase.
    ///
    /// The vault seals its hash, and the record names it. `text` describes the policy; it must not
    /// be a policy of rules. From then on only a signer with this policy signs, because no other
    /// program can judge by it. The vault is locked afterwards.
    public func attest(
        _ policy: some Policy, describedBy text: String, passphrase: borrowing SecretBytes
    ) throws(ServiceError) {
        let source = Array(text.utf8)
        let loaded = PolicyLoading(source, fileName: "the text", adapters: adapters)
        guard loaded.policy == nil else {
            throw ServiceError(
                "the text that describes the policy is itself a policy of rules",
                hint: "put rules in force with attest(policy:passphrase:)")
        }
        guard policy.hash.count == Self.policyHashCount, policy.hash.contains(where: { $0 != 0 })
        else {
            throw ServiceError(
                "the hash of a policy has \(Self.policyHashCount) bytes, not all zero",
                hint: "hash everything that decides")
        }
        defer { vault.lock() }
        do {
            try unlock(passphrase)
            let ledger = try openLedger()
            try ledger.catchUp()
            let act = try ledger.act(puttingInForce: policy.hash, demanding: .none)
            try checkMayAttest(source, in: ledger)
            let consent = try governance(over: act, in: ledger).alone
            try vault.attest(
                policy: source, hash: policy.hash, at: SystemEnvironment().now(), consent,
                in: ledger)
            try checkpointAtExit(ledger)
        } catch {
            throw ServiceError(error)
        }
    }

    private static let policyHashCount = 32
}
