// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage

@Suite("A hub that lies to its team")
struct LyingHubTests {
    private let team: Team
    private let claim = LimitClaim.count(maximum: 2)

    init() throws {
        team = try Team(2)
        try team[0].reserve(makeIntent(claims: [claim], token: Self.token(1)))
        try team[1].catchUp()
        for home in team.homes { ReplayCheck.skip(home.home.ledgerPath) }
    }

    private static func token(_ byte: UInt8) -> ReplayToken {
        ReplayToken([byte], isSingleUse: true)
    }

    /// Sends entries that the second hub's program does not check; returns how the first one takes
    /// them.
    private func refusal(
        of entries: [Entry], used: [Int128] = [], after statement: String? = nil,
        at seconds: Int64 = 1_000
    ) throws -> String? {
        try team[1].database.write { access throws(LedgerError) in
            if let statement { try access.run(statement) }
            for entry in entries {
                let time = max(Timestamp(seconds: seconds), try access.timeFloor())
                _ = try access.append(EntryDraft(entry, at: time), at: time, used: used)
            }
        }
        let rows = try team[0].sharedRows()
        do {
            try team[0].catchUp()
            return nil
        } catch {
            #expect(try team[0].sharedRows() == rows)
            return "\(error)"
        }
    }

    private func intent(_ claims: [LimitClaim] = [], _ token: UInt8? = nil) -> Entry {
        .intent(IntentEntry(makeIntent(claims: claims, token: token.map { Self.token($0) })))
    }

    @Test("is believed as long as its entries keep the rules")
    func honest() throws {
        #expect(try refusal(of: [intent([claim], 2)], used: [1]) == nil)
        #expect(try team[0].used(claim, at: Timestamp(seconds: 1_000)) == 2)
    }

    @Test("is not believed about used amounts, nor beyond a limit")
    func limits() throws {
        #expect(try refusal(of: [intent([claim])], used: [0])?.contains("used amount") == true)
        let other = try LyingHubTests()
        let much = LimitClaim(counter: claim.counter, window: claim.window, maximum: 2, amount: 2)
        #expect(
            try other.refusal(of: [other.intent([much])], used: [1])?.contains("exceeds limit")
                == true)
    }

    @Test("repeats no token and no number")
    func repeated() throws {
        #expect(
            try refusal(of: [intent([], 1)], after: "DELETE FROM replay_tokens")?
                .contains("an earlier entry used up") == true)
        let other = try LyingHubTests()
        var numbered = makeIntent(serials: [SerialUse(series: "s", number: 7)])
        try other.team[0].reserve(numbered)
        try other.team[1].catchUp()
        numbered = makeIntent(serials: [SerialUse(series: "s", number: 7)])
        #expect(
            try other.refusal(
                of: [.intent(IntentEntry(numbered))], after: "DELETE FROM serial_uses")?
                .contains("an earlier entry used up") == true)
    }

    @Test("reserves nothing under a freeze, or by another policy")
    func frozen() throws {
        try team[0].freeze("lost", at: Timestamp(seconds: 1_000))
        try team[1].catchUp()
        #expect(
            try refusal(of: [intent()])?.contains("while signing was frozen") == true)
        let other = try LyingHubTests()
        let key = try Ed25519Key(seed: secret(of: 5))
        _ = try other.team[0].recordAttesting(
            policyHash: policyHash, source: [1], at: Timestamp(seconds: 1_000), signedBy: key)
        try other.team[1].catchUp()
        let foreign = makeIntent(policy: policyHash.map { $0 ^ 1 })
        #expect(
            try other.refusal(of: [.intent(IntentEntry(foreign))])?
                .contains("policy that was not in force") == true)
    }

    @Test("ends no freeze without the owner's signature")
    func thaw() throws {
        try team[0].freeze("lost", at: Timestamp(seconds: 1_000))
        try team[1].catchUp()
        #expect(
            try refusal(of: [.thaw(ThawEntry())])?.contains("the signature is missing") == true)
        #expect(try team[0].freezeReason() == "lost")
    }

    @Test("signs nothing in the owner's name", arguments: 0..<3)
    func owner(kind: Int) throws {
        for ledger in team.ledgers { try ledger.trust(Ed25519Key.fixture().publicKey) }
        try team[0].freeze("lost", at: Timestamp(seconds: 1_000))
        try team[1].catchUp()
        let zeros = [UInt8](repeating: 0, count: 64)
        let entries: [Entry] = [
            .thaw(ThawEntry(signature: zeros)),
            .repair(RepairEntry(part: RepairEntry.clock, signature: zeros)),
            .attest(AttestEntry(policyHash: policyHash, signature: zeros)),
        ]
        #expect(
            try refusal(of: [entries[kind]])?.contains("signature is missing or wrong") == true)
        #expect(try team[0].freezeReason() == "lost")
        let empty = Entry.attest(AttestEntry(policyHash: [], signature: zeros))
        let unknowing = try LyingHubTests()
        #expect(try unknowing.refusal(of: [empty])?.contains("was changed") == true)
        let key = try Ed25519Key.fixture()
        let other = try LyingHubTests()
        for ledger in other.team.ledgers { try ledger.trust(key.publicKey) }
        try other.team[1].freeze("lost", at: Timestamp(seconds: 1_000))
        try other.team[1].thaw(at: Timestamp(seconds: 1_000), signedBy: key)
        try other.team[0].catchUp()
        #expect(try other.team[0].freezeReason() == nil)
    }

    @Test("uses an approval for its request alone, in time, and once", arguments: 0..<5)
    func approval(place: Int) async throws {
        let rig = try JointRig()
        let question = rig.question()
        let digest = JointRecord.digest(of: question)
        #expect(try await team[0].put(question, at: rig.now))
        for key in [rig.alice, rig.bob] {
            #expect(try await team[0].answer(digest, rig.yes(key, question), at: rig.now) == nil)
        }
        try team[1].catchUp()
        var intent = makeIntent()
        intent.approval = try rig.approval(of: question)
        var entry = IntentEntry(intent)
        let missing = "lacks approvals"
        switch place {
        case 0: #expect(try refusal(of: [.intent(entry)]) == nil)
        case 1:
            entry.request.requestDigest[0] ^= 1
            #expect(try refusal(of: [.intent(entry)])?.contains(missing) == true)
        case 2:
            entry.request.keys = [KeyID("other")]
            #expect(try refusal(of: [.intent(entry)])?.contains(missing) == true)
        case 3:
            #expect(try refusal(of: [.intent(entry)], at: 1_901)?.contains(missing) == true)
        default:
            try team[0].reserve(intent)
            try team[1].catchUp()
            #expect(
                try refusal(of: [.withdraw([digest])])?.contains("an earlier entry used up")
                    == true)
        }
    }

    @Test("may use the id of a settled request again, which is another request")
    func idAgain() throws {
        let first = makeIntent()
        try team[0].reserve(first)
        try team[0].settle(first.id, .done(resultDigests: []), at: 1_000)
        try team[0].flush()
        try team[1].catchUp()
        #expect(try refusal(of: [.intent(IntentEntry(makeIntent(id: first.id)))]) == nil)
        let again = Entry.result(ResultEntry(.done(resultDigests: []), of: first.id))
        #expect(try refusal(of: [again]) == nil)
        #expect(try refusal(of: [again]) != nil)
    }

    @Test("settles no request of another hub in use")
    func settled() throws {
        let intent = makeIntent(claims: [claim])
        try team[0].reserve(intent)
        try team[1].catchUp()
        let unused = Settlement.notUsed(Reason(.keyUnavailable, "locked"))
        let text = try refusal(of: [.result(ResultEntry(unused, of: intent.id))])
        #expect(text?.contains("settles a request of another hub") == true)
        #expect(try team[0].used(claim, at: Timestamp(seconds: 1_000)) == 2)
    }

    @Test("ends no window by a clock that is ahead")
    func ahead() throws {
        let now = SystemEnvironment().now()
        let soon = makeIntent(at: now.seconds + 30)
        try team[1].reserve(soon)
        try team[0].catchUp()
        let text = try refusal(of: [.intent(IntentEntry(makeIntent()))], at: now.seconds + 3_600)
        #expect(text?.contains("has a time in the future") == true)
    }

    @Test("leaves out no bytes that its entries name")
    func missing() throws {
        let intent = makeIntent()
        let note = Note(.key(KeyID("k")), "list/3", 1, detail: [1, 2])
        let result = ResultEntry(
            .done(resultDigests: [], notes: [note]), of: intent.id, changing: [note])
        try team[1].database.write { access throws(LedgerError) in
            _ = try access.append(.intent(IntentEntry(intent)), at: intent.time)
            _ = try access.append(.result(result), at: intent.time, NamedBytes(named: [:]))
        }
        #expect { try team[0].catchUp() } throws: { "\($0)".contains("lacks bytes") }
    }

    @Test("changes no row that its entries do not state")
    func rows() throws {
        for statement in [
            "INSERT INTO notes VALUES ('a', 'seen', 1, x'')", "DELETE FROM uses",
            "INSERT INTO meta VALUES ('moved', '1')",
            "INSERT INTO retired_approvers VALUES (x'01', 9)",
        ] {
            let test = try LyingHubTests()
            #expect(
                try test.refusal(of: [test.intent()], after: statement)?
                    .contains("leads to other rows here") == true, "\(statement)")
        }
        #expect(throws: LedgerError.self) {
            try team[1].database.write { access throws(LedgerError) in
                try access.run("DELETE FROM uses")
            }
        }
    }

    @Test("writes no time that its clock and the record do not lead to")
    func time() throws {
        let intent = makeIntent(at: 5_000)
        try team[1].database.write { access throws(LedgerError) in
            _ = try access.append(
                EntryDraft(.intent(IntentEntry(intent)), at: intent.time),
                at: Timestamp(seconds: 9_000))
        }
        #expect { try team[0].catchUp() } throws: { "\($0)".contains("has a later time") }
    }

    @Test("sends bytes that fit the SHA-256 of its entries, or none")
    func bytes() throws {
        let intent = makeIntent()
        let note = Note(.key(KeyID("k")), "list/3", 1, detail: [1, 2])
        let done = Settlement.done(resultDigests: [], notes: [note])
        let result = ResultEntry(done, of: intent.id, changing: [note])
        let text = try refusal(
            of: [.intent(IntentEntry(intent))],
            after: "INSERT INTO notes VALUES ('key k', 'list/3', 1, x'03')")
        #expect(text?.contains("leads to other rows here") == true)
        let other = try LyingHubTests()
        try other.team[1].database.write { access throws(LedgerError) in
            _ = try access.append(.intent(IntentEntry(intent)), at: intent.time)
            _ = try access.append(.result(result), at: intent.time, NamedBytes(of: done))
            try access.run("UPDATE notes SET detail = x'03'")
        }
        #expect {
            try other.team[0].catchUp()
        } throws: { "\($0)".contains("lacks bytes") }
    }
}

@Suite("The content of a batch")
struct BatchContentTests {
    @Test("is read only in the form in which it is written")
    func strict() {
        let digest = [UInt8](repeating: 9, count: 32)
        let content = BatchContent(
            entries: [[1, 2, 3], []], named: [[UInt8](repeating: 4, count: 32): [5]],
            digest: digest)
        #expect(BatchContent(content.bytes) == content)
        for count in content.bytes.indices {
            #expect(BatchContent(Array(content.bytes[..<count])) == nil)
        }
        #expect(BatchContent(content.bytes + [0]) == nil)
        let empty = BatchContent(entries: [], named: [:], digest: digest)
        #expect(BatchContent(empty.bytes) == nil)
    }
}
