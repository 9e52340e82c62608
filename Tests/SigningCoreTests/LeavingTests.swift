// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import Synchronization
import Testing

@testable import SigningCore

/// A hub with one wire and a network that counts deliveries.
private final class HubSigner: Signer {
    let ledger = MemoryLedger()
    let keys = RecordingKeyStore(
        [
            Account(
                id: KeyID("k"), name: "k", protocolID: ProtocolID("toy"), algorithm: .ed25519,
                publicKey: [UInt8](repeating: 1, count: 32), address: "k", network: nil)
        ], domains: [ToyAdapter.domain])
    let hub: SigningHub
    private let sent = Mutex(0)

    init(_ approval: any Approval) {
        hub = SigningHub(
            policy: FixedPolicy(.ask), keyStore: keys, ledger: ledger, approval: approval,
            environment: FixedEnvironment())
    }

    var sentCount: Int { sent.withLock { $0 } }

    func answer(_ frame: Frame, over _: AdapterID?) async -> Answer {
        await hub.answer(
            frame, with: EagerAdapter(isBroadcast: true),
            by: ToyCourier { [self] _, _ in
                sent.withLock { $0 += 1 }
                return .accepted([])
            })
    }

    static func subject(_ approval: any Approval) -> SignerConformance.Subject {
        let signer = HubSigner(approval)
        return SignerConformance.Subject(
            signer, usesCount: { signer.keys.usesCount }, sentCount: { signer.sentCount },
            joinedCount: { signer.hub.pending.joinedCount })
    }
}

/// A person who says a lasting no while the question is being withdrawn.
private final class LateNo: Approval {
    let (asked, isAsked) = AsyncStream<Void>.makeStream()

    func decide(_: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        isAsked.yield()
        while !Task.isCancelled { await Task.yield() }
        return .denied(remembering: Remembering(.always))
    }
}

/// A client sends a request and leaves before the answer.
@Suite("A client may leave", .timeLimit(.minutes(10)))
struct LeavingTests {
    private static let frame = Frame("sign hello#1", from: .inProcess("app"))

    @Test("as every signer has to answer")
    func conformance() async {
        let suite = SignerConformance(frame: Self.frame) { HubSigner.subject($0) }
        let findings = await suite.findings()
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("a request without an id is withdrawn with its client, and is on record as a denial")
    func unnamed() async {
        let person = HeldApproval()
        let signer = HubSigner(person)
        let asking = Task {
            await signer.answer(Frame("sign hello", from: .inProcess("app")), over: nil)
        }
        await person.isAsked()
        asking.cancel()
        guard case .outcome(.denied(let reason)) = await asking.value.ending else {
            Issue.record("it was not denied")
            return
        }
        #expect(reason == .withdrawn)
        #expect(signer.ledger.refusals.count == 1 && signer.ledger.intents.isEmpty)
    }

    @Test("a late no is remembered: it may concern later requests")
    func lateNo() async {
        let person = LateNo()
        let signer = HubSigner(person)
        let asking = Task { await signer.answer(Self.frame, over: nil) }
        for await _ in person.asked { break }
        asking.cancel()
        guard case .outcome(.denied(let reason)) = await asking.value.ending else {
            Issue.record("it was not denied")
            return
        }
        #expect(reason.code == .personDenied)
        #expect(signer.ledger.grants.map(\.grant.answer) == [.no])
    }

    @Test("a client that left before joining waits no more")
    func leftBefore() async {
        let person = HeldApproval()
        let signer = HubSigner(person)
        let first = Task { await signer.answer(Self.frame, over: nil) }
        await person.isAsked()
        let second = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await signer.answer(Self.frame, over: nil)
        }
        guard case .silence = await second.value.reply else {
            Issue.record("who has left was answered")
            return
        }
        #expect(signer.hub.pending.joinedCount == 0 && person.withdrawnCount == 0)
        person.say(yes: true)
        guard case .outcome(.done) = await first.value.ending else {
            Issue.record("the first was not answered")
            return
        }
    }

    @Test("a request that is allowed without a question is carried out even if its client left")
    func allowed() async {
        let ledger = MemoryLedger()
        let keys = HubSigner(NoApproval()).keys
        let hub = SigningHub(
            policy: FixedPolicy(.allow([])), keyStore: keys, ledger: ledger,
            approval: NoApproval(), environment: FixedEnvironment())
        let asking = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await hub.answer(Self.frame, with: EagerAdapter())
        }
        _ = await asking.value
        #expect(ledger.intents.count == 1 && keys.usesCount == 1)
    }
}
