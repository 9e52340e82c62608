// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import SigningStorage

/// The forms that NEAR secrets are kept in.
enum NEARSecret {
    /// Reads `ed25519:...`, words, or what a file of credentials holds.
    static func read(
        _ text: borrowing SecretBytes, _ invocation: Invocation
    ) throws(CLIError) -> MadeSecret {
        if SecretText.begins(text, with: "{") {
            try WordOptions.refuse(invocation.arguments, "with credentials")
            let place = CredentialsPlace(path: "")
            return try NEARCredentials.read(text, "standard input", place, invocation)
        }
        // One word is ed25519:...; two are already a mnemonic that lacks some.
        let hasWords = text.withSpan { MnemonicText.wordCount(in: $0) } > 1
        guard hasWords else {
            try WordOptions.refuse(invocation.arguments, "without words")
            let secret = try CLIError.wrapping { () throws(SecretText.ParseError) in
                try SecretText.near(text)
            }
            return MadeSecret(secret: secret)
        }
        return try make(from: try WordOptions.entropy(of: text), invocation)
    }

    /// The key of words, with the passphrase that belongs to them, if one is given.
    static func make(
        from entropy: consuming SecretBytes, _ invocation: Invocation
    ) throws(CLIError) -> MadeSecret {
        let path = try path(invocation.arguments)
        let passphrase = try WordOptions.passphrase(invocation)
        return try make(
            from: entropy, passphrase, path,
            hasPassphrase: WordOptions.hasPassphrase(invocation))
    }

    /// The same, with everything known.
    static func make(
        from entropy: consuming SecretBytes, _ passphrase: borrowing SecretBytes,
        _ path: SLIP10.Path, hasPassphrase: Bool
    ) throws(CLIError) -> MadeSecret {
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

    private static func path(_ arguments: Arguments) throws(CLIError) -> SLIP10.Path {
        guard let text = arguments.value("--path") else { return .near }
        guard let path = SLIP10.Path(text) else {
            throw .usage(
                "--path takes hardened numbers, \(SLIP10.Path.depthMax) at most",
                hint: "write --path \"\(SLIP10.Path.near.text)\"")
        }
        return path
    }
}
