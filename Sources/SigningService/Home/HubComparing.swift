// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
package import SigningStorage

extension OpenHome {
    /// Reads new entries of the shared log, then compares another hub's statement with the local
    /// copy.
    package func compare(
        _ ledger: SQLiteLedger, with line: String
    ) throws(ServiceError) -> HeardHub {
        let result = try ServiceError.wrapping { () throws(LedgerError) in
            try ledger.compare(with: line, at: SystemEnvironment().now())
        }
        return try ServiceError.wrapping { () throws(HubStatementError) in try result.get() }
    }

    /// Returns the error for contradictions between hubs, which stops signing; nil if absent.
    package static func contradiction(
        in heard: [HeardHub]
    ) -> ServiceError? {
        let others = heard.filter { !$0.isBorneOut }
        guard let other = others.first(where: \.isDisproved) ?? others.first else { return nil }
        return ServiceError(
            other.problem,
            hint: other.isDisproved
                ? "nothing is signed here; stop all hubs, and read \"Two histories\" in "
                    + "Docs/Teams.md"
                : "nothing is signed here before the log has it: bring back the database that "
                    + "does")
    }
}

extension HubStatementError: ExplainedError {
    /// The error in words, with the command that helps.
    package var explained: ServiceError {
        switch self {
        case .noStatement:
            ServiceError(
                "this is no statement of a hub",
                hint: "give the line that \"countersign hub compare\" prints there, whole")
        case .otherRecord:
            ServiceError(
                "this is of a hub that shares another record", hint: "see \"countersign hub list\"")
        case .unknownHub(let name):
            ServiceError(
                "no hub is called \"\(name)\" by the number in this statement",
                hint: "see \"countersign hub list\"")
        case .retired(let name):
            ServiceError(
                "hub \(name) was retired: what it says counts for nothing",
                hint: "see \"countersign hub list\"")
        case .answersOnly(let name):
            ServiceError(
                "hub \(name) answers questions alone, and has nothing to compare",
                hint: "compare with a hub that signs")
        case .notSigned(let name):
            ServiceError(
                "hub \(name) did not sign this statement",
                hint: "it was changed, or made by somebody else; get it by another way")
        case .own:
            ServiceError(
                "this is what this hub says itself", hint: "give the line of another hub")
        case .tooOld(let name):
            ServiceError(
                "hub \(name) saw this so long ago that nothing of it is kept here",
                hint: "get a newer line from it")
        }
    }
}
