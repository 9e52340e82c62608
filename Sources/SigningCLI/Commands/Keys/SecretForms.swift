// SPDX-License-Identifier: Apache-2.0

import Algorand
import NEAR
import Nostr
import SigningCore
import SigningCrypto
import SigningService

/// The functions that read, derive and write the secrets of one chain on the command line.
struct SecretForms: Sendable {
    /// Reads an imported secret.
    let read: @Sendable (borrowing SecretBytes, Invocation) throws -> MadeSecret
    /// Derives a secret from words; nil if the chain does not support that.
    var make: (@Sendable (consuming SecretBytes, Invocation) throws -> MadeSecret)?
    /// The options of making and importing that apply only to this chain.
    var options: [String] = []
    /// The values of the export option `--format`, the default first.
    let exports: [String]

    /// The formats of a chain; a chain without an entry here has the one text format of its code.
    static func of(_ chain: any Chain) -> SecretForms {
        own[chain.protocolID] ?? plain(chain)
    }

    /// True if a chain has no entry here.
    static func isPlain(_ chain: any Chain) -> Bool { own[chain.protocolID] == nil }

    private static let own: [ProtocolID: SecretForms] = [
        NostrChain().protocolID: SecretForms(
            read: { text, invocation throws in try NostrSecret.read(text, invocation) },
            make: { entropy, invocation throws in
                try NostrSecret.make(from: entropy, invocation)
            },
            options: ["--words-account", "--secret-fd"],
            exports: ["nsec", "hex", "ncryptsec", "words"]),
        .near: SecretForms(
            read: { text, invocation throws in try NEARSecret.read(text, invocation) },
            make: { entropy, invocation throws in
                try NEARSecret.make(from: entropy, invocation)
            },
            options: ["--path", "--secret-fd"],
            exports: ["near", "words", "credentials"]),
        .algorand: SecretForms(
            read: { text, invocation throws in
                try AlgorandSecret.read(text, invocation)
            },
            options: AlgorandSecret.options.map(\.name) + ["--secret-fd"],
            exports: ["words"]),
    ]

    private static func plain(_ chain: any Chain) -> SecretForms {
        let form = (chain as? any WritesSecrets)?.secretForm ?? "hex"
        return SecretForms(
            read: { text, invocation throws in
                guard let secret = secret(text, of: chain, invocation) else {
                    throw CLIError(
                        "this is not a secret key", hint: "expected \(form) of \(chain.protocolID)")
                }
                return MadeSecret(secret: secret)
            }, exports: [form])
    }

    private static func secret(
        _ text: borrowing SecretBytes, of chain: any Chain, _ invocation: Invocation
    ) -> SecretBytes? {
        if let own = chain as? any WritesSecrets {
            return own.readSecret(SecretText.trimmed(text))
        }
        let algorithm = try? chain.signing(among: invocation.protocols.algorithms)
        return algorithm.flatMap { try? SecretText.hex(text, count: $0.secretCount) }
    }

    /// The text of a secret in the format of its chain.
    static func text(of secret: borrowing SecretBytes, _ chain: any Chain) -> SecretBytes {
        if let own = chain as? any WritesSecrets { return own.secretText(of: secret) }
        return SecretText.hex(of: secret)
    }
}
