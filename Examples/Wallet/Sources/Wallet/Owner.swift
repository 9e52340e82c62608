// SPDX-License-Identifier: Apache-2.0

import Foundation
import Nostr
import SigningErrors
import SigningService

/// The acts of an owner: keys, policy, record, remembered answers, limits and freeze.
struct Owner {
    private let wallet: Wallet
    private var home: OpenHome { wallet.home }

    init() throws { wallet = try Wallet() }

    func run() async throws {
        try keys()
        let person = Person()
        let signer = try LocalSigner(of: home, asking: person)
        try policy()
        try signer.unlock(passphrase: wallet.passphrase)
        try expect("a note", await signer.answer(Wallet.note()).code, "done")
        try expect("another note", await signer.answer(Wallet.note()).code, "done")
        try expect("questions so far", person.questionsCount, 0)
        try expect("a reaction", await signer.answer(Wallet.note(kind: 7)).code, "done")
        try expect("another one", await signer.answer(Wallet.note(kind: 7)).code, "done")
        // The first answer was remembered.
        try expect("questions now", person.questionsCount, 1)
        try signer.finish()
        try limits()
        try grants()
        try record()
        try await freeze(signer)
        try signer.finish()
    }

    private func keys() throws {
        let made = try home.makeKey(.nostr, name: "app", passphrase: wallet.passphrase)
        // The secret stays in memory that is locked and erased.
        let secret = try home.exportKey(named: "app", passphrase: wallet.passphrase)
        let other = try Wallet()
        let text = SecretText.nsec(of: secret)
        let moved = try other.home.importKey(
            .nostr, name: "moved", secret: try SecretText.nostr(text),
            passphrase: other.passphrase)
        try expect("same key", moved.publicKey == made.publicKey, true)
        try expect("keys", try home.accounts().map(\.name), ["app"])
    }

    private func policy() throws {
        do {
            try home.attest(policy: "default = 1", passphrase: wallet.passphrase)
        } catch {
            // Errors say what is wrong, and how to correct it.
            print("refused: \(error.localizedDescription)")
        }
        try home.attest(
            policy: """
                version = 2
                default = "ask"
                [[rule]]
                id = "notes"
                effect = "allow"
                protocol = "nostr"
                operation = "sign_event"
                kind = 1
                client = "myapp"
                acknowledge = ["new_client"]
                limit = [{ count = 2, per = "1d" }]
                """, passphrase: wallet.passphrase)
    }

    private func limits() throws {
        let limit = try home.limits().first
        try expect("limit of", limit?.rule, "notes")
        try expect("left", limit?.trace.left, 0)
    }

    private func grants() throws {
        let grants = try home.grants()
        try expect("remembered answers", grants.count, 1)
        try home.revoke(grants)
        try expect("revoked", try home.grants().first?.revoked != nil, true)
    }

    private func record() throws {
        let kinds = try home.record(last: 100).map(\.kind)
        try expect("signed, by the record", kinds.count { $0 == "result" }, 4)
        try expect("exported, by the record", kinds.count { $0 == "export" }, 1)
    }

    private func freeze(_ signer: LocalSigner) async throws {
        try home.freeze(because: "lost my phone")
        try expect("frozen", try home.freezeReason(), "lost my phone")
        let reaction = Wallet.note(kind: 7)
        try expect("a reaction in a freeze", await signer.answer(reaction).code, "frozen")
        try await home.thaw(passphrase: wallet.passphrase)
        try expect("frozen", try home.freezeReason(), nil)
    }
}
