// SPDX-License-Identifier: Apache-2.0

/// One act of the owner of which only the description is shared.
///
/// A running agent performs it for the HTTP API. The command calls the operation, or performs the
/// act on the files of its home in a way of its own.
public struct RoutedAct: DescribedAct {
    /// The texts and the properties of the act.
    public let description: ActDescription

    init(_ description: ActDescription) { self.description = description }

    /// Returns the id in a path of its operation; an empty text for a path without an id, and nil
    /// for other paths.
    package func id(in path: String) -> String? { description.operation?.id(in: path) }
}

extension OwnerActs {
    /// Lists the questions that wait for a person.
    package static let questionList = RoutedAct(
        ActDescription(
            name: "inbox", summary: "answer the questions that wait",
            arguments: [.init("after", .query), .init("wait_seconds", .query)],
            operation: .init(
                id: "questions", method: "GET", path: "/v1/questions", permission: .owner)))

    /// Shows a question.
    package static let questionShow = RoutedAct(
        ActDescription(
            name: "inbox show", summary: "show a question", subject: .question,
            operation: .init(
                id: "question", method: "GET", path: "/v1/questions/{id}", permission: .owner)))

    /// Shows every byte of the request that a question is about.
    package static let questionDetails = RoutedAct(
        ActDescription(
            name: "inbox show --details", summary: "show every byte of a request",
            subject: .question,
            operation: .init(
                id: "details", method: "GET", path: "/v1/questions/{id}/details",
                permission: .owner)))

    /// Answers a question.
    package static let questionAnswer = RoutedAct(
        ActDescription(
            name: "inbox answer", summary: "answer a question that was shown", subject: .question,
            arguments: [
                .init("answer", .operand), .init("seen", .option(value: "DIGEST")),
                .init("uses", .option(value: "N")), .init("total", .option(value: "AMOUNT")),
                .init("per", .option(value: "PERIOD")),
                .init("grant", .option(value: "CHOICE")),
                .init("account", .option(value: "NAME")),
            ],
            operation: .init(
                id: "answer", method: "POST", path: "/v1/questions/{id}/answer",
                permission: .owner)))

    /// Lists the questions that wait for several people.
    package static let approvalList = RoutedAct(
        ActDescription(
            name: "approver pending", summary: "list the questions that wait for several people",
            operation: .init(
                id: "approvals", method: "GET", path: "/v1/approvals", permission: .owner)))

    /// Shows a question to several people.
    package static let approvalShow = RoutedAct(
        ActDescription(
            name: "approver show", summary: "show all of a question to several people",
            subject: .question,
            operation: .init(
                id: "approval", method: "GET", path: "/v1/approvals/{id}", permission: .owner)))

    /// Answers a question to several people with an approver key of the home.
    package static let approvalAnswer = RoutedAct(
        ActDescription(
            name: "approver answer", summary: "answer a question with your key",
            subject: .question,
            arguments: [
                .init("answer", .operand), .init("seen", .option(value: "DIGEST")),
                .init("as", .option(value: "NAME")),
            ],
            operation: .init(
                id: "approve", method: "POST", path: "/v1/approvals/{id}/answer",
                permission: .owner)))
}
