// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Testing

@Suite("Remembered answers")
struct GrantTests {
    let ledger = MemoryLedger()

    func ask(
        _ text: String, policy: FixedPolicy.Answer = .askByDefault,
        _ behaviour: FixedApproval.Behaviour = .unavailable, at seconds: Int64 = 1_000,
        client: String? = "tester", session: String? = "s1", keys: RecordingKeyStore = Self.keys()
    ) async -> String {
        let hub = SigningHub(
            policy: FixedPolicy(policy), keyStore: keys, ledger: ledger,
            approval: FixedApproval(behaviour), environment: FixedEnvironment(seconds: seconds))
        let peer = Peer(
            channel: "test", login: session, claim: client)
        let answer = await hub.answer(
            Frame(bytes: Array(text.utf8), peer: peer), with: ToyAdapter())
        guard case .message(let bytes) = answer.reply else { return "silence" }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func keys() -> RecordingKeyStore {
        RecordingKeyStore([.toy("a"), .toy("b")], domains: [ToyAdapter.domain])
    }

    static let hour = Remembering(.hour)
    static let unasked = "denied approval_unavailable"

    @Test("a yes answers the like of it until it ends, and nothing else")
    func yes() async {
        #expect(await ask("sign hello", .remember(.yes, Self.hour)) == "done 1")
        #expect(await ask("sign hello") == "done 1")
        #expect(ledger.intents.map(\.decidedBy) == ["person", "grant"])
        #expect(ledger.intents.last?.grants == ledger.grants.map(\.grant))
        #expect(await ask("sign hello", at: 4_599) == "done 1")
        #expect(await ask("sign hello", at: 4_600) == Self.unasked)
    }

    @Test(
        "a yes is bound to client, method, word, key and flags",
        arguments: ["sign hullo", "batch hello", "sign hello,hullo", "sign hello!"])
    func scope(_ other: String) async {
        #expect(await ask("sign hello", .remember(.yes, Self.hour)) == "done 1")
        #expect(await ask(other) == Self.unasked)
        #expect(await ask("sign hello", client: "another") == Self.unasked)
        #expect(await ask("sign hello", client: nil) == Self.unasked)
        // Another key signs the second operation of the batch.
        #expect(await ask("sign hello,hello") == Self.unasked)
    }

    @Test("a yes covers the flags that were shown, and no others")
    func dangers() async {
        #expect(await ask("sign hello!", .remember(.yes, Self.hour)) == "done 1")
        #expect(ledger.grants.map(\.grant.dangers) == [[Danger("loud"), .newClient]])
        #expect(await ask("sign hello!") == "done 1")
    }

    @Test("a yes replaces the default alone: where a rule asks, a person is asked")
    func rules() async {
        #expect(await ask("sign hello", .remember(.yes, Self.hour)) == "done 1")
        #expect(await ask("sign hello", policy: .ask) == Self.unasked)
        #expect(await ask("sign hello", policy: .deny) == "denied policy_denied")
        #expect(await ask("sign other", policy: .ask, .remember(.yes, Self.hour)) == "done 1")
        #expect(await ask("sign other") == Self.unasked)
    }

    @Test("a no wins over rules and over a yes, until it ends")
    func no() async {
        #expect(await ask("sign hello", .remember(.yes, Remembering(.always))) == "done 1")
        #expect(
            await ask("sign hello", policy: .ask, .remember(.no, Self.hour))
                == "denied person_denied")
        let keys = Self.keys()
        #expect(await ask("sign hello", policy: .allow([]), keys: keys) == "denied person_denied")
        #expect(await ask("sign hello", .approve, keys: keys) == "denied person_denied")
        #expect(keys.usesCount == 0)
        #expect(await ask("sign hello", at: 4_600, keys: keys) == "done 1")
    }

    @Test("a session's answer ends with the session")
    func session() async {
        #expect(await ask("sign hello", .remember(.yes, Remembering(.session))) == "done 1")
        #expect(await ask("sign hello") == "done 1")
        #expect(await ask("sign hello", session: "s2") == Self.unasked)
        #expect(await ask("sign hello", session: nil) == Self.unasked)
        #expect(
            await ask("sign a", .remember(.yes, Remembering(.session)), session: nil) == "done 1")
        #expect(await ask("sign a", session: nil) == Self.unasked)
    }

    @Test("a bounded yes is used up, also within one batch")
    func uses() async {
        let twice = Remembering(.always, usesMax: 2)
        #expect(await ask("sign hello", .remember(.yes, twice)) == "done 1")
        #expect(await ask("sign hello") == "done 1")
        #expect(await ask("sign hello") == "done 1")
        #expect(await ask("sign hello") == Self.unasked)
    }

    @Test("a number of uses in each hour refills when an hour has passed since a use")
    func usesPerHour() async {
        let hourly = Remembering(.always, usesMax: 2, per: .hour)
        #expect(await ask("sign hello", .remember(.yes, hourly)) == "done 1")
        for time: Int64 in [1_000, 2_000] {
            #expect(await ask("sign hello", at: time) == "done 1")
        }
        #expect(await ask("sign hello", at: 4_599) == Self.unasked)
        #expect(await ask("sign hello", at: 4_600) == "done 1")
        #expect(await ask("sign hello", at: 5_599) == Self.unasked)
        #expect(await ask("sign hello", at: 5_600) == "done 1")
        // A clock that goes back refills nothing.
        #expect(await ask("sign hello", at: 1_000) == Self.unasked)
    }

    @Test("an answer for today or this week ends at midnight, or at the end of Sunday")
    func calendar() async throws {
        // 26 November 2026 at 12:00 UTC, a Thursday.
        let noon: Int64 = 1_795_694_400
        let midnight = noon + 43_200
        for (span, end) in [(Remembering.Span.today, midnight), (.week, midnight + 3 * 86_400)] {
            let word = "sign \(span.rawValue)"
            #expect(await ask(word, .remember(.yes, Remembering(span)), at: noon) == "done 1")
            #expect(ledger.grants.last?.grant.expires == Timestamp(seconds: end))
            #expect(await ask(word, at: end - 1) == "done 1")
        }
        #expect(await ask("sign today", at: midnight) == Self.unasked)
    }

    @Test("a batch needs a yes for each of its operations")
    func batch() async {
        #expect(await ask("batch x,y", .remember(.yes, Self.hour)) == "done 2")
        #expect(ledger.grants.count == 2)
        #expect(await ask("batch x,y") == "done 2")
        #expect(await ask("batch x,z") == Self.unasked)
        ledger.revoke(ledger.grants[1].grant.id)
        #expect(await ask("batch x,y") == Self.unasked)
    }

    @Test("a grant that the key store does not vouch for opens nothing")
    func forged() async {
        #expect(await ask("sign hello", .remember(.yes, Self.hour)) == "done 1")
        ledger.forgeSeals()
        let keys = Self.keys()
        #expect(await ask("sign hello", keys: keys) == "denied policy_denied")
        #expect(keys.usesCount == 0)
    }

    @Test("nothing is remembered of a client without a name, nor of an answer that failed")
    func notRemembered() async {
        #expect(await ask("sign hello", .remember(.yes, Self.hour), client: nil) == "done 1")
        #expect(ledger.grants.isEmpty)
        ledger.breakSettling()
        #expect(await ask("sign hello", .remember(.yes, Self.hour)) == "failed ledger_unavailable")
        #expect(ledger.grants.isEmpty)
    }
}
