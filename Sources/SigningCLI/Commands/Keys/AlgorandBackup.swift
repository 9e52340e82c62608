// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCrypto

/// A backup of several accounts that Pera and other wallets write (ARC-35).
///
/// The file is Base64 of a JSON envelope. Its ciphertext is a secretbox, whose key follows from the
/// 12 words that the wallet showed.
enum AlgorandBackup {
    /// Reads the accounts that have a secret, after the 12 words.
    static func read(_ source: borrowing KeySource, _ invocation: Invocation) throws -> KeyBundle {
        let shown = source.shown
        guard let envelope = envelope(source.bytes) else { throw malformed(shown) }
        let box = try ciphertext(of: envelope, shown)
        let key = try key(of: invocation)
        let text: SecretBytes
        do throws(CryptoError) {
            text = try box.withSpan { box throws(CryptoError) in
                try SecretBox.open(box, key: key)
            }
        } catch {
            throw CLIError(
                "the 12 words do not open \(shown)",
                hint: "a backup has words of its own: those that the wallet showed with it")
        }
        return try text.withSpan { try accounts(in: $0, shown) }
    }

    /// The JSON of a backup, which may be in Base64; nil for other texts.
    static func envelope(_ text: borrowing SecretBytes) -> SecretBytes? {
        if SecretText.begins(text, with: "{") { return SecretText.trimmed(text) }
        guard let decoded = base64(text), SecretText.begins(decoded, with: "{") else { return nil }
        return decoded
    }

    /// Decodes Base64 that may be broken into lines.
    private static func base64(_ text: borrowing SecretBytes) -> SecretBytes? {
        let digits = SecretBytes(countMax: text.count) { output in
            text.withSpan { text in
                var count = 0
                for index in text.indices where text[index] > 0x20 {
                    output[count] = text[index]
                    count += 1
                }
                return count
            }
        }
        return digits.withSpan { digits in
            try? SecretBytes(countMax: digits.count) { output throws(CodecError) in
                try Base64.decode(digits, into: &output, alphabet: .either, padding: .optional)
            }
        }
    }

    private static func ciphertext(
        of envelope: borrowing SecretBytes, _ shown: String
    ) throws -> SecretBytes {
        let members = try? envelope.withSpan { text throws(FlatMembers.ParseError) in
            try FlatMembers(of: text, skippingNested: true)
        }
        guard let members else { throw malformed(shown) }
        func text(_ name: String) -> SecretBytes? {
            envelope.withSpan { BackupText.read(name, members, in: $0) }
        }
        guard let version = text("version"), let kind = text("suite") else {
            throw malformed(shown)
        }
        guard BackupText.isEqual(version, "1.0"), BackupText.isEqual(kind, suite) else {
            throw CLIError(
                "\(shown) is a backup of a newer or another form than ARC-35, version 1.0",
                hint: "export the accounts as 25 words each, and import those")
        }
        guard let digits = text("ciphertext"), let box = base64(digits) else {
            throw malformed(shown)
        }
        return box
    }

    /// The key of the backup's box: HMAC-SHA256 of the entropy of its words.
    private static func key(of invocation: Invocation) throws -> SecretBytes {
        let words = try SecondSecret(invocation, "12 words of the backup").read(
            prompt: "12 words of the backup: ")
        let entropy = try WordOptions.entropy(of: words)
        guard entropy.count == entropyCount else {
            throw CLIError(
                "a backup has 12 words, and the input has a different number",
                hint: "give the words that the wallet showed with the backup")
        }
        return HKDF.extract(salt: "Algorand export 1.0".utf8.span, input: entropy)
    }

    private static func accounts(in text: Span<UInt8>, _ shown: String) throws -> KeyBundle {
        guard let members = try? FlatMembers(of: text, skippingNested: true),
            let places = members.objects("accounts", in: text)
        else { throw malformed(shown) }
        try KeyBundle.check(count: places.count, shown)
        var bundle = KeyBundle()
        for (number, place) in places.enumerated() {
            let account = text.extracting(place)
            guard let members = try? FlatMembers(of: account, skippingNested: true) else {
                bundle.leftOut.append("account \(number + 1) of the backup cannot be read")
                continue
            }
            let address =
                BackupText.shown("address", members, in: account)
                ?? "account \(number + 1) of the backup"
            if let reason = take(account, members, address, into: &bundle) {
                bundle.leftOut.append("\(address) \(reason)")
            }
        }
        return bundle
    }

    /// Takes the key of one account; returns the reason if there is no usable key.
    private static func take(
        _ account: Span<UInt8>, _ members: FlatMembers, _ address: String,
        into bundle: inout KeyBundle
    ) -> String? {
        guard let digits = BackupText.read("private_key", members, in: account) else {
            for kind in ["watch", "multisig", "ledger", "contact"] {
                if let text = BackupText.read("account_type", members, in: account),
                    BackupText.isEqual(text, kind)
                {
                    return "has no secret in the backup: its account_type is \(kind)"
                }
            }
            return "has no private_key in the backup"
        }
        guard let both = base64(digits), both.count == AlgorandPair.count else {
            return "has a private_key that is not Base64 of \(AlgorandPair.count) bytes"
        }
        guard let seed = both.withSpan({ AlgorandPair.seed(of: $0, address: address) }) else {
            return "does not belong to its private_key"
        }
        bundle.keys.append(BundledKey(seed))
        return nil
    }

    private static func malformed(_ shown: String) -> CLIError {
        CLIError(
            "\(shown) is not a whole backup of ARC-35",
            hint: "give the text or file that the wallet exported, without changes")
    }

    private static let suite = "HMAC-SHA256:sodium_secretbox_easy"
    private static let entropyCount = 16
}

/// The seed and public key of an Algorand account, 64 bytes.
enum AlgorandPair {
    static let count = 64

    /// The seed, if the public half and the address belong to it.
    static func seed(of both: Span<UInt8>, address: String) -> SecretBytes? {
        guard both.count == count else { return nil }
        let seed = SecretBytes(copying: both.extracting(0..<32))
        guard let key = try? Ed25519Key(seed: seed).publicKey,
            ConstantTime.isEqual(both.extracting(32..<64), key.span),
            AlgorandAddress.text(publicKey: key.span) == address
        else { return nil }
        return seed
    }
}
