// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCodecs
import SigningCrypto
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningVault

extension Workspace {
    /// Reports every change of a policy compared with the one in force, and its keys that the home
    /// lacks.
    func reportDifference(to policy: TOMLPolicy, _ console: Console) {
        let accounts = (try? vault.accounts()) ?? []
        for unheld in policy.unheldKeys(among: accounts.map(\.name)) {
            console.warn(unheld.text, hint: "countersign key list")
        }
        if let networks = try? NetworkText.named(in: vault) {
            for found in PolicyFindings.unknownNetworks(in: policy, besides: networks) {
                console.warn(found.message, hint: "countersign network list")
            }
        }
        for found in PolicyFindings.beforeAttesting(policy) {
            console.warn(found.message, hint: "countersign agent token new --name NAME")
        }
        guard let old = try? attestedPolicy(), old.hash != policy.hash else { return }
        console.note(PolicyComparison(from: old, to: policy, held: accounts).fullText)
    }

    /// The maximum number of kept copies of policy.toml.
    static let policyCopiesMax = 10_000

    /// Replaces policy.toml; returns the name of the copy of the old file, if there was one.
    func replacePolicyFile(by source: [UInt8]) throws -> String? {
        let kept = try keepPolicyFile()
        try ReplacedFile.write(source, to: home.policyPath)
        return kept
    }

    /// Links policy.toml to a new name, so that no copy is ever overwritten.
    private func keepPolicyFile() throws -> String? {
        for number in 1...Self.policyCopiesMax {
            if unsafe link(home.policyPath, "\(home.policyPath).\(number)") == 0 {
                return "policy.toml.\(number)"
            }
            if errno == ENOENT { return nil }
            if errno != EEXIST { break }
        }
        throw ServiceError(
            "the old policy.toml cannot be kept under another name",
            hint: "move policy.toml away, then try again")
    }
}

extension TOMLPolicy {
    /// `1 rule`, `2 rules`.
    var ruleCountText: String {
        let count = document.ruleIDs.count
        return "\(count) \(count == 1 ? "rule" : "rules")"
    }

    /// Reports that the policy is in force now.
    func reportInForce(_ console: Console) {
        console.done(
            [
                "hash": .string(Hex.encode(hash.span)),
                "rules": .integer(Int64(document.ruleIDs.count)),
            ], "in force: \(ruleCountText), hash \(shortHash)")
    }

    /// The first digits of the hash, enough to compare policies by eye.
    var shortHash: Substring { Hex.encode(hash.span).prefix(16) }
}
