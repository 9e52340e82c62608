// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore
internal import SigningFiles
package import SigningPolicy
package import SigningStorage
package import SigningVault

/// The attested policy of a home, until another is attested.
///
/// A policy that is attested while a person is asked counts at once. Step 7 asks for the hash
/// again, so that no request under an older policy is carried out.
package struct PolicyInForce: Policy {
    private let policy: any Policy
    private let vault: Vault
    private let isValid: @Sendable () -> Bool
    /// Called with each judgement, if there is a shadow policy.
    private let note: (@Sendable (JudgedRequest, Judgement) -> Void)?

    /// Ties a policy to the vault's state; it also ends when `isValid` returns false.
    package init(
        _ policy: any Policy, of vault: Vault,
        noting note: (@Sendable (JudgedRequest, Judgement) -> Void)? = nil,
        while isValid: @escaping @Sendable () -> Bool = { true }
    ) {
        self.policy = policy
        self.vault = vault
        self.note = note
        self.isValid = isValid
    }

    /// The hash of the policy; empty if another is in force now.
    package var hash: [UInt8] {
        let isCurrent = isValid() && (try? vault.isInForce(policyHash: policy.hash)) ?? false
        return isCurrent ? policy.hash : [UInt8](repeating: 0, count: policy.hash.count)
    }

    /// Returns whether rules can name the fact.
    package func understands(_ fact: Fact, of protocolID: ProtocolID) -> Bool {
        policy.understands(fact, of: protocolID)
    }

    /// Judges a request by the rules.
    package func judge(
        _ request: JudgedRequest, usage: some LimitUsage
    ) throws(LedgerError) -> Judgement {
        let judgement = try policy.judge(request, usage: usage)
        note?(request, judgement)
        return judgement
    }
}

extension OpenHome {
    /// Returns the policy that judges: the one attested last, independent of policy.toml.
    package func attestedPolicy() throws(ServiceError) -> TOMLPolicy { try inForce().policy }

    /// Returns whether requests under the policy in force can be reserved: false if the record
    /// names another policy.
    package func isPolicyMarked(in ledger: SQLiteLedger) throws(ServiceError) -> Bool {
        let policy = try attestedPolicy()
        do throws(LedgerError) {
            return try ledger.marks(policyHash: policy.hash)
        } catch {
            throw ServiceError(error)
        }
    }

    /// Refuses a vault whose policy is not the one attested last.
    ///
    /// Such a vault was restored to an older state and lacks the newest policy.
    package func checkPolicyIsNewest(_ ledger: SQLiteLedger) throws {
        let attested = try vault.attestedPolicy()
        let recorded = try ledger.lastAttestedHash()
        guard attested?.hash == recorded else {
            let isShared = (try? ledger.isShared()) ?? false
            throw ServiceError(
                "the policy in the vault is not the policy that was attested last",
                hint: isShared
                    ? "to use the policy that another hub attested: countersign policy sync"
                    : "check policy.toml, then countersign policy attest")
        }
    }

    /// Returns the reason that policy.toml is not the policy in force, with the remedy; nil if it
    /// is.
    package func policyNote() -> (state: String, fix: String)? {
        guard let terms = try? vault.terms() else { return nil }
        guard let attested = terms.policy else {
            return ("no policy is in force", "countersign policy attest")
        }
        let kept = "the policy attested at \(attested.time.utcText) stays in force"
        // The usual case needs no parsing of rules.
        if (try? PolicyFile.read(home.policyPath)) == attested.source { return nil }
        do throws(ServiceError) {
            let loaded = try PolicyLoading.load(path: home.policyPath, adapters: adapters)
            guard let policy = loaded.policy else {
                return (
                    "policy.toml has \(loaded.mistakes); \(kept)", "countersign policy check"
                )
            }
            guard policy.hash != attested.hash else { return nil }
            return ("policy.toml was changed; \(kept)", "countersign policy attest")
        } catch {
            // Opening a named pipe would wait for its other end.
            let isMissing = unsafe access(home.policyPath, F_OK) != 0 && errno == ENOENT
            let fix = isMissing ? "put the file back, or countersign policy use" : error.hint
            return ("\(error.message); \(kept)", fix ?? "countersign policy check")
        }
    }
}

extension TOMLPolicy {
    /// A limit without effect, in a policy that was attested before such limits were refused.
    package var openBudget: Diagnostic? { findings.first { $0.code == "P0209" } }
}
