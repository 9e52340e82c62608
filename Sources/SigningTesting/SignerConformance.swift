// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// The checks that every signer must pass, in this process or in an agent.
///
/// Each function returns the problems as sentences; an empty list is a pass.
public struct SignerConformance: Sendable {
    /// A signer that asks a person, with its observable counts.
    public struct Subject: Sendable {
        let signer: any Signer
        let usesCount: @Sendable () -> Int
        let sentCount: @Sendable () -> Int
        let joinedCount: @Sendable () -> Int

        /// Creates a subject with functions that return its counts.
        ///
        /// `usesCount` counts uses of a key, and `sentCount` items sent to a network. `joinedCount`
        /// counts clients that wait for the answer to another client's request.
        public init(
            _ signer: any Signer, usesCount: @escaping @Sendable () -> Int,
            sentCount: @escaping @Sendable () -> Int, joinedCount: @escaping @Sendable () -> Int
        ) {
            self.signer = signer
            self.usesCount = usesCount
            self.sentCount = sentCount
            self.joinedCount = joinedCount
        }
    }

    private let frame: Frame
    private let make: @Sendable (any Approval) -> Subject

    /// `frame` has an id, so that other clients can join its request, and ends in a broadcast once
    /// it is allowed.
    ///
    /// `make` creates a signer that asks the given approver about it.
    public init(frame: Frame, make: @escaping @Sendable (any Approval) -> Subject) {
        self.frame = frame
        self.make = make
    }

    /// Runs all checks.
    public func findings() async -> [String] {
        var findings = await withdrawsAbandonedQuestion()
        findings += await keepsSharedQuestion()
        findings += await withdrawsWithTheLast()
        findings += await ignoresLateAnswer()
        return findings + (await countsTwoAnswersOnce())
    }

    /// Checks that a question is withdrawn with its only client.
    public func withdrawsAbandonedQuestion() async -> [String] {
        let person = HeldApproval()
        let subject = make(person)
        let asking = ask(subject)
        await person.isAsked()
        asking.cancel()
        _ = await asking.value
        return check([
            ("a question stays although nobody waits for it", person.withdrawnCount == 1),
            ("a key is used for somebody who has left", subject.usesCount() == 0),
        ])
    }

    /// Checks that a question stays while another client waits for it, and that the joined request
    /// is sent once.
    public func keepsSharedQuestion() async -> [String] {
        let person = HeldApproval()
        let subject = make(person)
        let asking = [ask(subject)]
        await person.isAsked()
        let joined = (0..<2).map { _ in ask(subject) }
        await isJoined(subject, by: 2)
        asking[0].cancel()
        joined[1].cancel()
        _ = await joined[1].value
        let isKept = person.withdrawnCount == 0
        person.say(yes: true)
        let answer = await joined[0].value
        _ = await asking[0].value
        return check([
            ("a question goes although another waits for it", isKept),
            ("who joined has no answer", answer.isDone && answer.isRepeated),
            ("one request asks twice", person.askedCount == 1),
            ("one request uses its key more than once", subject.usesCount() == 1),
            ("one request is sent more than once, or never", subject.sentCount() == 1),
        ])
    }

    /// Checks that a question is withdrawn with its last client, and that its id is free again.
    public func withdrawsWithTheLast() async -> [String] {
        let person = HeldApproval()
        let subject = make(person)
        let first = ask(subject)
        await person.isAsked()
        let second = ask(subject)
        await isJoined(subject, by: 1)
        first.cancel()
        second.cancel()
        _ = await (first.value, second.value)
        let isWithdrawn = person.withdrawnCount == 1 && subject.usesCount() == 0
        let again = ask(subject)
        await person.isAsked(times: 2)
        person.say(yes: true)
        return check([
            ("a question stays although everybody has left", isWithdrawn),
            ("what was withdrawn cannot be asked again", await again.value.isDone),
        ])
    }

    /// Checks that an approval of a withdrawn question does not count.
    public func ignoresLateAnswer() async -> [String] {
        let person = HeldApproval(isLate: true)
        let subject = make(person)
        let asking = ask(subject)
        await person.isAsked()
        asking.cancel()
        let answer = await asking.value
        return check([("a late yes counts", !answer.isDone && subject.usesCount() == 0)])
    }

    /// Checks that two approvals at the same time count once.
    public func countsTwoAnswersOnce() async -> [String] {
        let people = [HeldApproval(), HeldApproval()]
        for person in people { person.say(yes: true) }
        let subject = make(FirstAnswer(people))
        let answer = await ask(subject).value
        return check([("two answers count twice", answer.isDone && subject.usesCount() == 1)])
    }

    private func ask(_ subject: Subject) -> Task<Answer, Never> {
        Task { await subject.signer.answer(frame, over: nil) }
    }

    private func isJoined(_ subject: Subject, by count: Int) async {
        while subject.joinedCount() < count { try? await Task.sleep(for: .milliseconds(1)) }
    }

    private func check(_ facts: [(String, Bool)]) -> [String] {
        facts.filter { !$0.1 }.map(\.0)
    }
}

extension Answer {
    fileprivate var isDone: Bool { if case .outcome(.done) = ending { true } else { false } }
}
