// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCore
import SigningCrypto
import SigningService
import SigningStorage
import SigningTesting
import SigningVault
import TestHome
import Testing

@Suite("A signer with parts of its program's own")
struct OwnPartsTests {
    private static let rules = """
        version = 1
        default = "deny"
        [[rule]]
        id = "all"
        effect = "allow"
        protocol = "nostr"
        acknowledge = ["new_client"]
        """

    private func code(_ signer: LocalSigner, _ frame: Frame) async -> String {
        switch await signer.answer(frame).ending {
        case .outcome(.done): "done"
        case .outcome(.denied(let reason)), .outcome(.failed(let reason)): reason.code.rawValue
        case .refused(let error): error.code
        }
    }

    private func ownKeys(of home: OpenHome) throws -> RecordingKeyStore {
        RecordingKeyStore(try home.accounts(), domains: NostrChain.domains)
    }

    @Test("own keys are used under the sealed policy only, and only while the vault is unlocked")
    func keys() async throws {
        let rig = try Rig()
        let keys = try ownKeys(of: rig.home)
        let signer = try LocalSigner(of: rig.home, with: OwnParts(keyStore: keys))
        #expect(await code(signer, rig.note(kind: 1)) == "key_unavailable")
        #expect(keys.usesCount == 0)
        try signer.unlock(passphrase: rig.passphrase)
        _ = await signer.answer(rig.note(kind: 1))
        #expect(keys.usesCount == 1)
        try signer.finish()
        #expect(try rig.home.record(last: 1).first?.kind == "result")
        try rig.home.freeze(because: "stop")
        #expect(await code(signer, rig.note(kind: 1)) == "frozen")
        #expect(keys.usesCount == 1)
    }

    @Test("a policy of the program's own counts once it is attested, and rules not any more")
    func policy() async throws {
        let rig = try Rig()
        let own = FixedPolicy(.allow([]), hashByte: 7)
        let early = try LocalSigner(of: rig.home, with: OwnParts(policy: own))
        try early.unlock(passphrase: rig.passphrase)
        #expect(await code(early, rig.note(kind: 7)) == "policy_changed")
        try rig.home.attest(own, describedBy: "Everything.", passphrase: rig.passphrase)
        let signer = try LocalSigner(of: rig.home, with: OwnParts(policy: own))
        try signer.unlock(passphrase: rig.passphrase)
        #expect(await code(signer, rig.note(kind: 7)) == "done")
        #expect(throws: ServiceError.self) { try LocalSigner(of: rig.home) }
        // Rules put an end to it.
        try rig.home.attest(policy: Self.rules, passphrase: rig.passphrase)
        try signer.unlock(passphrase: rig.passphrase)
        #expect(await code(signer, rig.note(kind: 7)) == "policy_changed")
    }

    @Test("a text of rules, and a hash of zeros, are no description and no policy")
    func badPolicy() throws {
        let rig = try Rig()
        let before = try rig.home.attestedPolicy().hash
        #expect(throws: ServiceError.self) {
            try rig.home.attest(
                FixedPolicy(.ask), describedBy: Self.rules, passphrase: rig.passphrase)
        }
        #expect(throws: ServiceError.self) {
            try rig.home.attest(
                FixedPolicy(.ask, hashByte: 0), describedBy: "None.", passphrase: rig.passphrase)
        }
        #expect(try rig.home.attestedPolicy().hash == before)
    }

    @Test("an own record takes the requests, and a freeze of the home stops them")
    func ledger() async throws {
        let rig = try Rig()
        let ledger = MemoryLedger()
        let signer = try LocalSigner(of: rig.home, with: OwnParts(ledger: ledger))
        try signer.unlock(passphrase: rig.passphrase)
        let entries = try rig.home.record(last: 100).count
        #expect(await code(signer, rig.note(kind: 1)) == "done")
        #expect(ledger.intents.count == 1)
        #expect(try rig.home.record(last: 100).count == entries)
        try rig.home.freeze(because: "stop")
        #expect(await code(signer, rig.note(kind: 1)) == "key_unavailable")
    }
}

@Suite("The acts of an owner by the library")
struct OwnersActsTests {
    @Test("an exported key is on record, and the same key elsewhere; a freeze stops exports")
    func export() async throws {
        let (rig, other) = (try Rig(), try Rig())
        let secret = try rig.home.exportKey(named: "app", passphrase: rig.passphrase)
        let moved = try other.home.importKey(
            .nostr, name: "moved", secret: secret, passphrase: other.passphrase)
        #expect(try moved.publicKey == rig.home.account(named: "app").publicKey)
        #expect(try rig.home.record(last: 1).first?.kind == "export")
        #expect(throws: ServiceError.self) {
            _ = try rig.home.exportKey(
                named: "app", passphrase: SecretBytes(copying: "no".utf8.span))
        }
        try rig.home.freeze(because: "lost")
        #expect(try rig.home.freezeReason() == "lost")
        #expect(throws: ServiceError.self) {
            _ = try rig.home.exportKey(named: "app", passphrase: rig.passphrase)
        }
        #expect(try rig.home.record(last: 100).count { $0.kind == "export" } == 1)
        #expect(try await rig.home.thaw(passphrase: rig.passphrase))
        #expect(try await !rig.home.thaw(passphrase: rig.passphrase))
    }

    @Test("where several people must approve an export and a thaw, the owner alone does neither")
    func governed() async throws {
        let rig = try Rig()
        let approvers = try TestHome([])
        let keys = try ["alice", "bob"].map { try approvers.vault.makeApproverKey(named: $0) }
        let names = keys.map { "\($0.name) = \"\($0.publicKey.approverText)\"" }
        try rig.home.attest(
            policy: """
                version = 1
                default = "deny"
                [approvers]
                \(names.joined(separator: "\n"))
                [governance]
                export = { min = 2, of = ["alice", "bob"] }
                thaw = { min = 1, of = ["alice", "bob"] }
                """, passphrase: rig.passphrase)
        let refused = #expect(throws: ServiceError.self) {
            _ = try rig.home.exportKey(named: "app", passphrase: rig.passphrase)
        }
        #expect(refused?.message.hasPrefix("not approved") == true)
        try rig.home.freeze(because: "stop")
        let kept = await #expect(throws: ServiceError.self) {
            try await rig.home.thaw(passphrase: rig.passphrase)
        }
        #expect(kept?.message.hasPrefix("not approved") == true)
        #expect(try rig.home.freezeReason() == "stop")
        let asked = await #expect(throws: ServiceError.self) {
            try await OwnerActs.thaw.perform((), in: rig.home, with: rig.passphrase) {
                questions, text in
                throw ServiceError("\(questions.wanted.demands.count): \(text)", hint: nil)
            }
        }
        #expect(asked?.message.hasPrefix("1: allow signing again\n  frozen    ") == true)
        #expect(asked?.message.hasSuffix(": stop") == true)
        let wrong = await #expect(throws: ServiceError.self) {
            try await OwnerActs.thaw.perform(
                (), in: rig.home, with: SecretBytes(copying: "not this one".utf8.span)
            ) { questions, _ in questions.alone }
        }
        #expect(wrong?.message.contains("passphrase") == true)
        #expect(try rig.home.freezeReason() == "stop")
    }
}
