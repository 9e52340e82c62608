// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage

@Suite("Hubs that share a ledger")
struct SharingTests {
    @Test("a record larger than one batch is shared whole, and rebuilt from its log")
    func large() throws {
        let key = try Ed25519Key.fixture()
        var large = try Team(1) { ledger in
            for byte in UInt8(1)...3 {
                _ = try ledger.recordAttesting(
                    policyHash: policyHash.map { $0 ^ (3 - byte) },
                    source: Randomness.bytes(PolicyText.bytesMax), at: sharingTime, signedBy: key)
            }
        }
        #expect(large.log.batches.count == 4)
        try large.add()
        try large[1].reserve(makeIntent())
        _ = try SQLiteLedger.rebuild(in: large.homes[1].home, by: .fixture)
        let rebuilt = try SQLiteLedger.open(large.homes[1].home)
        large.replace(1, with: rebuilt, in: large.homes[1])
        try large[1].reserve(makeIntent())
        try large.expectOneTruth()
    }

    @Test("have the same rows, and a record that holds")
    func sameRows() throws {
        let team = try Team(3) { ledger in
            let intent = makeIntent(claims: [.count()], token: ReplayToken([1], isSingleUse: true))
            try ledger.reserve(intent)
            try ledger.settle(intent.id, .done(resultDigests: [[1]]), at: 1_000)
            try ledger.record(makeRefusal())
        }
        for (place, ledger) in team.ledgers.enumerated() {
            let intent = makeIntent(claims: [.count("rule/\(place)")])
            try ledger.reserve(intent)
            try ledger.settle(intent.id, .done(resultDigests: [[2]]), at: 1_001)
        }
        try team.expectOneTruth()
        #expect(try team[0].hubs().map(\.name) == ["hub-1", "hub-2", "hub-3"])
        #expect(try team[2].sharing()?.hub == 3)
        #expect(team.ledgers.map(\.hubName) == ["hub-1", "hub-2", "hub-3"])
        #expect(try TemporaryHome().makeLedger().hubName == nil)
    }

    @Test("count limits together")
    func limits() throws {
        let team = try Team(2)
        let claim = LimitClaim.count(maximum: 3)
        try team[0].reserve(makeIntent(claims: [claim]))
        try team[1].reserve(makeIntent(claims: [claim]))
        try team[0].reserve(makeIntent(claims: [claim]))
        for ledger in team.ledgers {
            #expect(throws: LedgerError.limitExceeded(counter: "rule/0")) {
                try ledger.reserve(makeIntent(claims: [claim]))
            }
        }
        try team.expectOneTruth()
    }

    @Test("give unused claims back for all of them")
    func givenBack() throws {
        let team = try Team(2)
        let claim = LimitClaim.count(maximum: 1)
        let token = ReplayToken([7], isSingleUse: true)
        let intent = makeIntent(claims: [claim], token: token)
        try team[0].reserve(intent)
        #expect(throws: LedgerError.replayed) {
            try team[1].reserve(makeIntent(claims: [claim], token: token))
        }
        try team[0].settle(
            intent.id, .notUsed(Reason(.keyUnavailable, "the vault is locked")), at: 1_001)
        try team[1].reserve(makeIntent(claims: [claim], token: token))
        try team.expectOneTruth()
    }

    @Test("are stopped together, and let go together")
    func freezing() throws {
        let team = try Team(2)
        try team[0].freeze("lost my phone", at: sharingTime)
        #expect(throws: LedgerError.frozen) { try team[1].reserve(makeIntent()) }
        try team[1].catchUp()
        #expect(try team[1].freezeReason() == "lost my phone")
        try team[1].thaw(at: sharingTime, signedBy: .fixture())
        try team[0].reserve(makeIntent())
        try team.expectOneTruth()
    }

    @Test("draw no number twice")
    func serials() throws {
        let team = try Team(2)
        var drawn: [UInt64] = []
        for round in 0..<10 {
            drawn.append(
                try team[round % 2].drawSerials(1, in: "nonce", above: 5, below: 1_000))
        }
        #expect(Set(drawn).count == 10)
        let use = SerialUse(series: "nonce", number: 40)
        try team[0].reserve(makeIntent(serials: [use]))
        #expect(throws: LedgerError.replayed) {
            try team[1].reserve(makeIntent(serials: [use]))
        }
        try team.expectOneTruth()
    }

    @Test("see a policy that another one put in force")
    func policy() throws {
        let team = try Team(2)
        let key = try Ed25519Key(seed: secret(of: 5))
        let source = Array("version = 1\n".utf8)
        _ = try team[0].recordAttesting(
            policyHash: [UInt8](repeating: 3, count: 32), source: source, at: sharingTime,
            signedBy: key)
        #expect(throws: LedgerError.policyChanged) { try team[1].reserve(makeIntent()) }
        // The policy text comes with it, for hubs that trust the key that signed.
        try team[1].catchUp()
        let text = try #require(try team[1].policyText(signedBy: key.publicKey))
        #expect(text.source == source && text.hash == [UInt8](repeating: 3, count: 32))
        let other = try Ed25519Key(seed: secret(of: 6)).publicKey
        #expect(throws: LedgerError.self) { try team[1].policyText(signedBy: other) }
        try team.expectOneTruth()
    }

    @Test("revoke for all of them a person's grant")
    func revocation() throws {
        let team = try Team(2)
        let sealed = SealedGrant(GrantTests.grant(), seal: [1])
        let intent = makeIntent()
        try team[0].reserve(intent)
        try team[0].settle(
            intent.id, .done(resultDigests: [], remembers: [sealed]), at: 1_000)
        let scopes = [GrantTests.scope]
        try team[1].reserve(makeIntent(grants: [sealed.grant], scopes: scopes))
        try team[0].revoke([sealed.grant.id], at: Timestamp(seconds: 1_001))
        #expect(throws: LedgerError.grantChanged) {
            try team[1].reserve(makeIntent(grants: [sealed.grant], scopes: scopes))
        }
        try team.expectOneTruth()
        #expect(try team[1].grants(for: scopes).isEmpty)
    }

    @Test("accept a message of others once, and end a connection together")
    func marks() throws {
        let team = try Team(2)
        #expect(try team[0].accept([1], at: sharingTime))
        #expect(try !team[1].accept([1], at: sharingTime))
        let connection = ClientConnection(
            id: [UInt8](repeating: 1, count: 16), protocolID: nostr,
            client: SessionTests.app, network: "mainnet", key: KeyID("k"), address: "alice.near",
            started: sharingTime)
        let intent = makeIntent()
        try team[0].reserve(intent)
        try team[0].settle(
            intent.id, .done(resultDigests: [], connections: [.opens(connection)]), at: 1_000)
        try team[1].catchUp()
        #expect(try team[1].end(connections: [connection.id], at: sharingTime) == 1)
        var standing = makeIntent()
        standing.requiredConnections = [connection.id]
        #expect(throws: LedgerError.connectionEnded) { try team[0].reserve(standing) }
        try team.expectOneTruth()
    }

    @Test("name the hub that wrote each entry")
    func writers() throws {
        let team = try Team(2) { try $0.record(makeRefusal()) }
        for place in [0, 1, 1, 0] { try team[place].record(makeRefusal()) }
        try team.expectOneTruth()
        let writers = try (1...8).map { try team[1].writer(of: $0) }
        // The second entry is hub 1's sharing; the third is hub 2's joining, written by hub 1's
        // key.
        #expect(writers == [nil, 1, 1, 1, 2, 2, 1, 1])
    }

    @Test("Changes of one commit are one batch")
    func groups() throws {
        let team = try Team(1)
        let before = team.log.batches.count
        let claim = LimitClaim.count(maximum: 10)
        let failures = try team[0].database.writeAll(
            (0..<20).map { _ in reserving(makeIntent(claims: [claim])) })
        #expect(failures.count { $0 == nil } == 10)
        #expect(team.log.batches.count == before + 1)
        try team.expectOneTruth()
    }

    @Test("A refused change makes no batch, and keeps no other waiting")
    func refused() throws {
        let team = try Team(2)
        let before = team.log.batches.count
        #expect(throws: LedgerError.policyChanged) {
            try team[0].reserve(makeIntent(), currentPolicyHash: [1])
        }
        let entries = try team[0].database.write { access throws(LedgerError) in
            try access.auditHead().sequence
        }
        #expect(entries == 2)
        #expect(team.log.batches.count == before)
        try team[1].reserve(makeIntent())
    }
}
