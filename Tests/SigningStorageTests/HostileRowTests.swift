// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

/// A question with one part that neither a policy nor a hub can have written.
private enum Hostile: CaseIterable, CustomTestStringConvertible {
    case leastMinimum, zeroMinimum, unmeetableMinimum, largestMinimum
    case noTime, longestTime, leastTime
    case leastExpiry, negativeExpiry, largestExpiry, nextYear
    case shortNonce, shortRequest, longPolicy, shortKey, longKey, manyMembers, noMembers
    case noDemands, namelessRule, longName, longText, shortOwnKey, manyOwnKeys

    var testDescription: String { "\(self)" }

    /// The question of `rig` with this part replaced.
    func question(_ rig: JointRig) -> JointQuestion {
        let good = rig.question()
        let demand = good.demands[0]
        var (minimum, seconds, members) = (demand.minimum, demand.seconds, demand.members)
        var (nonce, request) = (good.binding.nonce, good.binding.requestDigest)
        var (policy, expires) = (good.binding.policyHash, good.binding.expires.seconds)
        var (rule, text, own) = (demand.rule, good.text, good.ownKeys)
        func member(_ key: [UInt8]) -> ApproverDemand.Member { .init(name: "mallory", key: key) }
        switch self {
        case .leastMinimum: minimum = .min
        case .zeroMinimum: minimum = 0
        case .unmeetableMinimum: minimum = members.count + 1
        case .largestMinimum: minimum = .max
        case .noTime: seconds = 59
        case .longestTime: seconds = .max
        case .leastTime: seconds = .min
        case .leastExpiry: expires = .min
        case .negativeExpiry: expires = -1
        case .largestExpiry: expires = .max
        case .nextYear: expires = 31_536_000
        case .shortNonce: nonce.removeLast()
        case .shortRequest: request.removeLast()
        case .longPolicy: policy.append(1)
        case .shortKey: members.append(member([1]))
        case .longKey: members.append(member([UInt8](repeating: 1, count: 33)))
        case .manyMembers:
            members = (0...UInt8(ApproverDemand.membersMax)).map {
                member([UInt8](repeating: $0, count: 32))
            }
        case .noMembers: members = []
        case .namelessRule: rule = ""
        case .longName: rule = String(repeating: "r", count: 65)
        case .longText: text = String(repeating: "t", count: JointQuestion.textBytesMax + 1)
        case .shortOwnKey: own.append([1])
        case .manyOwnKeys:
            own = (0...JointLimits.ownKeysMax).map { number in
                [UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 0, count: 30)
            }
        case .noDemands: break
        }
        let demands = ApproverDemand(
            rule: rule, minimum: minimum, members: members, seconds: seconds)
        return JointQuestion(
            binding: ApprovalBinding(
                nonce: nonce, requestDigest: request, policyHash: policy, keys: good.binding.keys,
                expires: Timestamp(seconds: expires)),
            text: text, totals: good.totals, demands: self == .noDemands ? [] : [demands],
            ownKeys: own)
    }
}

extension SQLiteLedger {
    /// Writes the row of a question without checks, like a modified program.
    fileprivate func force(_ question: JointQuestion, expires: Int64? = nil) throws -> [UInt8] {
        let digest = JointRecord.digest(of: question)
        try database.write { access throws(LedgerError) in
            let ends = expires.map { Timestamp(seconds: $0) } ?? question.binding.expires
            _ = try access.append(
                .ask(AskEntry(question: digest, expires: ends)), at: sharingTime,
                NamedBytes(question: digest, JointRecord.body(question)))
        }
        return digest
    }
}

@Suite("Rows that another hub wrote and this program cannot")
struct HostileRowTests {
    private let rig: JointRig
    private let team: Team

    init() throws {
        rig = try JointRig()
        team = try Team(2)
    }

    private func report() throws -> AuditReport {
        try team[0].flush()
        return try AuditLog.open(team.homes[0].home).verify(
            logPublicKey: RecordTrust.fixture.logPublicKey, lastKnownCheckpoint: nil)
    }

    @Test(
        "a question beyond the limits is passed over, and hides no other",
        arguments: Hostile.allCases)
    fileprivate func passedOver(hostile: Hostile) async throws {
        let good = rig.question("good", nonce: 9)
        #expect(try await team[0].put(good, at: rig.now))
        let bad = hostile.question(rig)
        let digest = try team[1].force(bad)
        try team[0].catchUp()
        for ledger in team.ledgers {
            #expect(try ledger.jointQuestions(at: rig.now).map(\.question) == [good])
            #expect(try ledger.impossibleQuestions(at: rig.now) == 1)
            let yes = JointAnswer(
                publicKey: rig.alice.publicKey, isYes: true,
                signature: [UInt8](repeating: 1, count: 64))
            #expect(try await ledger.answer(digest, yes, at: rig.now) == .unknown)
        }
        // No key signs an answer to it, even after it was shown.
        for isYes in [true, false] {
            #expect {
                _ = try rig.alice.answer(bad, isYes: isYes, in: rig.others.vault, at: rig.now)
            } throws: { ($0 as? VaultError)?.text.contains("not answered") == true }
        }
        // Without a clock the verifier cannot judge whether a time is a year ahead.
        #expect(try report().impossibleQuestionCount == (hostile == .nextYear ? 0 : 1))
        #expect(
            (JointRecord.question(Array(JointRecord.body(bad).utf8)) != nil)
                == (hostile == .nextYear))
        // Retiring a hub removes the questions that it wrote.
        try team[0].retire(hub: 2, at: rig.now)
        #expect(try team[0].impossibleQuestions(at: rig.now) == 0)
        #expect(try report().impossibleQuestionCount == 0)
        #expect(try team[0].jointQuestions(at: rig.now).map(\.question) == [good])
    }

    @Test("questions that never end take no places, and go with the next one")
    func places() async throws {
        for number in 0..<SQLiteLedger.jointQuestionsMax {
            _ = try team[1].force(
                rig.question("\(number)", nonce: 7), expires: Int64.max - Int64(number))
        }
        #expect(try team[1].impossibleQuestions(at: rig.now) == SQLiteLedger.jointQuestionsMax)
        let good = rig.question("good")
        #expect(try await team[0].put(good, at: rig.now))
        for ledger in team.ledgers {
            try ledger.catchUp()
            #expect(try ledger.impossibleQuestions(at: rig.now) == 0)
            #expect(try ledger.jointQuestions(at: rig.now).map(\.question) == [good])
        }
        // A question that expires tomorrow is valid.
        let late = Timestamp(seconds: 1_900 - 86_400)
        #expect(good.endsInTime(after: late))
        #expect(!good.endsInTime(after: late.adding(seconds: -3_601)))
    }

    @Test("answers of other sizes are refused")
    func answers() async throws {
        for number in 0..<3 {
            let rows = try HostileRowTests()
            let (team, rig) = (rows.team, rows.rig)
            let question = rig.question()
            let digest = JointRecord.digest(of: question)
            #expect(try await team[0].put(question, at: rig.now))
            let yes = try rig.yes(rig.alice, question)
            let (key, signature) =
                [([], yes.signature), (yes.publicKey, []), ([1], [2])][number]
            ReplayCheck.skip(team[1].database.path)
            try team[1].database.write { access throws(LedgerError) in
                let answer = JointAnswer(publicKey: key, isYes: true, signature: signature)
                _ = try access.append(
                    .answer(AnswerEntry(question: digest, answer: answer)), at: rig.now)
            }
            let file = JointAnswer(publicKey: key, isYes: true, signature: signature)
            #expect(
                JointRecord.answer(Array(JointRecord.body(file, to: digest).utf8)) == nil)
            #expect {
                try team[0].catchUp()
            } throws: { "\($0)".contains("an answer that is not valid") }
            #expect(try team[0].jointQuestion(digest)?.answers == [])
        }
    }

    @Test(
        "an entry whose time or kind differs from its text's is refused",
        arguments: ["time = -9223372036854775808", "time = 9223372036854775807", "kind = 'hub'"])
    func columns(change: String) throws {
        ReplayCheck.skip(team[1].database.path)
        try team[1].database.write { access throws(LedgerError) in
            let entry = try access.append(.freeze(FreezeEntry(reason: "a")), at: sharingTime)
            try access.run("UPDATE audit SET \(change) WHERE sequence = \(entry.sequence)")
        }
        #expect {
            try team[0].catchUp()
        } throws: { "\($0)".contains("leads to other rows here") }
        #expect(try team[0].freezeReason() == nil)
    }

    @Test(
        "a time beyond the calendar is not taken in although the text says it",
        arguments: [Int64.min, -1, 253_402_300_800, Int64.max])
    func calendar(second: Int64) throws {
        try team[1].database.write { access throws(LedgerError) in
            let time = Timestamp(seconds: second)
            _ = try access.append(
                EntryDraft(.freeze(FreezeEntry(reason: "a")), at: time), at: time)
        }
        #expect(throws: LedgerError.self) { try team[0].catchUp() }
        #expect(try team[0].freezeReason() == nil)
    }

    private func invite() throws {
        let code = [UInt8](repeating: 7, count: 32)
        _ = try team[0].invite(
            "bob", vouchedBy: policyHash, at: sharingTime,
            sealedBy: SecretBytes(copying: code.span))
    }

    @Test("numbers of hubs, archived parts and marks are counted on from within their range")
    func counters() throws {
        ReplayCheck.skip(team[0].database.path)
        let last = HubKey(number: .max, publicKey: policyHash)
        try team[1].database.write { access throws(LedgerError) in
            _ = try access.append(.hub(HubEntry(.invite, last, named: "x")), at: sharingTime)
        }
        #expect {
            try invite()
        } throws: { "\($0)".contains("was changed") }
        let home = try TemporaryHome()
        let ledger = try home.makeLedger()
        try ledger.write(
            """
            INSERT INTO segments VALUES
                (9223372036854775807, 1, 9223372036854775807, x'', 0, 1, x'', x'', NULL)
            """)
        #expect(
            throws: LedgerError.corrupt(
                "an archived part has an impossible range of entries")
        ) {
            _ = try ledger.database.read { access throws(LedgerError) in try access.segments() }
        }
        try ledger.write("INSERT INTO meta VALUES ('policy', '-9223372036854775808 aa')")
        #expect(
            throws: LedgerError.corrupt(
                "the mark of the policy in force has an unknown form")
        ) {
            _ = try ledger.demands(.policy, vaultPolicy: nil)
        }
    }

    @Test("places and numbers in an invitation are those that a log can have")
    func invitations() {
        func bytes(_ sequence: Int64) -> [UInt8] {
            LogPlace(sequence: sequence, hash: policyHash).bytes
        }
        for sequence in [Int64.min, -1, .max] { #expect(LogPlace(bytes: bytes(sequence)) == nil) }
        #expect(LogPlace(bytes: bytes(7))?.sequence == 7)
        for number in [Int32.min, -1, 0] {
            #expect(HubKey(HubKey(number: number, publicKey: policyHash).bytes) == nil)
        }
        #expect(HubKey(HubKey(number: .max, publicKey: policyHash).bytes)?.number == .max)
    }

    @Test("an entry in a receipt is where one can be", arguments: [Int64.min, -1, 0, Int64.max])
    func receipts(sequence: Int64) throws {
        let body = #"{"clock":5,"kind":"freeze","reason":"a","time":5}"#
        func entry(_ sequence: Int64) -> AuditEntry {
            AuditEntry(
                sequence: sequence, time: Timestamp(seconds: 5), kind: "freeze", body: body,
                previousHash: policyHash,
                hash: AuditChain.hash(
                    after: policyHash, sequence: sequence, body: Array(body.utf8)))
        }
        #expect(entry(sequence).isIntact && AuditEntry(json: entry(sequence).json) == nil)
        #expect(AuditEntry(json: entry(1).json) == entry(1))
        #expect(entry(.min).predecessor.sequence == .min)
    }

    @Test("a remembered total below nothing is zero")
    func totals() {
        let asset = Asset(id: "a", network: "n", name: "A", unit: nil)
        func grant(_ most: Int128) -> Grant {
            Grant(
                id: [UInt8](repeating: 1, count: Grant.idCount), answer: .yes,
                scope: Grant.Scope(
                    client: "c", proof: .claimed, key: KeyID("k"), protocolID: ProtocolID("p"),
                    method: "m", facts: []),
                dangers: [], created: rig.now, expires: nil, login: nil, usesMax: nil,
                totals: [Grant.Total(Outflow(asset, most), counter: "x")])
        }
        #expect(GrantRecord.grant(GrantRecord.body(grant(.min))) == nil)
        #expect(GrantRecord.grant(GrantRecord.body(grant(5))) == grant(5))
    }
}
