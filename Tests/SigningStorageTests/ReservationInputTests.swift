// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

/// A ledger that reserves, and a process or hub that changes the inputs of the reservation.
struct ReservationRig {
    enum Place: String, CaseIterable { case oneHome, twoHubs }

    let people: JointRig
    let asking: SQLiteLedger
    let other: SQLiteLedger
    let home: TemporaryHome
    private let team: Team?
    let now = Timestamp(seconds: 1_000)
    static let otherPolicy = [UInt8](repeating: 3, count: 32)

    init(_ place: Place) throws {
        people = try JointRig()
        switch place {
        case .oneHome:
            team = nil
            home = try TemporaryHome()
            asking = try home.makeLedger()
            other = try SQLiteLedger.open(home.home)
        case .twoHubs:
            let made = try Team(2)
            team = made
            home = made.homes[0]
            asking = made[0]
            other = made[1]
        }
        try attest(policyHash)
    }

    func attest(_ hash: [UInt8]) throws {
        _ = try other.recordAttesting(
            policyHash: hash, source: Array("version = 1\n".utf8), at: now,
            signedBy: Ed25519Key(seed: secret(of: 5)))
    }

    /// An intent that is judged now.
    func judged(_ intent: Intent = makeIntent()) throws -> Intent {
        try asking.catchUp()
        var intent = intent
        intent.judgedAt = try asking.length()
        return intent
    }

    /// Adds the yes of alice and bob on the other side; returns the intent that it allows.
    func approved(_ question: JointQuestion, at seconds: Int64 = 1_000) async throws -> Intent {
        var intent = try judged(makeIntent(at: seconds, decidedBy: "approvers"))
        #expect(try await asking.put(question, at: now))
        for key in [people.alice, people.bob] {
            #expect(try await say(true, key, question) == nil)
        }
        try asking.catchUp()
        intent.approval = try people.approval(of: question)
        return intent
    }

    func say(
        _ isYes: Bool, _ key: ApproverKey, _ question: JointQuestion
    ) async throws -> JointAnswerError? {
        let home = key.name == "carol" ? people.asking : people.others
        let answer = try key.answer(question, isYes: isYes, in: home.vault)
        return try await other.answer(JointRecord.digest(of: question), answer, at: now)
    }

    func refusal(of intent: Intent) -> LedgerError? {
        do throws(LedgerError) {
            try asking.reserve(intent)
            return nil
        } catch {
            return error
        }
    }

    /// Opens a connection for the tests' client.
    func connect(expires: Timestamp? = nil) throws -> [UInt8] {
        let connection = ClientConnection(
            id: [UInt8](repeating: 1, count: 16), protocolID: nostr,
            client: SessionTests.app, network: "mainnet", key: KeyID("k"), address: "alice.near",
            started: now, expires: expires)
        try settle(.done(resultDigests: [], connections: [.opens(connection)]))
        return connection.id
    }

    /// Records a grant.
    func remember() throws -> Grant {
        let grant = GrantTests.grant()
        try settle(.done(resultDigests: [], remembers: [SealedGrant(grant, seal: [1])]))
        return grant
    }

    private func settle(_ settlement: Settlement) throws {
        let intent = makeIntent()
        try other.reserve(intent)
        try other.settle(intent.id, settlement, at: 1_000)
    }

    func verify() throws -> AuditProblem? {
        try asking.flush()
        return try home.verifiedLedger().problem
    }
}

@Suite("Inputs of a reservation are checked again in its transaction")
struct ReservationInputTests {
    typealias Place = ReservationRig.Place

    @Test(
        "answers: a recorded no denies the request, and nothing is signed",
        arguments: Place.allCases)
    func recordedNo(_ place: Place) async throws {
        let rig = try ReservationRig(place)
        let question = rig.people.question()
        let intent = try await rig.approved(question)
        // The hub has read two yes answers; the third person says no before the intent is written.
        #expect(try await rig.say(false, rig.people.carol, question) == nil)
        #expect(rig.refusal(of: intent) == .personDenied(by: "carol"))
        #expect(try rig.asking.intentCount() == 0)
        #expect(try rig.verify() == nil)
    }

    @Test("answers: a no after the intent is reported as too late", arguments: Place.allCases)
    func lateNo(_ place: Place) async throws {
        let rig = try ReservationRig(place)
        let question = rig.people.question()
        let intent = try await rig.approved(question)
        #expect(rig.refusal(of: intent) == nil)
        #expect(try await rig.say(false, rig.people.carol, question) == .unknown)
        let digest = JointRecord.digest(of: question)
        #expect(try rig.other.jointQuestion(digest)?.answers.allSatisfy(\.isYes) == true)
        #expect(try rig.verify() == nil)
    }

    @Test("answers: a no counts although its approver's key was retired", arguments: Place.allCases)
    func retiredNo(_ place: Place) async throws {
        let rig = try ReservationRig(place)
        let question = rig.people.question()
        let intent = try await rig.approved(question)
        #expect(try await rig.say(false, rig.people.carol, question) == nil)
        try await rig.other.retireApprover(rig.people.carol.publicKey, at: rig.now)
        #expect(rig.refusal(of: intent) == .personDenied(by: "carol"))
    }

    @Test("answers: those that are not on record count for nothing", arguments: Place.allCases)
    func unrecordedYes(_ place: Place) async throws {
        let rig = try ReservationRig(place)
        let question = rig.people.question()
        var intent = try rig.judged(makeIntent(decidedBy: "approvers"))
        #expect(try await rig.asking.put(question, at: rig.now))
        #expect(try await rig.say(true, rig.people.alice, question) == nil)
        // The hub claims that bob said yes as well.
        intent.approval = try rig.people.approval(of: question)
        #expect(rig.refusal(of: intent) == .policyChanged)
        #expect(try await rig.say(true, rig.people.bob, question) == nil)
        #expect(rig.refusal(of: intent) == nil)
        #expect(try rig.verify() == nil)
    }

    @Test("answers: a further yes goes on record with the others", arguments: Place.allCases)
    func furtherYes(_ place: Place) async throws {
        let rig = try ReservationRig(place)
        let question = rig.people.question(mayApprove: true)
        let intent = try await rig.approved(question)
        #expect(try await rig.say(true, rig.people.carol, question) == nil)
        #expect(rig.refusal(of: intent) == nil)
        let entry = try #require(try AuditLog.open(rig.home.home).entries(limit: 1).first)
        for name in ["alice", "bob", "carol"] {
            #expect(entry.body.contains("\"name\":\"\(name)\""))
        }
        #expect(try rig.verify() == nil)
    }

    @Test("the question: of another request, withdrawn, used, or over", arguments: Place.allCases)
    func question(_ place: Place) async throws {
        let rig = try ReservationRig(place)
        let other = rig.people.question(nonce: 7, policy: ReservationRig.otherPolicy)
        #expect(rig.refusal(of: try await rig.approved(other)) == .policyChanged)
        let late = rig.people.question(nonce: 6)
        #expect(rig.refusal(of: try await rig.approved(late, at: 1_901)) == .policyChanged)
        let withdrawn = rig.people.question(nonce: 2)
        let intent = try await rig.approved(withdrawn)
        try await rig.other.withdraw(JointRecord.digest(of: withdrawn))
        #expect(rig.refusal(of: intent) == .replayed)
        var used = try await rig.approved(rig.people.question(nonce: 3))
        #expect(rig.refusal(of: used) == nil)
        used = try rig.judged(makeIntent(decidedBy: "approvers"))
        used.approval = try rig.people.approval(of: rig.people.question(nonce: 3))
        #expect(rig.refusal(of: used) == .replayed)
    }

    @Test(
        "approvers: a retired key counts for nothing; others may be enough",
        arguments: Place.allCases)
    func retired(_ place: Place) async throws {
        let rig = try ReservationRig(place)
        let question = rig.people.question()
        let intent = try await rig.approved(question)
        let more = rig.people.question(nonce: 2, mayApprove: true)
        let other = try await rig.approved(more)
        #expect(try await rig.say(true, rig.people.carol, more) == nil)
        try await rig.other.retireApprover(rig.people.bob.publicKey, at: rig.now)
        #expect(rig.refusal(of: intent) == .policyChanged)
        #expect(rig.refusal(of: other) == nil)
        let entry = try #require(try AuditLog.open(rig.home.home).entries(limit: 1).first)
        #expect(entry.body.contains("\"name\":\"carol\""))
        #expect(!entry.body.contains("\"name\":\"bob\""))
        #expect(try rig.verify() == nil)
    }

    @Test(
        "policy: another one, also where the first is back in force by then",
        arguments: Place.allCases, ["policy", "person", "approvers"])
    func policy(_ place: Place, _ decidedBy: String) async throws {
        let rig = try ReservationRig(place)
        let approved = try await rig.approved(rig.people.question())
        let intent =
            decidedBy == "approvers"
            ? approved : try rig.judged(makeIntent(decidedBy: decidedBy))
        try rig.attest(ReservationRig.otherPolicy)
        #expect(rig.refusal(of: intent) == .policyChanged)
        try rig.attest(policyHash)
        #expect(rig.refusal(of: intent) == .policyChanged)
        #expect(rig.refusal(of: try rig.judged(makeIntent(decidedBy: decidedBy))) == nil)
    }

    @Test("freeze: also where it was lifted by then", arguments: Place.allCases)
    func freeze(_ place: Place) throws {
        let rig = try ReservationRig(place)
        let intent = try rig.judged()
        try rig.other.freeze("lost my phone", at: rig.now)
        #expect(rig.refusal(of: intent) == .frozen)
        try rig.other.thaw(at: rig.now, signedBy: .fixture())
        #expect(rig.refusal(of: intent) == .frozen)
        #expect(rig.refusal(of: try rig.judged()) == nil)
    }

    @Test("remembered answers: a yes that was taken back, and a new no", arguments: Place.allCases)
    func grants(_ place: Place) throws {
        let rig = try ReservationRig(place)
        let grant = try rig.remember()
        let intent = try rig.judged(makeIntent(grants: [grant], scopes: [GrantTests.scope]))
        let denied = try rig.judged(makeIntent(scopes: [GrantTests.scope]))
        try rig.other.revoke([grant.id], at: rig.now)
        #expect(rig.refusal(of: intent) == .grantChanged)
        try rig.other.record(makeRefusal(remembers: [GrantTests.grant(2, .no)]))
        #expect(rig.refusal(of: denied) == .grantChanged)
        #expect(rig.refusal(of: try rig.judged()) == nil)
    }

    @Test("connections: one that ended, or is over", arguments: Place.allCases)
    func connections(_ place: Place) throws {
        let rig = try ReservationRig(place)
        var intent = makeIntent()
        intent.requiredConnections = [try rig.connect(expires: Timestamp(seconds: 2_000))]
        intent = try rig.judged(intent)
        #expect(rig.refusal(of: intent) == nil)
        var late = makeIntent(at: 2_001)
        late.requiredConnections = intent.requiredConnections
        #expect(rig.refusal(of: late) == .connectionEnded)
        intent = makeIntent()
        intent.requiredConnections = late.requiredConnections
        try rig.other.end(connections: intent.requiredConnections, at: rig.now)
        #expect(rig.refusal(of: intent) == .connectionEnded)
    }

    @Test("limits, replay marks and numbers: used up by others", arguments: Place.allCases)
    func uses(_ place: Place) throws {
        let rig = try ReservationRig(place)
        let claim = LimitClaim.count(maximum: 1)
        let token = ReplayToken([1], isSingleUse: true)
        let number = SerialUse(series: "nonce", number: 40)
        let intents = [
            makeIntent(claims: [claim]), makeIntent(token: token), makeIntent(serials: [number]),
        ]
        let judged = try intents.map { try rig.judged($0) }
        try rig.other.reserve(
            makeIntent(claims: [claim], token: token, serials: [number]))
        #expect(rig.refusal(of: judged[0]) == .limitExceeded(counter: claim.counter))
        #expect(rig.refusal(of: judged[1]) == .replayed)
        #expect(rig.refusal(of: judged[2]) == .replayed)
        #expect(rig.refusal(of: try rig.judged()) == nil)
    }

    @Test("the hub's place: one that was retired reserves nothing")
    func place() throws {
        let rig = try ReservationRig(.twoHubs)
        let intent = try rig.judged()
        try rig.other.retire(hub: 1, at: rig.now)
        guard case .unavailable(let text) = rig.refusal(of: intent) else {
            Issue.record("a retired hub reserves")
            return
        }
        #expect(text.contains("retired"))
    }

    @Test("audit verify reports a no on a question that was used", arguments: Place.allCases)
    func audited(_ place: Place) async throws {
        let rig = try ReservationRig(place)
        let question = rig.people.question()
        let intent = try await rig.approved(question)
        let no = try rig.people.carol.answer(question, isYes: false, in: rig.people.asking.vault)
        let digest = JointRecord.digest(of: question)
        try rig.asking.database.write { access throws(LedgerError) in
            _ = try access.append(.answer(AnswerEntry(question: digest, answer: no)), at: rig.now)
            _ = try access.append(.intent(IntentEntry(intent)), at: rig.now)
        }
        let sequence = try rig.asking.length().entries
        #expect(try rig.verify() == .deniedByApprover(sequence: sequence))
    }

    @Test("an owner's act: a policy that was replaced and put back ends a yes to an export")
    func export() async throws {
        let rig = try GovernedRig()
        let account = Account(
            id: KeyID("k"), name: "alice", protocolID: ProtocolID("nostr"), algorithm: .bip340,
            publicKey: [UInt8](repeating: 1, count: 32), address: "a", network: nil)
        let act = GovernedAct.export(account.id, form: "hex")
        let yes = try await rig.approved(act)
        let consent = ActConsent.now(yes, in: rig.ledger)
        for (hash, before) in [
            (GovernedRig.lax, GovernedRig.strict), (GovernedRig.strict, GovernedRig.lax),
        ] {
            let change = try rig.ledger.act(puttingInForce: hash, demanding: rig.governance)
            let question = rig.question(change, under: before)
            let digest = try await rig.asked(question, yes: [rig.rig.alice, rig.rig.bob])
            try rig.attest(hash, demanding: rig.governance, by: digest)
        }
        func refusal(_ consent: ActConsent) -> String? {
            GovernedRig.refusal {
                try rig.ledger.recordExport(of: account, form: "hex", at: rig.now, consent)
            }
        }
        #expect(
            refusal(consent)
                == "the yes was for something else, or another policy is in force now")
        let again = try await rig.approved(act, nonce: 2)
        #expect(refusal(.now(again, in: rig.ledger)) == nil)
        #expect(try rig.problem() == nil)
    }
}
