// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTerminal

/// The address of a key derived from a wallet's words, shown before the key is stored.
///
/// A wrong path or scheme gives another account, which is probably empty.
struct DerivedAddress {
    static let option = Option(name: "--yes", value: nil)

    let address: String
    let name: String

    /// Asks at a terminal whether the address is the expected one.
    func confirm(_ invocation: Invocation) throws {
        guard !invocation.arguments.has(Self.option.name), let terminal = Terminal() else { return }
        let deadline = ContinuousClock.now + .seconds(Self.secondsMax)
        let turn = terminal.takeTurn(until: deadline)
        defer { withExtendedLifetime(turn) {} }
        guard turn != nil else {
            throw CLIError(
                "another process is asking a question on this terminal",
                hint: "answer it, then try again")
        }
        terminal.show(
            """
            These words give the account
              \(VisibleText.escaped(address))
            Compare it with the address that your wallet shows.

            """)
        guard
            case .line(let typed) = terminal.ask("keep it? [y]es, [n]o: ", until: deadline),
            ["y", "yes"].contains(typed)
        else {
            throw CLIError(
                "\"\(VisibleText.quotable(name))\" was not kept",
                hint: "another --scheme or --hd-path gives another account")
        }
    }

    /// The time that a person has to compare the address, in seconds.
    private static let secondsMax: Int64 = 120
}
