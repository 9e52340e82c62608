// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
public import SigningService

/// Asks for the passphrase at the terminal, with what it is for in the prompt.
public struct TerminalPassphrase: PassphraseSource {
    /// A slip of the finger is no reason to begin again.
    public var attemptsMax: Int { 3 }

    /// Makes it; there is one terminal.
    public init() {}

    /// Shows what was decided without asking: the request, and on whose word.
    public func announce(_ use: KeyUse) {
        guard let terminal = Terminal() else { return }
        terminal.show(use.announcement(columns: terminal.textColumns))
    }

    /// Reads it without echo.
    public func read(for use: KeyUse, isAgain: Bool) throws(ServiceError) -> SecretBytes {
        guard let terminal = Terminal() else {
            throw ServiceError("there is no way to read the passphrase", hint: "run on a terminal")
        }
        return try terminal.readInTurn(prompt: Self.prompt(to: use.purpose, isAgain: isAgain))
    }

    /// What is shown before the cursor, as `passphrase to use "alice": ` is.
    package static func prompt(to purpose: String, isAgain: Bool) -> String {
        "\(isAgain ? "that was wrong; " : "")passphrase to \(purpose): "
    }
}

extension KeyUse {
    /// What a passphrase is asked for, as `passphrase to use "alice"`.
    package var purpose: String {
        let names = accounts.map(\.name).reduce(into: [String]()) { once, name in
            if !once.contains(name) { once.append(name) }
        }
        let shown = names.prefix(3).map { "\"\(VisibleText.quotable($0))\"" }
            .joined(separator: ", ")
        return "use \(shown)\(names.count > 3 ? " and \(names.count - 3) more" : "")"
    }

    fileprivate func announcement(columns: Int) -> String {
        let word =
            switch ground {
            case .person: "you said yes"
            case .approvers(let names): "approved by \(names.joined(separator: ", "))"
            case .asking(let demands):
                "then it is asked about: "
                    + VisibleText.escaped(demands.joined(separator: "; "))
            case .rules(let ids):
                "allowed by the rule \(ids.map { "\"\($0)\"" }.joined(separator: ", "))"
            case .grants(let ids):
                "allowed by what you said before: grant \(ids.joined(separator: ", "))"
            }
        let text = TerminalPaint().painted(summary.text(columns: columns), of: summary)
        return "\n\(text)\n  \(word)\n"
    }
}
