// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
public import SigningService

/// Asks for the passphrase at the terminal; the prompt names its use.
public struct TerminalPassphrase: PassphraseSource {
    /// The maximum number of attempts, as a person may mistype.
    public var attemptsMax: Int { 3 }

    /// Creates a source that uses the controlling terminal.
    public init() {}

    /// Shows a request that was decided without a question, and the rule or grant that decided.
    public func announce(_ use: KeyUse) {
        guard let terminal = Terminal() else { return }
        terminal.show(use.announcement(columns: terminal.textColumns))
    }

    /// Reads the passphrase without echo.
    public func read(for use: KeyUse, isAgain: Bool) throws(ServiceError) -> SecretBytes {
        guard let terminal = Terminal() else {
            throw ServiceError(
                "the passphrase cannot be asked for: there is no terminal",
                hint: "run the command on a terminal")
        }
        return try terminal.readInTurn(prompt: Self.prompt(to: use.purpose, isAgain: isAgain))
    }

    /// The prompt, such as `passphrase to use "alice": `.
    package static func prompt(to purpose: String, isAgain: Bool) -> String {
        "\(isAgain ? "that was wrong; " : "")passphrase to \(purpose): "
    }
}

extension KeyUse {
    /// The purpose in the prompt, such as `use "alice"`.
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
                "allowed by your earlier answer: grant \(ids.joined(separator: ", "))"
            }
        let text = TerminalPaint().painted(
            summary.text(columns: columns), of: summary, columns: columns)
        return "\n\(text)\n  \(word)\n"
    }
}
