// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
package import SigningCrypto
package import SigningStorage

/// Puts an act, described by a text, to the people whom the policy demands; returns their consent.
package typealias AskingPeople =
    @Sendable (GovernanceQuestions, String) async throws -> ActConsent

/// One act of the owner that needs the passphrase, and the consent of several people if the policy
/// in force demands it.
package struct JointAct<Input: Sendable, Output: Sendable>: DescribedAct {
    /// The body of an act.
    typealias Body =
        @Sendable (Input, ActPlace, AskingPeople) async throws -> Output

    /// The texts and the properties of the act.
    package let description: ActDescription
    private let body: Body

    /// Creates an act with its body.
    init(_ description: ActDescription, _ body: @escaping Body) {
        self.description = description
        self.body = body
    }

    /// Performs the act on the files of a home, and leaves the vault unlocked.
    ///
    /// `asking` is called only if the policy in force demands the consent of several people.
    package func perform(
        _ input: Input, in home: OpenHome, _ ledger: SQLiteLedger? = nil,
        with passphrase: borrowing SecretBytes, asking: AskingPeople
    ) async throws -> Output {
        try home.unlock(passphrase)
        return try await body(input, ActPlace(home: home, opened: ledger), asking)
    }
}

extension OpenHome {
    /// Returns the consent to an act: the owner's own, or that of the people whom the policy in
    /// force demands; needs an unlocked vault.
    ///
    /// `text` describes the act to those people.
    package func consent(
        to act: GovernedAct, in ledger: SQLiteLedger,
        _ asking: AskingPeople,
        _ text: (ActDemands) throws -> String
    ) async throws -> (GovernanceQuestions, ActConsent) {
        let questions = try governance(over: act, in: ledger)
        guard !questions.wanted.demands.isEmpty else { return (questions, questions.alone) }
        // An act that would fail anyway is refused before a question.
        try checkBeforeChange(ledger)
        return (questions, try await asking(questions, text(questions.wanted)))
    }
}
