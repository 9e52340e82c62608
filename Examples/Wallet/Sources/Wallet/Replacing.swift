// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningService
import SigningTesting

/// A signer with parts of the app's own: keys, policy and record.
struct Replacing {
    func run() async throws {
        try await keys()
        try await policy()
        try await ledger()
    }

    /// Keys outside of the vault, under the policy and on the durable record of the home.
    private func keys() async throws {
        let wallet = try Wallet()
        let keys = try CardKeys(name: "card")
        try wallet.home.attest(policy: Self.rules, passphrase: wallet.passphrase)
        let signer = try LocalSigner(of: wallet.home, with: OwnParts(keyStore: keys))
        try expect("locked", await signer.answer(Wallet.note()).code, "key_unavailable")
        try signer.unlock(passphrase: wallet.passphrase)
        try expect("signed by own keys", await signer.answer(Wallet.note()).code, "done")
        try expect("uses of own keys", keys.usesCount, 1)
        try signer.finish()
        try expect(
            "on the durable record", try wallet.home.record(last: 1).first?.kind, "result")
        try expect("keys in the vault", try wallet.home.accounts().count, 0)
    }

    /// A policy in code, which the vault seals by its hash.
    private func policy() async throws {
        let wallet = try Wallet()
        try wallet.home.makeKey(.nostr, name: "app", passphrase: wallet.passphrase)
        let policy = OnlyNotes()
        try wallet.home.attest(
            policy, describedBy: "Only notes are signed.", passphrase: wallet.passphrase)
        let signer = try LocalSigner(of: wallet.home, with: OwnParts(policy: policy))
        try signer.unlock(passphrase: wallet.passphrase)
        try expect("by own policy", await signer.answer(Wallet.note()).code, "done")
        try expect(
            "against own policy", await signer.answer(Wallet.note(kind: 7)).code, "policy_denied")
        // Another policy than the attested one signs nothing.
        let other = try LocalSigner(
            of: wallet.home, with: OwnParts(policy: FixedPolicy(.allow([]))))
        try other.unlock(passphrase: wallet.passphrase)
        try expect(
            "by a policy that was not attested", await other.answer(Wallet.note()).code,
            "policy_changed")
    }

    /// A record of the app's own; a freeze of the home still counts.
    private func ledger() async throws {
        let wallet = try Wallet()
        try wallet.home.makeKey(.nostr, name: "app", passphrase: wallet.passphrase)
        try wallet.home.attest(policy: Self.rules, passphrase: wallet.passphrase)
        let ledger = MemoryLedger()
        let signer = try LocalSigner(of: wallet.home, with: OwnParts(ledger: ledger))
        try signer.unlock(passphrase: wallet.passphrase)
        try expect("on own record", await signer.answer(Wallet.note()).code, "done")
        try expect("intents of own record", ledger.intents.count, 1)
        try wallet.home.freeze(because: "stop")
        try expect("in a freeze", await signer.answer(Wallet.note()).code, "key_unavailable")
    }

    private static let rules = """
        version = 2
        default = "deny"
        [[rule]]
        id = "notes"
        effect = "allow"
        protocol = "nostr"
        operation = "sign_event"
        kind = 1
        acknowledge = ["new_client"]
        """
}

/// A policy in code: it allows notes and denies everything else.
struct OnlyNotes: Policy {
    /// The hash of a text that changes with the code.
    let hash = Digest.sha256("only notes, version 1".utf8.span)

    func understands(_ fact: Fact, of protocolID: ProtocolID) -> Bool { protocolID == .nostr }

    func judge(
        _ request: JudgedRequest, usage _: some LimitUsage
    ) throws(LedgerError) -> Judgement {
        let isNote = request.operations.allSatisfy { operation in
            operation.facts.contains(Fact("kind", .integer(1)))
        }
        guard isNote, !request.operations.isEmpty else {
            return Judgement(
                verdict: .deny([Reason(.policyDenied, "only notes are signed")]), claims: [],
                policyHash: hash)
        }
        return Judgement(
            verdict: .allow([Reason(.policyDenied, "it is a note", rule: "note")]), claims: [],
            acknowledged: request.operations.map { request.dangers + $0.dangers },
            policyHash: hash)
    }
}
