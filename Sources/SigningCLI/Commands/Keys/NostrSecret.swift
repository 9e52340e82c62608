// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import SigningService
import SigningTerminal
import SigningVault

/// The formats of Nostr secrets.
enum NostrSecret {
    /// Reads `nsec1...`, hex, `ncryptsec1...` with its password, or the words of NIP-06.
    static func read(_ text: borrowing SecretBytes, _ invocation: Invocation) throws -> MadeSecret {
        // One word is an nsec or hex; two words are an incomplete mnemonic.
        let hasWords = text.withSpan { MnemonicText.wordCount(in: $0) } > 1
        guard hasWords || !invocation.arguments.has("--words-account") else {
            throw CLIError.usage(
                "--words-account has no effect on a key that is not made of words",
                hint: "leave it out, or give the words")
        }
        if NIP49.isEncrypted(text) {
            let password = try SecondSecret(invocation).read(prompt: "password of the ncryptsec: ")
            do throws(NIP49.ParseError) {
                return MadeSecret(secret: try NIP49.decrypt(text, password: password))
            } catch {
                throw CLIError(error)
            }
        }
        guard hasWords else {
            if let known = publicForm(of: text) {
                throw CLIError(
                    "this is \(known), not a secret key",
                    hint: "expected nsec1... or 64 hexadecimal digits")
            }
            let secret: SecretBytes
            do { secret = try SecretText.nostr(text) } catch {
                guard begins(text, with: "nsec1") else { throw error }
                throw CLIError(
                    "this nsec1... is not complete, or has a wrong character",
                    hint: "copy all of it: an nsec1... has 63 characters")
            }
            return MadeSecret(secret: secret)
        }
        return try make(from: try WordOptions.entropy(of: text), invocation)
    }

    /// The kind of a public NIP-19 text, by its prefix; nil for other texts.
    static func publicForm(of text: borrowing SecretBytes) -> String? {
        publicForms.first { prefix, _ in begins(text, with: prefix) }?.name
    }

    /// True if a text begins with a prefix; the case of ASCII letters does not matter.
    private static func begins(_ text: borrowing SecretBytes, with prefix: String) -> Bool {
        SecretText.trimmed(text).withSpan { span in
            span.count >= prefix.utf8.count
                && prefix.utf8.enumerated().allSatisfy { index, byte in
                    span[index] | 0x20 == byte | 0x20
                }
        }
    }

    private static let publicForms: [(prefix: String, name: String)] = [
        ("npub1", "a public key (npub1...)"), ("nprofile1", "a public key (nprofile1...)"),
        ("note1", "the id of an event (note1...)"), ("nevent1", "the id of an event (nevent1...)"),
        ("naddr1", "the address of an event (naddr1...)"),
    ]

    /// Derives the key of some words, with their passphrase if one is given.
    static func make(
        from entropy: consuming SecretBytes, _ invocation: Invocation
    ) throws -> MadeSecret {
        let account = try account(invocation.arguments)
        let passphrase = try WordOptions.passphrase(invocation)
        let secret: SecretBytes
        do throws(CryptoError) {
            secret = try NIP06.secret(entropy: entropy, passphrase: passphrase, account: account)
        } catch {
            throw WordOptions.noKey
        }
        let phrase = KeyPhrase(
            entropy: entropy, place: .account(account),
            hasPassphrase: WordOptions.hasPassphrase(invocation))
        return MadeSecret(secret: secret, phrase: phrase)
    }

    private static func account(_ arguments: Arguments) throws -> UInt32 {
        guard let text = arguments.value("--words-account") else { return 0 }
        guard let account = UInt32(text), account <= NIP06.accountMax else {
            throw CLIError.usage(
                "--words-account \"\(text)\" is not the number of an account",
                hint: "write --words-account 0")
        }
        return account
    }
}

/// A second secret besides the vault's passphrase: the password of an ncryptsec, or the passphrase
/// of words.
struct SecondSecret {
    private let descriptor: Int32?
    /// The name of the secret in errors.
    private let what: String

    init(_ invocation: Invocation, _ what: String = "password") throws {
        self.what = what
        descriptor = try Passphrase.descriptor(invocation.arguments, "--secret-fd")
    }

    func read(prompt: String) throws -> SecretBytes {
        if let descriptor { return try SecretInput.readLine(from: descriptor) }
        guard let terminal = Terminal() else {
            throw CLIError(
                "the \(what) cannot be asked for: there is no terminal",
                hint: "give --secret-fd N, or run on a terminal")
        }
        return try terminal.readSecret(prompt: prompt)
    }

    /// Reads a new secret; a terminal asks twice.
    func readNew(prompt: String) throws -> SecretBytes {
        let first = try read(prompt: prompt)
        guard first.count > 0 else {
            throw CLIError("the \(what) is empty", hint: "use a sentence")
        }
        guard descriptor == nil else { return first }
        guard try first.isEqual(to: read(prompt: "again: ")) else {
            throw CLIError("the two entries differ", hint: "type the same password twice")
        }
        return first
    }
}

extension CLIError {
    init(_ error: NIP49.ParseError) {
        switch error {
        case .malformed:
            self.init(
                "this is not an ncryptsec",
                hint: "check that all of it was copied")
        case .unsupportedVersion:
            self.init("this ncryptsec has an unsupported version", hint: "version 2 is supported")
        case .tooExpensive(let logN, let max):
            self.init(
                "opening this ncryptsec needs 2^\(logN) KiB of memory",
                hint: "the limit is 2^\(max) KiB: export it again with a lower log_n")
        case .wrongPassword:
            self.init("the password does not open this ncryptsec", hint: "check its spelling")
        case .unusablePassword:
            self.init("the password cannot be used", hint: "use UTF-8 text of at most 1024 bytes")
        case .invalidSecretKey: self.init("this ncryptsec does not contain a secret key", hint: nil)
        case .outOfMemory: self.init("there is not enough memory", hint: "close other programs")
        }
    }
}
