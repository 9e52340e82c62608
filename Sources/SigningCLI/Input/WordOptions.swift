// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCore
import SigningCrypto

/// The options that select one of the keys that derive from the words of a mnemonic.
enum WordOptions {
    static let all = [
        Option(name: "--words-account", value: "N"), Option(name: "--path", value: "PATH"),
        Option(name: "--secret-fd", value: "N"),
    ]

    /// Refuses these options under a condition in which they have no effect.
    static func refuse(_ arguments: Arguments, _ condition: String) throws {
        for option in all where arguments.has(option.name) {
            throw CLIError.usage("\(option.name) cannot be used \(condition)", hint: "leave it out")
        }
    }

    /// Refuses the options of another chain.
    static func check(_ arguments: Arguments, for chain: some Chain) throws {
        let own = SecretForms.of(chain).options
        for option in all + AlgorandSecret.options
        where arguments.has(option.name) && !own.contains(option.name) {
            let names = AllChains.list.filter { SecretForms.of($0).options.contains(option.name) }
                .map(\.protocolID.name).joined(separator: " or ")
            throw CLIError.usage(
                "\(option.name) needs --protocol \(names)", hint: "leave it out")
        }
    }

    /// The entropy that the words encode.
    static func entropy(of text: borrowing SecretBytes) throws -> SecretBytes {
        do throws(MnemonicError) {
            return try text.withSpan { words throws(MnemonicError) in
                try BIP39.entropy(words: words)
            }
        } catch {
            throw CLIError(SecretText.ParseError.mnemonic(error))
        }
    }

    static func hasPassphrase(_ invocation: Invocation) -> Bool {
        invocation.arguments.has("--secret-fd")
    }

    /// The passphrase of the words; empty if none is given.
    static func passphrase(_ invocation: Invocation) throws -> SecretBytes {
        guard hasPassphrase(invocation) else { return SecretBytes(count: 0) { _ in } }
        return try SecondSecret(invocation).read(prompt: "")
    }

    static let noKey = CLIError(
        "the words do not give a key",
        hint: "the passphrase of the words has to be UTF-8 of at most 1024 bytes")
}
