// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Synchronization
import Testing

/// A key store that runs an action while a person unlocks it.
private final class SlowKeyStore: KeyStore {
    let store: RecordingKeyStore
    private let isLocked: Bool
    private let meanwhile: @Sendable () -> Void
    private let uses = Mutex<[KeyUse]>([])

    init(
        _ store: RecordingKeyStore, isLocked: Bool, meanwhile: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.isLocked = isLocked
        self.meanwhile = meanwhile
    }

    var shown: [KeyUse] { uses.withLock { $0 } }

    func accounts() throws(KeyStoreError) -> [Account] { try store.accounts() }
    func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] { try store.seal(grants) }
    func unlock(for use: KeyUse) async throws(KeyStoreError) -> Bool {
        uses.withLock { $0.append(use) }
        meanwhile()
        return isLocked
    }
    func perform(_ permit: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult] {
        try store.perform(permit)
    }
}

/// A policy whose verdict changes.
private final class TurningPolicy: Policy {
    private let answers: Mutex<[FixedPolicy.Answer]>
    private let hashes: Mutex<UInt8> = Mutex(1)

    init(_ answers: [FixedPolicy.Answer]) { self.answers = Mutex(answers) }

    func attestAnother() { hashes.withLock { $0 += 1 } }
    var hash: [UInt8] { [UInt8](repeating: hashes.withLock { $0 }, count: 32) }
    func understands(_: Fact, of _: ProtocolID) -> Bool { true }
    func judge(
        _ request: JudgedRequest, usage: some LimitUsage
    ) throws(LedgerError) -> Judgement {
        let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        return try FixedPolicy(answer, hashByte: hash[0]).judge(request, usage: usage)
    }
}

/// A person who says yes, after an action.
private struct CountingApproval: Approval {
    let meanwhile: @Sendable () -> Void

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        meanwhile()
        return .approved(question.binding)
    }
}

@Suite("Between the decision and the key")
struct BetweenDecisionAndKeyTests {
    let ledger = MemoryLedger()
    let environment = FixedEnvironment(seconds: 1_000)

    private func ask(
        _ policy: some Policy, _ behaviour: FixedApproval.Behaviour = .approve,
        isLocked: Bool = true, meanwhile: @escaping @Sendable () -> Void = {}
    ) async -> (answer: String, uses: Int, shown: [KeyUse]) {
        let keys = SlowKeyStore(
            RecordingKeyStore([.toy("a"), .toy("b")], domains: [ToyAdapter.domain]),
            isLocked: isLocked, meanwhile: meanwhile)
        let hub = SigningHub(
            policy: policy, keyStore: keys, ledger: ledger, approval: FixedApproval(behaviour),
            environment: environment)
        let peer = Peer(channel: "test", claim: "tester")
        let answer = await hub.answer(
            Frame(bytes: Array("sign hello".utf8), peer: peer), with: ToyAdapter())
        guard case .message(let bytes) = answer.reply else { return ("silence", 0, []) }
        return (String(decoding: bytes, as: UTF8.self), keys.store.usesCount, keys.shown)
    }

    @Test("the person who opens the store sees the request and the reason that allows it")
    func shown() async throws {
        let allowed = await ask(FixedPolicy(.allow([])), .unavailable)
        #expect(allowed.answer == "done 1")
        let use = try #require(allowed.shown.first)
        #expect(use.ground == .rules(["fixed"]))
        #expect(use.summary.text.contains("toy sign") && use.summary.text.contains("tester"))
        #expect(use.accounts.map(\.name) == ["a"])
        #expect(await ask(FixedPolicy(.askByDefault)).shown.first?.ground == .person)
    }

    @Test("a freeze while the passphrase is typed stops it, and nothing is on record as begun")
    func frozen() async {
        let result = await ask(FixedPolicy(.allow([])), meanwhile: { ledger.freeze() })
        #expect(result.answer == "denied frozen" && result.uses == 0)
        #expect(ledger.intents.isEmpty)
        ledger.thaw()
        #expect(await ask(FixedPolicy(.allow([]))).answer == "done 1")
    }

    @Test("while signing is frozen no person is asked")
    func unasked() async {
        ledger.freeze()
        let keys = RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain])
        let asked = Atomic(0)
        let hub = SigningHub(
            policy: FixedPolicy(.askByDefault), keyStore: keys, ledger: ledger,
            approval: CountingApproval { asked.add(1, ordering: .relaxed) },
            environment: environment)
        await expectFrozen(by: hub)
        #expect(asked.load(ordering: .relaxed) == 0 && keys.usesCount == 0)
        #expect(ledger.intents.isEmpty)
        // What a rule denies is denied by the rule.
        #expect(await ask(FixedPolicy(.deny)).answer == "denied policy_denied")
    }

    /// Expects that the hub denies a request in the words of the freeze.
    private func expectFrozen(by hub: SigningHub) async {
        let answer = await hub.answer(
            Frame(bytes: Array("sign hello".utf8), peer: Peer(channel: "test", claim: "tester")),
            with: ToyAdapter())
        guard case .outcome(.denied(let reason)) = answer.ending else {
            Issue.record("not denied")
            return
        }
        #expect(reason.code == .frozen && reason.text.contains("countersign thaw"))
    }

    @Test("a freeze while a person is asked stops the request, in the words of the freeze")
    func frozenWhileAsked() async {
        let keys = RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain])
        let hub = SigningHub(
            policy: FixedPolicy(.askByDefault), keyStore: keys, ledger: ledger,
            approval: CountingApproval { [ledger] in ledger.freeze() }, environment: environment)
        await expectFrozen(by: hub)
        #expect(keys.usesCount == 0 && ledger.intents.isEmpty)
    }

    @Test("a freeze that was lifted while the passphrase is typed stops the request anyway")
    func frozenAndThawed() async {
        let result = await ask(
            FixedPolicy(.allow([])),
            meanwhile: {
                ledger.freeze()
                ledger.thaw()
            })
        #expect(result.answer == "denied frozen" && result.uses == 0)
        #expect(ledger.intents.isEmpty)
    }

    @Test("a machine that is suspended between the record and the key signs no more")
    func paused() async throws {
        ledger.limitReservations(to: .seconds(5)) { [environment] in environment.pause(seconds: 5) }
        #expect(await ask(FixedPolicy(.allow([]))).answer == "done 1")
        ledger.limitReservations(to: .seconds(5)) { [environment] in environment.pause(seconds: 6) }
        let late = await ask(FixedPolicy(.allow([])))
        #expect(late.answer == "failed ledger_unavailable" && late.uses == 0)
        // The claims of the intent are released.
        let intent = try #require(ledger.intents.last)
        guard case .notUsed = ledger.settlement(of: intent.id) else {
            Issue.record("the intent counts as used")
            return
        }
    }

    @Test("another policy that is attested meanwhile stops it")
    func attested() async {
        let policy = TurningPolicy([.allow([])])
        let result = await ask(policy, meanwhile: { policy.attestAnother() })
        #expect(result.answer == "denied policy_changed" && result.uses == 0)
    }

    @Test("rules that say otherwise by then stop it, for a person's yes only where they deny")
    func rules() async {
        let denied = await ask(TurningPolicy([.allow([]), .deny]))
        #expect(denied.answer == "denied policy_denied" && denied.uses == 0)
        let asked = await ask(TurningPolicy([.allow([]), .askByDefault]))
        #expect(asked.uses == 0)
        let person = await ask(TurningPolicy([.askByDefault, .deny]))
        #expect(person.answer == "denied policy_denied" && person.uses == 0)
        #expect(await ask(TurningPolicy([.askByDefault, .ask])).answer == "done 1")
    }

    @Test("rules that say otherwise once a person has answered stop it, with an open vault too")
    func rulesAfterAnswer() async {
        let denied = await ask(TurningPolicy([.askByDefault, .deny]), isLocked: false)
        #expect(denied.answer == "denied policy_denied" && denied.uses == 0)
        let asked = await ask(TurningPolicy([.askByDefault, .ask]), isLocked: false)
        #expect(asked.answer == "done 1")
        // Without a wait in between, an allowing rule is evaluated once.
        let allowed = await ask(TurningPolicy([.allow([]), .deny]), isLocked: false)
        #expect(allowed.answer == "done 1")
    }

    @Test("a yes counts as long as a person has to give one, and no longer")
    func expired() async {
        let late = await ask(
            FixedPolicy(.askByDefault), meanwhile: { environment.advance(seconds: 121) })
        #expect(late.answer == "denied approval_timed_out" && late.uses == 0)
        let inTime = await ask(
            FixedPolicy(.askByDefault), meanwhile: { environment.advance(seconds: 120) })
        #expect(inTime.answer == "done 1")
    }

    @Test("a yes that is taken back meanwhile opens nothing")
    func revoked() async throws {
        let wish = Remembering(.always)
        #expect(await ask(FixedPolicy(.askByDefault), .remember(.yes, wish)).answer == "done 1")
        let id = try #require(ledger.grants.first?.grant.id)
        let result = await ask(
            FixedPolicy(.askByDefault), .unavailable, meanwhile: { ledger.revoke(id) })
        #expect(result.answer == "denied policy_changed" && result.uses == 0)
    }

    @Test("where another took the last of a limit, the rules are asked once more")
    func race() async {
        let full = LimitClaim(counter: "full", window: .ever, maximum: 0, amount: 1)
        let roomy = LimitClaim(counter: "roomy", window: .ever, maximum: 9, amount: 1)
        let again = await ask(TurningPolicy([.allow([full]), .allow([full]), .allow([roomy])]))
        #expect(again.answer == "done 1")
        let never = await ask(TurningPolicy([.allow([full])]))
        #expect(never.answer == "denied limit_exceeded" && never.uses == 0)
    }

    @Test("an allow without the danger's name is a question, in every policy")
    func unnamed() async {
        let hub = SigningHub(
            policy: FixedPolicy(.allowUnnamed),
            keyStore: RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain]),
            ledger: ledger, approval: NoApproval(), environment: environment)
        func ask(_ text: String, client: String?) async -> String {
            let peer = Peer(channel: "test", claim: client)
            let answer = await hub.answer(
                Frame(bytes: Array(text.utf8), peer: peer), with: ToyAdapter())
            guard case .message(let bytes) = answer.reply else { return "silence" }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(await ask("sign hello", client: nil) == "done 1")
        #expect(await ask("sign hello!", client: nil) == "denied approval_unavailable")
        #expect(await ask("sign hello", client: "stranger") == "denied approval_unavailable")
    }

    @Test("unknown clients of one party share their questions")
    func party() async {
        let hub = SigningHub(
            policy: FixedPolicy(.askByDefault),
            keyStore: RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain]),
            ledger: ledger, approval: FixedApproval(.deny), environment: environment)
        func ask(_ name: String, of party: String) async -> String {
            let client = Client(id: name, name: nil, proof: .callback, party: party)
            let answer = await hub.answer(
                Frame(
                    bytes: Array("pay bob:1".utf8),
                    peer: Peer(channel: "test")),
                with: PayingAdapter(client: client))
            guard case .message(let bytes) = answer.reply else { return "silence" }
            return String(decoding: bytes, as: UTF8.self)
        }
        for name in ["https://a.example", "https://b.example", "https://c.example"] {
            #expect(await ask(name, of: "example") == "denied person_denied")
        }
        #expect(await ask("https://d.example", of: "example") == "denied limit_exceeded")
        #expect(await ask("https://d.other", of: "other") == "denied person_denied")
    }
}
