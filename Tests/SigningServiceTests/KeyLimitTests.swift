// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Nostr
import SigningCrypto
import SigningFiles
import SigningPolicy
import SigningService
import SigningStorage
import TestHome
import Testing

@testable import SigningCore

@Suite("A used-up limit by key")
struct KeyLimitTests {
    private let rig: Rig

    /// One note an hour for each key.
    init() throws {
        rig = try Rig()
        try rig.home.attest(
            policy: """
                version = 1
                default = "deny"
                [[rule]]
                id = "counted"
                effect = "allow"
                protocol = "nostr"
                operation = "sign_event"
                client = "myapp"
                acknowledge = ["new_client"]
                limit = [{ count = 1, per = "1h", by = ["key"] }]
                """, passphrase: rig.passphrase)
    }

    /// The home as a program finds it that starts now.
    private func opened() throws -> OpenHome {
        try OpenHome(at: rig.path, speaking: .builtIn)
    }

    private func isSigned() async throws -> Bool {
        let signer = try LocalSigner(of: opened())
        try signer.unlock(passphrase: rig.passphrase)
        let answer = await signer.answer(rig.note(kind: 1))
        try signer.finish()
        guard case .outcome(.done) = answer.ending else { return false }
        return true
    }

    private func only() throws -> Account { try #require(try opened().accounts().first) }

    private func rows() throws -> [String] {
        try OwnerActs.limitList.perform((), in: opened()).map(\.text)
    }

    @Test("stays used up under every name; another key of the same name has its own")
    func renamed() async throws {
        #expect(try await isSigned())
        #expect(try await !isSigned())
        let old = "counted [key=app]: 1 per 1h: 1 used, 0 left"
        #expect(try rows().map { String($0.prefix(old.count)) } == [old])
        let app = try only()
        _ = try opened().rename(app, to: "fresh", passphrase: rig.passphrase)
        #expect(try await !isSigned())
        #expect(try rows().allSatisfy { $0.hasPrefix("counted [key=fresh]: 1 per 1h: 1 used") })
        _ = try opened().rename(try only(), to: "app", passphrase: rig.passphrase)
        #expect(try await !isSigned())

        try OwnerActs.keyRemove.perform(try only(), in: opened(), with: rig.passphrase)
        try opened().makeKey(.nostr, name: "app", passphrase: rig.passphrase)
        #expect(try only().publicKey != app.publicKey)
        #expect(try await isSigned())
        #expect(try await !isSigned())
    }

    @Test("stays used up after an upgrade from a version that counted by the name")
    func upgraded() async throws {
        let app = try only()
        let policy = try opened().attestedPolicy()
        let ledger = try opened().openLedger()
        let now = SystemEnvironment().now()
        let claim = LimitClaim(
            counter: "counted#count[key=app]", window: .sliding(seconds: 3_600), maximum: 1,
            amount: 1)
        let intent = Intent(
            id: Randomness.bytes(16), time: now, adapter: AdapterID("nip155"),
            protocolID: app.protocolID, method: "sign_event", client: nil, channel: "app",
            login: nil, keys: [app.id], requestDigest: Randomness.bytes(32),
            policyHash: policy.hash, decidedBy: "policy", grants: [], scopes: [], facts: [[]],
            decoding: .full, frameBytes: 1, rules: ["counted"], effects: [], dangers: [],
            claims: [claim], replayToken: nil, serials: [], tokenWasSeen: nil)
        try await ledger.reserve(intent, currentPolicyHash: policy.hash)
        #expect(try await !isSigned())
        #expect(try rows().allSatisfy { $0.hasPrefix("counted [key=app]: 1 per 1h: 1 used") })
        do {
            _ = try opened().rename(app, to: "fresh", passphrase: rig.passphrase)
            Issue.record("it was renamed")
        } catch {
            #expect(ServiceError(error).message.hasSuffix("by the name of the key: counted"))
        }
        #expect(try only().name == "app")
    }
}
