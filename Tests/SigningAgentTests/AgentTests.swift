// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Foundation
import Nostr
import SigningAgent
import SigningCore
import SigningCrypto
import SigningFiles
import SigningHome
import SigningService
import SigningTesting
import SigningVault
import Socket
import TestHome
import Testing

@testable import SigningStorage

@Suite("The agent", .timeLimit(.minutes(10)))
struct AgentTests {
    @Test("an allowed request is signed, a denied one is denied, and neither waits")
    func judged() async throws {
        let rig = try await Rig(asking: NoApproval())
        let allowed = try await rig.post(kind: 1)
        #expect(allowed.status == 201 && allowed.state == "done")
        #expect(allowed.reply?.hasPrefix("myapp://signed?") == true)
        let denied = try await rig.post(kind: 5)
        #expect(denied.status == 201 && denied.state == "denied")
        #expect(denied.code == "policy_denied")
        let asked = try await rig.post(kind: 4)
        #expect(asked.state == "denied" && asked.code == "approval_unavailable")
        try await rig.stop()
    }

    @Test("the record's newest place is signed while it runs, and an obstacle is reported")
    func checkpoints() async throws {
        let rig = try await Rig(asking: NoApproval(), checkpointPause: .milliseconds(100))
        let before = try rig.home.vault.lastCheckpoint()?.sequence ?? 0
        #expect(try await rig.post(kind: 1).state == "done")
        while try rig.home.vault.lastCheckpoint()?.sequence ?? 0 <= before {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(rig.states.problems.isEmpty)
        try FileManager.default.removeItem(atPath: rig.home.home.vaultPath)
        while rig.states.problems.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
    }

    @Test("a request that needs a person waits for the person")
    func decided() async throws {
        let person = HeldApproval()
        let rig = try await Rig(asking: person)
        let pending = try await rig.post(kind: 4, waitSeconds: 0)
        #expect(pending.status == 202 && pending.state == "pending")
        await person.isAsked()
        person.say(yes: true)
        let done = try await rig.ask("GET", "\(pending.place)?wait_seconds=60")
        #expect(done.state == "done" && done.reply?.hasPrefix("myapp://signed?") == true)
        let second = try await rig.post(kind: 4, waitSeconds: 0)
        await person.isAsked(times: 2)
        person.say(yes: false)
        let denied = try await rig.ask("GET", "\(second.place)?wait_seconds=60")
        #expect(denied.state == "denied" && denied.code == "person_denied")
        try await rig.stop()
    }

    @Test("a request that is withdrawn takes its question with it")
    func withdrawn() async throws {
        let person = HeldApproval()
        let rig = try await Rig(asking: person)
        let pending = try await rig.post(kind: 4, waitSeconds: 0)
        await person.isAsked()
        let gone = try await rig.ask("DELETE", pending.place)
        #expect(gone.status == 200 && gone.state == "denied")
        #expect(gone.code == "withdrawn" && person.withdrawnCount == 1)
        try await rig.stop()
    }

    @Test("it stops after the requests in flight, signs the record and locks the vault")
    func stops() async throws {
        let person = HeldApproval()
        let rig = try await Rig(asking: person)
        #expect(Agent.obstacle(in: rig.home, rig.signer) == nil)
        let waiting = Task { try await rig.post(kind: 4) }
        await person.isAsked()
        async let stopped: Void = rig.stop()
        person.say(yes: true)
        #expect(try await waiting.value.state == "done")
        try await stopped
        #expect(!rig.home.vault.isUnlocked)
        #expect(Agent.obstacle(in: rig.home, rig.signer) == "the vault is locked")
        #expect(rig.states.all.suffix(2) == [.draining, .closed])
    }

    @Test("it cannot sign while signing is frozen, nor with a policy mark that does not fit")
    func notReady() async throws {
        let home = try AgentHome()
        let signer = try LocalSigner(of: home.open)
        func passphrase() -> SecretBytes { SecretBytes(copying: "correct horse".utf8.span) }
        func obstacle() -> String? { Agent.obstacle(in: home.open, signer) }
        try signer.unlock(passphrase: passphrase())
        #expect(obstacle() == nil)
        try home.open.freeze(because: "holiday")
        #expect(obstacle() == "frozen: the owner stopped all signing (holiday)")
        try await home.open.thaw(passphrase: passphrase())
        try signer.unlock(passphrase: passphrase())
        #expect(obstacle() == nil)
        let database = try Database<LedgerError>(
            path: home.open.home.ledgerPath, schema: .ledger, .existing)
        func setMark(_ value: String) throws {
            try database.write { access throws(LedgerError) in
                try access.run("UPDATE meta SET value = ? WHERE name = 'policy'", .text(value))
            }
        }
        try setMark("1 " + String(repeating: "00", count: 32))
        #expect(obstacle() == "the record names another policy as the one in force")
        try setMark("x")
        #expect(obstacle()?.contains("the mark of the policy in force has an unknown form") == true)
    }

    @Test("a request that still waits when the time is over is denied")
    func cutOff() async throws {
        let person = HeldApproval()
        let rig = try await Rig(asking: person, drainSeconds: 0)
        let waiting = Task { try await rig.post(kind: 4) }
        await person.isAsked()
        try await rig.stop()
        #expect(try await waiting.value.code == "withdrawn")
        #expect(person.withdrawnCount == 1)
    }

    @Test("a home has one agent")
    func lockFile() throws {
        let home = try AgentHome()
        let lockFile = try AgentLockFile(of: home.open)
        #expect(throws: ServiceError.self) { try AgentLockFile(of: home.open) }
        withExtendedLifetime(lockFile) {}
    }

    @Test("an agent waits until the helpers of a killed agent have ended")
    func ending() throws {
        let home = try AgentHome()
        let helper = unsafe open(home.open.home.agentLockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(helper, LOCK_EX | LOCK_NB) == 0)
        Thread.detachNewThread {
            usleep(100_000)
            close(helper)
        }
        _ = try AgentLockFile(of: home.open)
    }

    @Test("a transport that cannot begin ends it with the reason")
    func cannotBegin() async throws {
        let home = try AgentHome()
        let signer = try LocalSigner(of: home.open)
        let lock = AgentLock(of: home.open, by: signer, after: .standard)
        do throws(ServiceError) {
            let agent = Agent(
                of: home.open, by: signer, lockedBy: lock,
                following: HomeWatch(of: home.open, records: [signer.ledger]))
            try await agent.run(BrokenTransport(), { _ in })
            Issue.record("it ran")
        } catch {
            #expect(error.message == "broken" && error.hint == "mend it")
        }
    }
}

private struct BrokenTransport: Transport {
    let channel: ChannelName = "broken"
    let limits = TransportLimits()

    func run(
        _: some Signer, _: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError) {
        throw TransportError("broken", hint: "mend it")
    }
}

/// A home with one Nostr key and rules for it; its folder is removed at the end.
final class AgentHome: Sendable {
    let open: OpenHome
    private let folder = TemporaryFolder()
    var path: String { folder.path }

    init() throws {
        let passphrase = SecretBytes(copying: "correct horse".utf8.span)
        try OpenHome.create(at: folder.path, speaking: .builtIn, passphrase: passphrase)
        open = try OpenHome(at: folder.path, speaking: .builtIn)
        try open.makeKey(.nostr, name: "app", passphrase: passphrase)
        try open.attest(
            policy: """
                version = 1
                default = "ask"
                [[rule]]
                id = "notes"
                effect = "allow"
                channel = "socket"
                protocol = "nostr"
                operation = "sign_event"
                kind = 1
                acknowledge = ["new_client"]
                [[rule]]
                id = "no"
                effect = "deny"
                protocol = "nostr"
                operation = "sign_event"
                kind = 5
                """, passphrase: passphrase)
        open.vault.lock()
    }
}
