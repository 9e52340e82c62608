// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import SigningVault

/// The formats of NEAR secrets.
enum NEARSecret {
    /// Reads `ed25519:...` or words.
    static func read(_ text: borrowing SecretBytes, _ invocation: Invocation) throws -> MadeSecret {
        // One word is `ed25519:...`; two words are an incomplete mnemonic.
        let hasWords = text.withSpan { MnemonicText.wordCount(in: $0) } > 1
        guard hasWords else {
            try WordOptions.refuse(invocation.arguments, "without words")
            let secret = try SecretText.near(text)
            return MadeSecret(secret: secret)
        }
        return try make(from: try WordOptions.entropy(of: text), invocation)
    }

    /// Derives the key of some words, with their passphrase if one is given.
    static func make(
        from entropy: consuming SecretBytes, _ invocation: Invocation
    ) throws -> MadeSecret {
        let path = try path(invocation.arguments)
        let passphrase = try WordOptions.passphrase(invocation)
        return try make(
            from: entropy, passphrase, path,
            hasPassphrase: WordOptions.hasPassphrase(invocation))
    }

    /// Derives the key from the entropy of the words, their passphrase and a path.
    static func make(
        from entropy: consuming SecretBytes, _ passphrase: borrowing SecretBytes,
        _ path: SLIP10.Path, hasPassphrase: Bool
    ) throws -> MadeSecret {
        let secret: SecretBytes
        do throws(CryptoError) {
            secret = try SLIP10.secret(entropy: entropy, passphrase: passphrase, path: path)
        } catch {
            throw WordOptions.noKey
        }
        let phrase = KeyPhrase(
            entropy: entropy, place: .path(path), hasPassphrase: hasPassphrase)
        return MadeSecret(secret: secret, phrase: phrase)
    }

    private static func path(_ arguments: Arguments) throws -> SLIP10.Path {
        guard let text = arguments.value("--path") else { return .near }
        guard let path = SLIP10.Path(text) else {
            throw CLIError.usage(
                "--path takes at most \(SLIP10.Path.depthMax) numbers, all hardened",
                hint: "write --path \"\(SLIP10.Path.near.text)\"")
        }
        return path
    }
}
