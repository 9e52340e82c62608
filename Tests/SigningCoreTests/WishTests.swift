// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Testing

@Suite("A client's wishes, and their outcome")
struct WishTests {
    let ledger = MemoryLedger()
    let keys = RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain])
    static let unasked = "denied approval_unavailable"

    func ask(
        _ text: String, _ adapter: EagerAdapter = EagerAdapter(),
        policy: FixedPolicy.Answer = .askByDefault,
        _ behaviour: FixedApproval.Behaviour = .unavailable, client: String? = "tester",
        at seconds: Int64 = 1_000
    ) async -> String {
        let hub = SigningHub(
            policy: FixedPolicy(policy), keyStore: keys, ledger: ledger,
            approval: FixedApproval(behaviour), environment: FixedEnvironment(seconds: seconds))
        let peer = Peer(channel: "test", claim: client)
        let answer = await hub.answer(
            Frame(bytes: Array(text.utf8), peer: peer), with: adapter)
        guard case .message(let bytes) = answer.reply else { return "silence" }
        return String(decoding: bytes, as: UTF8.self)
    }

    static let wishes = EagerAdapter(wishes: [
        .sign(length: 1), .sign(length: 2, isGrantable: false),
        .sign(length: 3, dangers: [Danger("loud")]),
    ])

    @Test("a person picks some: these are reported, kept, and answered later by any answer")
    func picked() async {
        #expect(await ask("sign x", Self.wishes, .grant([0], Remembering(.hour))) == "granted [0]")
        #expect(await ask("sign y") == "done 1")
        #expect(await ask("sign z", at: 4_599) == "done 1")
        #expect(await ask("sign yy") == Self.unasked)
        #expect(await ask("batch y") == Self.unasked)
        #expect(await ask("sign y", client: "another") == Self.unasked)
        #expect(await ask("sign y", client: nil) == Self.unasked)
        #expect(await ask("sign !") == Self.unasked)
        #expect(await ask("sign z", at: 4_600) == Self.unasked)
        #expect(ledger.intents.dropFirst().allSatisfy { $0.decidedBy == "grant" })
    }

    @Test("a wish that is too wide cannot be granted, nor one that is not on the list")
    func closed() async {
        let choice = FixedApproval.Behaviour.grant([1, 2, 7], Remembering(.always))
        #expect(await ask("sign x", Self.wishes, choice) == "granted [2]")
        #expect(ledger.grants.map(\.grant.dangers) == [[Danger("loud")]])
        #expect(await ask("sign xx") == Self.unasked)
        #expect(await ask("sign xx!") == "done 1")
    }

    @Test("a yes without a choice grants nothing")
    func none() async {
        #expect(await ask("sign x", Self.wishes, .approve) == "granted []")
        #expect(await ask("sign y") == Self.unasked)
        #expect(ledger.grants.isEmpty)
    }

    @Test("an earlier grant is reported again, and not asked about")
    func standing() async {
        _ = await ask("sign x", Self.wishes, .grant([0, 2], Remembering(.hour)))
        #expect(await ask("sign q", Self.wishes) == "granted [0, 2]")
        #expect(await ask("sign q", Self.wishes, at: 4_600) == Self.unasked)
    }

    @Test("rules that allow a wish have granted it; where they ask or deny, no person can")
    func rules() async {
        #expect(await ask("sign x", Self.wishes, policy: .allow([])) == "granted [0, 1, 2]")
        let choice = FixedApproval.Behaviour.grant([0], Remembering(.hour))
        #expect(await ask("sign x", Self.wishes, policy: .ask, choice) == "granted []")
        #expect(ledger.grants.isEmpty)
        #expect(await ask("sign x", Self.wishes, policy: .deny) == "denied policy_denied")
    }

    @Test("a grant without a valid seal is not reported")
    func unsealed() async {
        let mute = UnsealingKeyStore(keys: keys)
        let hub = SigningHub(
            policy: FixedPolicy(.askByDefault), keyStore: mute, ledger: ledger,
            approval: FixedApproval(.grant([0], Remembering(.hour))),
            environment: FixedEnvironment())
        let frame = Frame(
            bytes: Array("sign x".utf8),
            peer: Peer(channel: "test", claim: "tester"))
        let answer = await hub.answer(frame, with: Self.wishes)
        #expect(answer.reply == .message(Array("granted []".utf8)))
        #expect(answer.remembered.isEmpty && ledger.grants.isEmpty)
    }

    @Test("a request that is valid for one time neither gives nor takes a lasting yes")
    func oneTime() async {
        let hour = FixedApproval.Behaviour.remember(.yes, Remembering(.hour))
        #expect(await ask("sign x", EagerAdapter(isOneTime: true), hour) == "done 1")
        #expect(ledger.grants.isEmpty)
        #expect(await ask("sign x", hour) == "done 1")
        #expect(await ask("sign x") == "done 1")
        #expect(await ask("sign x", EagerAdapter(isOneTime: true)) == Self.unasked)
        var wishing = Self.wishes
        wishing.isOneTime = true
        let choice = FixedApproval.Behaviour.grant([0], Remembering(.hour))
        #expect(await ask("sign xx", wishing, choice) == "granted []")
        // A remembered no stays a no.
        _ = await ask("sign n", .remember(.no, Remembering(.hour)))
        #expect(await ask("sign n", EagerAdapter(isOneTime: true)) == "denied person_denied")
    }

    private func ask(_ text: String, _ behaviour: FixedApproval.Behaviour) async -> String {
        await ask(text, EagerAdapter(), behaviour)
    }
}

/// A key store that uses keys and seals no grants.
private struct UnsealingKeyStore: KeyStore {
    let keys: RecordingKeyStore

    func accounts() throws(KeyStoreError) -> [Account] { try keys.accounts() }
    func seal(_: [Grant]) throws(KeyStoreError) -> [SealedGrant] { throw .locked }
    func perform(_ permit: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult] {
        try keys.perform(permit)
    }
}
