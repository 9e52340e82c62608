// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// Asks the person at the terminal: yes, no, or first the details.
struct TerminalApproval: Approval {
    let secondsMax: Int64

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        guard let terminal = Terminal() else { throw .unavailable }
        terminal.show("\n" + question.summary.text + "\n")
        while true {
            terminal.show("sign? [y]es, [n]o, [d]etails: ")
            guard let line = terminal.readLine(secondsMax: secondsMax) else { throw .timedOut }
            switch line {
            case "y", "yes": return .approved(question.binding)
            case "n", "no": return .denied
            case "d", "details": terminal.show(Self.details(of: question) + "\n")
            default: terminal.show("please answer y, n or d\n")
            }
        }
    }

    private static func details(of question: ApprovalQuestion) -> String {
        let keys = question.accounts.map {
            "  key      \($0.name), \($0.protocolID) \($0.address)"
        }
        let reasons = question.reasons.map { "  because  \(VisibleText.escaped($0.text))" }
        let digest = Hex.encode(question.binding.requestDigest.span)
        let policy = Hex.encode(question.binding.policyHash.span)
        let bound = ["  request  sha256 \(digest)", "  policy   sha256 \(policy)"]
        return (keys + reasons + bound).joined(separator: "\n")
    }
}
