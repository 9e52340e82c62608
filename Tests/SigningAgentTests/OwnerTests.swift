// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Foundation
import Nostr
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningTesting
import SigningVault
import Testing

@testable import SigningAgent

@Suite("The owner of an agent", .timeLimit(.minutes(10)))
struct OwnerTests {
    private func sealed(_ text: String, for rig: Rig) throws -> SealedPassphrase {
        try SealedPassphrase(
            sealing: SecretBytes(copying: text.utf8.span), to: rig.owner.publicKey)
    }

    private func body(_ text: String, for rig: Rig) throws -> String {
        #"{"passphrase":"\#(try sealed(text, for: rig).text)"}"#
    }

    @Test("any program locks, the sealed passphrase unlocks, and requests are judged all the while")
    func lock() async throws {
        let rig = try await Rig(asking: NoApproval())
        let key = try await rig.ask("GET", "/v1/owner/key")
        #expect(key.body.contains(Data(rig.owner.publicKey).base64EncodedString()))
        #expect(try await rig.ask("POST", "/v1/lock").state == "locked")
        #expect(!rig.home.vault.isUnlocked)
        #expect(try await rig.post(kind: 5).code == "policy_denied")
        let failed = try await rig.post(kind: 1)
        #expect(failed.state == "failed" && failed.code == "key_unavailable")
        let body = try body("correct horse", for: rig)
        #expect(try await rig.ask("POST", "/v1/unlock", body).state == "unlocked")
        #expect(try await rig.post(kind: 1).state == "done")
        try await rig.stop()
    }

    @Test("a wrong passphrase makes the next wait, the right one as well")
    func delays() async throws {
        let rig = try await Rig(asking: NoApproval())
        rig.home.vault.lock()
        for seconds in [1, 2, 4] {
            let wrong = try await rig.ask("POST", "/v1/unlock", try body("wrong", for: rig))
            #expect(wrong.status == 403 && wrong.code == "wrong_passphrase")
            #expect(wrong.retrySeconds == seconds)
            if seconds < 4 { rig.clock.pass(.seconds(seconds)) }
        }
        let right = try body("correct horse", for: rig)
        let early = try await rig.ask("POST", "/v1/unlock", right)
        #expect(early.status == 429 && early.code == "too_soon" && early.retrySeconds == 4)
        rig.clock.pass(.seconds(4))
        #expect(try await rig.ask("POST", "/v1/unlock", right).state == "unlocked")
        #expect((0..<9).map(OwnerCheck.delay) == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        try await rig.stop()
    }

    @Test("of two passphrases at one time one is turned away")
    func oneAtATime() async throws {
        let rig = try await Rig(asking: NoApproval())
        let passphrase = try sealed("correct horse", for: rig)
        let results = await withTaskGroup(of: OwnerCheck.Refusal?.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do throws(OwnerCheck.Refusal) {
                        try await rig.owner.verify(passphrase)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(results) == [nil, .busy])
        try await rig.stop()
    }

    @Test("verifying distinguishes right from wrong, and needs an unlocked vault")
    func verify() async throws {
        let rig = try await Rig(asking: NoApproval())
        try await rig.owner.verify(try sealed("correct horse", for: rig))
        await #expect(throws: OwnerCheck.Refusal.wrong(seconds: 1)) {
            try await rig.owner.verify(try sealed("correct hors", for: rig))
        }
        rig.home.vault.lock()
        await #expect(throws: OwnerCheck.Refusal.self) {
            try await rig.owner.verify(try sealed("correct horse", for: rig))
        }
        try await rig.stop()
    }

    @Test(
        "a box for another agent is not tried, and delays nothing",
        arguments: ["", "{", "[]", "{}", #"{"passphrase":"correct horse"}"#, #"{"pass":""}"#])
    func unreadable(body: String) async throws {
        let rig = try await Rig(asking: NoApproval())
        rig.home.vault.lock()
        #expect(try await rig.ask("POST", "/v1/unlock", body).status == 400)
        let other = try SealedPassphrase(
            sealing: SecretBytes(copying: "correct horse".utf8.span),
            to: SealedBoxKey().publicKey)
        let answer = try await rig.ask(
            "POST", "/v1/unlock", #"{"passphrase":"\#(other.text)"}"#)
        #expect(answer.status == 400 && answer.code == "not_sealed")
        #expect(try await rig.ask("GET", "/v1/unlock").status == 405)
        #expect(try await rig.ask("GET", "/v1/lock").status == 405)
        let right = try self.body("correct horse", for: rig)
        #expect(try await rig.ask("POST", "/v1/unlock", right).state == "unlocked")
        try await rig.stop()
    }

    @Test("a decision made while locked is void where the owner changed the vault")
    func overturned() async throws {
        let person = HeldApproval()
        let rig = try await Rig(asking: person)
        rig.home.vault.lock()
        let pending = try await rig.post(kind: 4, waitSeconds: 0)
        await person.isAsked()
        let others = try OpenHome(at: rig.home.home.path, speaking: .builtIn)
        try others.makeKey(
            .nostr, name: "new", passphrase: SecretBytes(copying: "correct horse".utf8.span))
        try await rig.owner.unlock(try sealed("correct horse", for: rig))
        person.say(yes: true)
        let answer = try await rig.ask("GET", "\(pending.place)?wait_seconds=60")
        #expect(answer.state == "denied" && answer.code == "policy_changed")
        try await rig.stop()
    }

    @Test("a decision made while locked is kept where nothing changed")
    func upheld() async throws {
        let person = HeldApproval()
        let rig = try await Rig(asking: person)
        let pending = try await rig.post(kind: 4, waitSeconds: 0)
        await person.isAsked()
        rig.home.vault.lock()
        try await rig.owner.unlock(try sealed("correct horse", for: rig))
        person.say(yes: true)
        let answer = try await rig.ask("GET", "\(pending.place)?wait_seconds=60")
        #expect(answer.state == "done")
        try await rig.stop()
    }
}
