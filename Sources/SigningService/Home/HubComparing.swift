// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
package import SigningStorage

extension OpenHome {
    /// Reads new entries of the shared log, then compares another hub's statement with the local
    /// copy.
    package func compare(_ ledger: SQLiteLedger, with line: String) throws -> ComparedHub {
        let result = try ledger.compare(with: line, at: SystemEnvironment().now())
        return try result.get()
    }

    /// Returns the error for contradictions between hubs, which stops signing; nil if absent.
    package static func contradiction(
        in heard: [ComparedHub]
    ) -> ServiceError? {
        let others = heard.filter { !$0.isConfirmed }
        guard let other = others.first(where: \.isContradicted) ?? others.first else { return nil }
        return ServiceError(
            other.problem,
            hint: other.isContradicted
                ? "this hub signs nothing now; stop all hubs, and read \"Two histories\" in "
                    + "Docs/Teams.md"
                : "this hub signs nothing until the log contains it: bring back the database that "
                    + "has it")
    }
}

extension HubStatementError: ExplainedError {
    /// The error in words, with the command that helps.
    package var explained: ServiceError {
        switch self {
        case .noStatement:
            ServiceError(
                "this is not a statement of a hub",
                hint: "give the whole line that \"countersign hub compare\" prints on the other "
                    + "hub")
        case .otherRecord:
            ServiceError(
                "this statement is of a hub that shares another record",
                hint: "see \"countersign hub list\"")
        case .unknownHub(let name):
            ServiceError(
                "no hub of this record has the number in this statement and the name \"\(name)\"",
                hint: "see \"countersign hub list\"")
        case .retired(let name):
            ServiceError(
                "hub \(name) was retired: its statements are not valid",
                hint: "see \"countersign hub list\"")
        case .answersOnly(let name):
            ServiceError(
                "hub \(name) only answers questions, so there is nothing to compare",
                hint: "compare with a hub that signs")
        case .notSigned(let name):
            ServiceError(
                "hub \(name) did not sign this statement",
                hint: "it was changed or forged; get the line again by another way")
        case .own:
            ServiceError(
                "this is the statement of this hub itself", hint: "give the line of another hub")
        case .tooOld(let name):
            ServiceError(
                "this statement of hub \(name) is older than the log that this hub keeps",
                hint: "get a newer line from it")
        }
    }
}
