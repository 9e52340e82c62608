// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import SigningCore
import SigningPolicy

extension ProvedAssertion {
    private var subject: String { "the assertion \"\(assertion.id)\"" }

    /// The witness against the assertion in words; nil if none is known.
    var failure: String? {
        guard case .shown(let witness) = finding else { return nil }
        let rules = witness.rules.map { "\"\($0)\"" }.joined(separator: ", ")
        let by = witness.rules.count == 1 ? "rule \(rules) allows" : "rules \(rules) allow"
        return "\(subject) fails: the \(by) \(witness.request); its reason: "
            + VisibleText.quotable(assertion.because)
    }

    /// The lack of a proof in words; nil if it is known whether the assertion holds.
    var doubt: String? {
        guard case .notProved(let part) = finding else { return nil }
        return "\(subject) is not proved: \(part)"
    }

    /// The findings about the assertion of a policy.
    func diagnostics(in policy: TOMLPolicy) -> [Diagnostic] {
        func finding(_ severity: Diagnostic.Severity, _ code: String, _ text: String) -> Diagnostic
        {
            Diagnostic(
                severity: severity, code: code, message: text, file: policy.fileName,
                line: assertion.rule.position.line, column: assertion.rule.position.column,
                suggestion: nil)
        }
        var found: [Diagnostic] = []
        if let failure { found.append(finding(.error, "P0301", failure)) }
        if let doubt { found.append(finding(.warning, "P0302", doubt)) }
        if matchesNothing {
            let text = "no request can match \(subject), so it says nothing"
            found.append(finding(.warning, "P0303", text))
        }
        return found
    }
}

extension [ProvedAssertion] {
    /// `, 2 assertions proved`, or with how many of them are; empty without assertions.
    var countText: String {
        guard !isEmpty else { return "" }
        let provedCount = self.count { $0.finding == .proved }
        let words = ", \(count) \(count == 1 ? "assertion" : "assertions")"
        return provedCount == count ? "\(words) proved" : "\(words), \(provedCount) proved"
    }
}
