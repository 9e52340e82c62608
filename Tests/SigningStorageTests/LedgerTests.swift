// SPDX-License-Identifier: Apache-2.0

import SigningCore
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage

@Suite struct LedgerTests {
    let temporary: TemporaryHome
    let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
    }

    @Test("An intent and its result are on record")
    func records() throws {
        let intent = makeIntent()
        try ledger.reserve(intent)
        #expect(try ledger.unsettledIntents() == 1)
        try ledger.settle(intent.id, .done(resultDigests: [[1, 2]]), at: 1_001)
        #expect(try ledger.unsettledIntents() == 0)
        try ledger.record(makeRefusal())
        let entries = try AuditLog.open(temporary.home).entries(limit: 100)
        #expect(entries.map(\.kind) == ["refusal", "result", "intent"])
        #expect(entries.map(\.sequence) == [3, 2, 1])
    }

    @Test("an export is on record, and refused while the hub is frozen")
    func record() throws {
        let alice = try temporary.makeVault().addNostr("alice", 1)
        try ledger.recordExport(of: alice, form: "nsec", at: Timestamp(seconds: 5))
        let entry = try #require(try AuditLog.open(temporary.home).entries(limit: 1).first)
        #expect(entry.kind == "export")
        #expect(entry.body.contains(#""form":"nsec""#) && entry.body.contains(alice.id.text))
        try ledger.freeze("stop", at: Timestamp(seconds: 6))
        #expect(throws: LedgerError.frozen) {
            try ledger.recordExport(of: alice, form: "nsec", at: Timestamp(seconds: 7))
        }
    }

    @Test("The text of an entry is canonical and holds no payload")
    func canonicalBody() throws {
        let intent = makeIntent(
            id: [UInt8](repeating: 0xAB, count: 16),
            claims: [.count(maximum: Int128.max, amount: 2)],
            token: ReplayToken([1, 2, 3], isSingleUse: true))
        try ledger.reserve(intent)
        let body = try AuditLog.open(temporary.home).entries(limit: 1).first?.body
        let ones = String(repeating: "01", count: 32)
        let nines = String(repeating: "09", count: 32)
        #expect(
            body == """
                {"adapter":"nip155","channel":"cli","claims":[{"amount":"2","counter":"rule/0",\
                "maximum":"170141183460469231731687303715884105727","window":100}],\
                "client":{"id":"app","name":"An \\"app\\"","proof":"claimed"},"clock":1000,\
                "dangers":["opaque"],"decided_by":"policy","decoded":"full",\
                "effects":["publishes"],\
                "facts":[[["kind",["integer","1"]]]],"grants":[],\
                "id":"\(String(repeating: "ab", count: 16))","keys":["k"],"kind":"intent",\
                "method":"sign_event","policy":"\(nines)","protocol":"nostr",\
                "replay":{"hash":\
                "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81",\
                "single_use":true},"request":"\(ones)","rules":["notes"],"size":10,"time":1000,\
                "used":["0"]}
                """)
    }

    @Test("A long text of the client is cut on record")
    func clipsClientText() throws {
        try ledger.reserve(makeIntent(method: String(repeating: "m", count: 100_000)))
        let body = try #require(try AuditLog.open(temporary.home).entries(limit: 1).first?.body)
        #expect(body.utf8.count < 2_000)
        #expect(body.contains("\"" + String(repeating: "m", count: 512) + "\""))
    }

    @Test("Another policy than the one that judged stops a request")
    func policyChanged() throws {
        #expect(throws: LedgerError.policyChanged) {
            try ledger.reserve(makeIntent(), currentPolicyHash: [1])
        }
        #expect(try ledger.count("audit") == 0)
    }

    @Test("A frozen ledger reserves nothing, in every process, until it is thawed")
    func freezing() throws {
        let other = try SQLiteLedger.open(temporary.home)
        try other.freeze("lost my phone", at: Timestamp(seconds: 900))
        #expect(try ledger.freezeReason() == "lost my phone")
        #expect(throws: LedgerError.frozen) { try ledger.reserve(makeIntent()) }
        try ledger.record(makeRefusal())
        try ledger.thaw(at: Timestamp(seconds: 950), signedBy: .fixture())
        try ledger.reserve(makeIntent())
        #expect(try ledger.intentCount() == 1)
        #expect(try ledger.freezeReason() == nil)
    }

    @Test("A freeze stops requests judged before it, although it was lifted again")
    func frozenMeanwhile() throws {
        try ledger.record(makeRefusal())
        var intent = makeIntent()
        intent.judgedAt = try ledger.length()
        try ledger.freeze("wait", at: Timestamp(seconds: 900))
        try ledger.thaw(at: Timestamp(seconds: 950), signedBy: .fixture())
        #expect(throws: LedgerError.frozen) { try ledger.reserve(intent) }
        intent.judgedAt = try ledger.length()
        try ledger.reserve(intent)
    }

    @Test("A single-use token counts once; another kind is only remembered")
    func replay() throws {
        let single = ReplayToken([1], isSingleUse: true)
        let repeatable = ReplayToken([2], isSingleUse: false)
        #expect(try !ledger.wasSeen(single))
        try ledger.reserve(makeIntent(token: single))
        #expect(try ledger.wasSeen(single))
        #expect(throws: LedgerError.replayed) { try ledger.reserve(makeIntent(token: single)) }
        try ledger.reserve(makeIntent(token: repeatable))
        try ledger.reserve(makeIntent(token: repeatable))
        #expect(try ledger.wasSeen(repeatable))
        #expect(try ledger.intentCount() == 3)
        // A token is known by its bytes alone.
        #expect(throws: LedgerError.replayed) {
            try ledger.reserve(makeIntent(token: ReplayToken([2], isSingleUse: true)))
        }
    }

    @Test("A request that used no key can be sent again; one that did cannot")
    func releasesToken() throws {
        let token = ReplayToken([1], isSingleUse: true)
        let reason = Reason(.keyUnavailable, "the vault is locked")
        let settlements: [(Settlement, Bool)] = [
            (.notUsed(reason), false), (.notUsed(reason), false), (.failed(reason), true),
        ]
        for (settlement, isSeen) in settlements {
            let intent = makeIntent(token: token)
            try ledger.reserve(intent)
            #expect(try ledger.wasSeen(token))
            try ledger.settle(intent.id, settlement, at: 1_001)
            #expect(try ledger.wasSeen(token) == isSeen)
        }
        #expect(throws: LedgerError.replayed) { try ledger.reserve(makeIntent(token: token)) }
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("A token stays on record while another intent has it", arguments: [0, 1])
    func releasesOnlyOwnToken(released: Int) throws {
        let token = ReplayToken([2], isSingleUse: false)
        let intents = [makeIntent(token: token), makeIntent(token: token)]
        for intent in intents { try ledger.reserve(intent) }
        let reason = Reason(.keyUnavailable, "the vault is locked")
        try ledger.settle(intents[released].id, .notUsed(reason), at: 1_001)
        #expect(try ledger.wasSeen(token))
        #expect(try temporary.verifiedLedger().problem == nil)
        try ledger.settle(intents[1 - released].id, .notUsed(reason), at: 1_001)
        #expect(try !ledger.wasSeen(token))
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("An intent is settled once, and only if it exists")
    func settlesOnce() throws {
        let intent = makeIntent()
        try ledger.reserve(intent)
        #expect(throws: LedgerError.self) { try ledger.reserve(intent) }
        try ledger.settle(intent.id, .done(resultDigests: []), at: 1_001)
        #expect(throws: LedgerError.corrupt("a second result of one intent")) {
            try ledger.settle(intent.id, .done(resultDigests: []), at: 1_002)
        }
        #expect(throws: LedgerError.corrupt("a result without its intent")) {
            try ledger.settle([1], .done(resultDigests: []), at: 1_002)
        }
        #expect(try ledger.count("audit") == 2)
    }

    @Test("A missing, empty or foreign file is refused, and a used one is not made anew")
    func refusesOtherFiles() throws {
        let other = try TemporaryHome()
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(other.home) }
        try other.home.makeFile(other.home.ledgerPath)
        #expect(throws: LedgerError.corrupt("ledger.db is not a file of this kind")) {
            try SQLiteLedger.open(other.home)
        }
        try SQLiteLedger.create(in: other.home)
        try SQLiteLedger.create(in: other.home)
        try SQLiteLedger.open(other.home).record(makeRefusal())
        #expect(throws: LedgerError.unavailable("ledger.db exists already")) {
            try SQLiteLedger.create(in: other.home)
        }
    }
}

@Suite struct LedgerLimitTests {
    let temporary: TemporaryHome
    let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
    }

    @Test("A limit holds exactly its maximum")
    func exactEdge() throws {
        let claim = LimitClaim.count(maximum: 5, amount: 2)
        try ledger.reserve(makeIntent(claims: [claim]))
        try ledger.reserve(makeIntent(claims: [claim]))
        #expect(throws: LedgerError.limitExceeded(counter: "rule/0")) {
            try ledger.reserve(makeIntent(claims: [claim]))
        }
        try ledger.reserve(makeIntent(claims: [.count(maximum: 5, amount: 1)]))
        #expect(try ledger.used(claim, at: 1_000) == 5)
        #expect(throws: LedgerError.limitExceeded(counter: "rule/0")) {
            try ledger.reserve(makeIntent(claims: [.count(maximum: 5, amount: 1)]))
        }
        #expect(try ledger.count("audit") == 3)
        #expect(try ledger.count("uses") == 3)
    }

    @Test("A use stops counting when the window's length has passed, not before")
    func windowSlides() throws {
        let claim = LimitClaim.count(window: 100, maximum: 1)
        try ledger.reserve(makeIntent(at: 1_000, claims: [claim]))
        #expect(try ledger.used(claim, at: 1_099) == 1)
        #expect(throws: LedgerError.limitExceeded(counter: "rule/0")) {
            try ledger.reserve(makeIntent(at: 1_099, claims: [claim]))
        }
        #expect(try ledger.used(claim, at: 1_100) == 0)
        try ledger.reserve(makeIntent(at: 1_100, claims: [claim]))
    }

    @Test("A limit without a window, or with one of no length, never forgets")
    func windowless() throws {
        for (window, counter) in [(nil, "a"), (0, "b"), (-5, "c"), (Int64.max, "d")] {
            let claim = LimitClaim.count(counter, window: window, maximum: 1)
            try ledger.reserve(makeIntent(at: 1_000, claims: [claim]))
            #expect(throws: LedgerError.limitExceeded(counter: counter)) {
                try ledger.reserve(makeIntent(at: 9_000_000_000, claims: [claim]))
            }
        }
    }

    @Test("A clock set back gives nothing back, now or when it is right again")
    func clockBack() throws {
        let claim = LimitClaim.count(window: 100, maximum: 2)
        try ledger.reserve(makeIntent(at: 10_000, claims: [claim]))
        #expect(try ledger.used(claim, at: 5_000) == 1)
        try ledger.reserve(makeIntent(at: 5_000, claims: [claim]))
        #expect(throws: LedgerError.limitExceeded(counter: "rule/0")) {
            try ledger.reserve(makeIntent(at: 4_000, claims: [claim]))
        }
        // The second use counts from the latest time on record, not from the clock's.
        #expect(try ledger.used(claim, at: 10_099) == 2)
        #expect(try ledger.used(claim, at: 10_100) == 0)
    }

    @Test("A key that was not used gives its limits back; a failure keeps them")
    func settlementAndLimits() throws {
        let claim = LimitClaim.count(maximum: 10, amount: 4)
        let reason = Reason(.keyUnavailable, "the vault is locked")
        let settlements: [(Settlement, Int128)] = [
            (.notUsed(reason), 0), (.failed(reason), 4), (.done(resultDigests: []), 8),
        ]
        for (settlement, expected) in settlements {
            let intent = makeIntent(claims: [claim])
            try ledger.reserve(intent)
            try ledger.settle(intent.id, settlement, at: 1_000)
            #expect(try ledger.used(claim, at: 1_000) == expected)
        }
    }

    @Test("Several claims are charged together or not at all")
    func severalClaims() throws {
        let wide = LimitClaim.count("wide", maximum: 100)
        let narrow = LimitClaim.count("narrow", maximum: 1)
        try ledger.reserve(makeIntent(claims: [wide, narrow]))
        #expect(throws: LedgerError.limitExceeded(counter: "narrow")) {
            try ledger.reserve(makeIntent(claims: [wide, narrow]))
        }
        #expect(try ledger.used(wide, at: 1_000) == 1)
        #expect(throws: LedgerError.limitExceeded(counter: "twice")) {
            try ledger.reserve(
                makeIntent(claims: [
                    .count("twice", maximum: 3, amount: 2), .count("twice", maximum: 3, amount: 2),
                ]))
        }
        #expect(try ledger.used(.count("twice"), at: 1_000) == 0)
    }

    @Test("Amounts larger than 64 bits are exact, and no sum overflows")
    func largeAmounts() throws {
        let yocto: Int128 = 1_000_000_000_000_000_000_000_000
        let claim = LimitClaim.count(maximum: 3 * yocto + 1, amount: yocto)
        for _ in 0..<3 { try ledger.reserve(makeIntent(claims: [claim])) }
        #expect(try ledger.used(claim, at: 1_000) == 3 * yocto)
        let huge = LimitClaim.count("huge", maximum: .max, amount: .max)
        try ledger.reserve(makeIntent(claims: [huge]))
        #expect(throws: LedgerError.limitExceeded(counter: "huge")) {
            try ledger.reserve(makeIntent(claims: [.count("huge", maximum: .max)]))
        }
        #expect(throws: LedgerError.limitExceeded(counter: "less")) {
            try ledger.reserve(makeIntent(claims: [.count("less", amount: -1)]))
        }
    }
}
