// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// Asks the person at the terminal: yes, no, or first the details.
struct TerminalApproval: Approval {
    let secondsMax: Int64

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        guard let terminal = Terminal() else { throw .unavailable }
        terminal.show("\n" + question.summary.text + "\n")
        if question.summary.isCut {
            terminal.show("  not all of it is shown: details show the rest\n")
        }
        let deadline = ContinuousClock.now + .seconds(secondsMax)
        while true {
            switch terminal.ask("sign? [y]es, [n]o, [d]etails: ", until: deadline) {
            case .line("y"), .line("yes"): return .approved(question.binding)
            // Whoever hangs up does not say yes.
            case .line("n"), .line("no"), .hungUp: return .denied
            case .line("d"), .line("details"):
                terminal.show(Self.details(of: question) + "\n")
            case .line: terminal.show("please answer y, n or d\n")
            case .timedOut: throw .timedOut
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
        let whole = question.summary.isCut ? [question.summary.fullText] : []
        return (whole + keys + reasons + bound).joined(separator: "\n")
    }
}
