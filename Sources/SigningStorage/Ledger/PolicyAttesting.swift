// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningVault

extension Vault {
    /// Records a policy in a ledger and puts it in force; needs an unlocked vault.
    ///
    /// `governance` are the policy's demands for the owner's acts; `consent` is the consent to this
    /// act.
    package func attest(
        policy source: [UInt8], hash: [UInt8], demanding governance: Governance = .none,
        at time: Timestamp, _ consent: ActConsent = .none, in ledger: SQLiteLedger
    ) throws(AttestingError) {
        try attest(policy: source, hash: hash, at: time) { logKey throws(LedgerError) in
            try ledger.recordAttesting(
                policyHash: hash, demanding: governance, source: source, at: time, consent,
                signedBy: logKey)
        }
    }
}
