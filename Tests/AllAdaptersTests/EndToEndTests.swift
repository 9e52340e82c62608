// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningStorage
import SigningVault
import TestHome
import Testing

@Suite("A request through everything that is real")
struct EndToEndTests {
    let home: TestHome

    init() throws { home = try TestHome.ofSamples() }

    private func answer(_ name: String, _ hub: SigningHub) async throws -> Answer {
        let adapter = try #require(Samples.adapters.adapter(named: name))
        return await hub.answer(.sent(Samples.frame(name)), with: adapter)
    }

    @Test("is signed where a rule allows it, and the record verifies", arguments: Samples.names)
    func allowed(name: String) async throws {
        let family = try Samples.account(name).protocolID.name
        let rule =
            "[[rule]]\nid = \"r\"\neffect = \"allow\"\nprotocol = \"\(family)\"\n"
            + "acknowledge = [\"new_client\"]\n"
        let answer = try await answer(name, try home.hub(rule))
        guard case .outcome(.done(let results)) = answer.ending,
            case .signature(let signature, let message)? = results.first
        else {
            Issue.record("\(answer)")
            return
        }
        let key = try Samples.account(name).publicKey
        let holds =
            family == "nostr"
            ? isBIP340(signature, message, key) : isEd25519(signature, message, key)
        #expect(holds)
        #expect(try report().problem == nil)
        #expect(try report().entryCount == 2)
    }

    @Test("uses no key where nothing allows it", arguments: Samples.names)
    func denied(name: String) async throws {
        let answer = try await answer(name, try home.hub(""))
        guard case .outcome(.denied(let reason)) = answer.ending else {
            Issue.record("\(answer)")
            return
        }
        #expect(reason.code == .policyDenied)
        #expect(try AuditLog.open(home.home).entries(limit: 9).map(\.kind) == ["refusal"])
    }

    @Test("stops at the limit of its rule, for every client")
    func limit() async throws {
        let hub = try home.hub(
            """
            [[rule]]
            id = "two"
            effect = "allow"
            protocol = "near"
            acknowledge = ["new_client"]
            limit = [{ count = 2, per = "1h" }]
            """)
        var endings: [String] = []
        for _ in 0..<4 {
            if case .outcome(.done) = try await answer("nep413", hub).ending {
                endings.append("done")
            } else {
                endings.append("denied")
            }
        }
        #expect(endings == ["done", "done", "denied", "denied"])
    }

    @Test("is not signed while the owner has frozen the ledger")
    func frozen() async throws {
        let hub = try home.hub(
            "[[rule]]\nid = \"r\"\neffect = \"allow\"\nprotocol = \"near\"\n"
                + "acknowledge = [\"new_client\"]\n")
        let now = SystemEnvironment().now()
        try home.ledger.freeze("travelling", at: now)
        guard case .outcome(.denied(let reason)) = try await answer("nep413", hub).ending else {
            Issue.record("signed while frozen")
            return
        }
        #expect(reason.code == .frozen)
        try home.ledger.thaw(at: now, signedBy: home.vault.openLogKey())
        guard case .outcome(.done) = try await answer("nep413", hub).ending else {
            Issue.record("still frozen")
            return
        }
    }

    private func isBIP340(_ signature: [UInt8], _ message: [UInt8], _ key: [UInt8]) -> Bool {
        Signatures.isValidBIP340(
            signature: signature.span, message: message.span, publicKey: key.span)
    }

    private func isEd25519(_ signature: [UInt8], _ message: [UInt8], _ key: [UInt8]) -> Bool {
        Signatures.isValidEd25519(
            signature: signature.span, message: message.span, publicKey: key.span)
    }

    private func report() throws -> AuditReport {
        try home.ledger.flush()
        return try AuditLog.open(home.home).verify(
            logPublicKey: try home.vault.logPublicKey(),
            lastKnownCheckpoint: try home.vault.lastCheckpoint())
    }
}
