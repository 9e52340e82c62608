// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningService

extension Passphrase: PassphraseSource {
    /// Shows what was decided without asking: the request, and on whose word.
    func announce(_ use: KeyUse) {
        announce { columns in use.announcement(columns: columns) }
    }

    /// Reads the passphrase, with what it is for in the prompt.
    func read(for use: KeyUse, isAgain: Bool) throws(ServiceError) -> SecretBytes {
        do throws(CLIError) {
            return try read(to: use.purpose, isAgain: isAgain)
        } catch {
            throw ServiceError(
                error.message, hint: error.hint, isCancelled: error.isCancelled)
        }
    }
}

extension KeyUse {
    /// What a passphrase is asked for, as `passphrase to use "alice"`.
    fileprivate var purpose: String {
        let names = accounts.map(\.name).reduce(into: [String]()) { once, name in
            if !once.contains(name) { once.append(name) }
        }
        let shown = names.prefix(3).map { "\"\(VisibleText.escaped($0))\"" }
            .joined(separator: ", ")
        return "use \(shown)\(names.count > 3 ? " and \(names.count - 3) more" : "")"
    }

    fileprivate func announcement(columns: Int) -> String {
        let word =
            switch ground {
            case .person: "you said yes"
            case .rules(let ids):
                "allowed by the rule \(ids.map { "\"\($0)\"" }.joined(separator: ", "))"
            case .grants(let ids):
                "allowed by what you said before: grant \(ids.joined(separator: ", "))"
            }
        let text = TerminalPaint().painted(summary.text(columns: columns), of: summary)
        return "\n\(text)\n  \(word)\n"
    }
}
