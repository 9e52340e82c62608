// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningService
import SigningTerminal
import SigningVault

/// The questions of `setup`: an option answers one, a person on the terminal the others.
struct SetupQuestions {
    private let invocation: Invocation

    /// The time to answer one question, in seconds.
    private static let secondsMax: Int64 = 600

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// The answer to a question: the value of the option, or what a person types.
    ///
    /// `offered` are all valid answers; nil is for free text, for which `problem` says what is
    /// wrong with it. A person is asked again after a wrong answer. Enter means `standard`. The
    /// result is nil for the answer "none", and where neither an option nor a terminal answers.
    func answer(
        _ option: Option, _ question: String, offered: [String]? = nil, standard: String = "none",
        problem: (String) -> String? = { _ in nil }
    ) throws -> String? {
        if let given = try given(option, offered: offered) { return given == "none" ? nil : given }
        let words = offered.map { " (\($0.joined(separator: ", ")))" } ?? ""
        while true {
            guard let typed = try line("\(question)\(words) [\(standard)]: ") else { return nil }
            let answer = typed.isEmpty ? standard : typed
            guard answer != "none" else { return nil }
            let isOffered = offered?.contains(answer) ?? true
            let wrong =
                isOffered
                ? problem(answer) : "\"\(VisibleText.quotable(answer))\" is not one of these"
            guard let wrong else { return answer }
            invocation.console.note(wrong)
        }
    }

    /// The reason for which a text is no name of a key or an access token; nil if it is one.
    static func problem(ofName name: String) -> String? {
        do throws(VaultError) {
            try Vault.checkName(name)
            return nil
        } catch {
            return error.text
        }
    }

    /// The value of an option, if it was given; throws if it is not one of `offered`.
    func given(_ option: Option, offered: [String]?) throws -> String? {
        guard let given = invocation.arguments.value(option.name) else { return nil }
        guard offered?.contains(given) ?? !given.isEmpty else {
            throw CLIError.usage(
                "\(option.name) \"\(VisibleText.quotable(given))\" is not known",
                hint: offered.map { "one of: \($0.joined(separator: ", "))" }
                    ?? "write \(option.name) \(option.value ?? "")")
        }
        return given
    }

    /// True if the option is given or a person answers yes.
    func isWished(_ option: Option, _ question: String) throws -> Bool {
        if invocation.arguments.has(option.name) { return true }
        while true {
            switch try line("\(question) (yes, no) [no]: ")?.lowercased() {
            case "y", "yes": return true
            case "n", "no", "", nil: return false
            default: invocation.console.note("answer yes or no")
            }
        }
    }

    /// A line from the terminal without spaces around it; nil without a terminal.
    private func line(_ question: String) throws -> String? {
        guard let terminal = Terminal() else { return nil }
        let deadline = ContinuousClock.now + .seconds(Self.secondsMax)
        let turn = terminal.takeTurn(until: deadline)
        defer { withExtendedLifetime(turn) {} }
        switch terminal.askText(question, until: deadline) {
        case .line(let text):
            return String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        case .hungUp: throw ServiceError.cancelled
        case .timedOut:
            throw CLIError(
                "the question was not answered within \(Self.secondsMax / 60) minutes",
                hint: "run countersign setup again; what was done stays done")
        }
    }
}
