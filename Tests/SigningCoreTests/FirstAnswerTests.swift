// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Synchronization
import Testing

@Suite("Several places at once")
struct FirstAnswerTests {
    @Test("the first answer counts, and the other question ends")
    func first() async throws {
        let slow = Place(.never)
        let answer = try await FirstAnswer([slow, Place(.yes), NoApproval()])
            .decide(Self.question)
        guard case .approved = answer else { throw Wrong() }
        #expect(slow.wasCancelled)
    }

    @Test("a no is an answer as well")
    func refusal() async throws {
        let answer = try await FirstAnswer([Place(.never), Place(.no)]).decide(Self.question)
        #expect(answer == .denied())
    }

    @Test("where one place fails the others are still asked")
    func oneFails() async throws {
        let answer = try await FirstAnswer([Place(.timedOut), Place(.unavailable), Place(.yes)])
            .decide(Self.question)
        guard case .approved = answer else { throw Wrong() }
    }

    @Test("without any answer it says whether a person was there")
    func none() async {
        await #expect(throws: ApprovalError.timedOut) {
            try await FirstAnswer([Place(.unavailable), Place(.timedOut)]).decide(Self.question)
        }
        await #expect(throws: ApprovalError.unavailable) {
            try await FirstAnswer([]).decide(Self.question)
        }
        #expect(!FirstAnswer([NoApproval(), NoApproval()]).canAsk)
        #expect(FirstAnswer([NoApproval(), Place(.yes)]).canAsk)
    }

    @Test("a client that leaves ends all questions")
    func cancelled() async throws {
        let places = [Place(.never), Place(.never)]
        let task = Task { try await FirstAnswer(places).decide(Self.question) }
        while places.contains(where: { !$0.wasAsked }) { await Task.yield() }
        task.cancel()
        await #expect(throws: ApprovalError.timedOut) { try await task.value }
        #expect(!places.contains { !$0.wasCancelled })
    }

    private struct Wrong: Error {}

    private static var question: ApprovalQuestion { SampleQuestion.make() }
}

/// A person at one user interface.
private final class Place: Approval {
    enum Conduct { case yes, no, never, timedOut, unavailable }

    private let conduct: Conduct
    private let asked = Mutex(false)
    private let cancelled = Mutex(false)

    init(_ conduct: Conduct) { self.conduct = conduct }

    var wasAsked: Bool { asked.withLock { $0 } }
    var wasCancelled: Bool { cancelled.withLock { $0 } }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        asked.withLock { $0 = true }
        switch conduct {
        case .yes: return .approved(question.binding)
        case .no: return .denied()
        case .timedOut: throw .timedOut
        case .unavailable: throw .unavailable
        case .never:
            while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            cancelled.withLock { $0 = true }
            throw .timedOut
        }
    }
}
