// SPDX-License-Identifier: Apache-2.0

import Algorand
import NEAR
import Nostr
import SigningCodecs
import SigningCore
import SigningCrypto

/// The kinds of content that `key import` recognises.
enum KeyFileKind: Hashable {
    /// One secret in the text form of a protocol.
    case text(ProtocolID)
    /// A JSON file of NEAR's command-line tools.
    case credentials
    /// A text with several secrets of Nostr.
    case nostrBundle
    case algorandBackup
    case kmdWallet
    /// The seed in a key file of algokey, 32 bytes.
    case seed

    var protocolID: ProtocolID {
        switch self {
        case .text(let id): id
        case .credentials: .near
        case .nostrBundle: NostrChain().protocolID
        case .algorandBackup, .kmdWallet, .seed: .algorand
        }
    }

    /// True if the file keeps the secret in plain text.
    var isPlain: Bool { self != .algorandBackup && self != .kmdWallet }

    /// The noun phrase for errors.
    private var what: String {
        switch self {
        case .text(let id): "a secret of \(id.name)"
        case .credentials: "credentials of NEAR's tools"
        case .nostrBundle: "secrets of nostr"
        case .algorandBackup: "a backup of algorand accounts (ARC-35)"
        case .kmdWallet: "an SQLite database, as kmd's wallets for algorand are"
        case .seed: "32 bytes, as algokey's key files for algorand are"
        }
    }

    /// The kind of the content; text that could belong to several protocols is of `given`.
    init(of source: borrowing KeySource, given: ProtocolID?) throws {
        let own: Set<ProtocolID?> = [NostrChain().protocolID, .near, .algorand, nil]
        // A protocol of another library has its own forms.
        if let given, !own.contains(given) {
            self = .text(given)
            return
        }
        let found = try Self.recognised(source, given)
        guard let kind = found ?? given.map(KeyFileKind.text) else {
            throw Self.unknown(source)
        }
        if let given, kind.protocolID != given {
            throw CLIError.usage(
                "\(source.shown) has \(kind.what), not a key of \(given.name)",
                hint: "write --protocol \(kind.protocolID.name)")
        }
        self = kind
    }

    /// The kind; nil if it is unknown or needs the protocol.
    private static func recognised(
        _ source: borrowing KeySource, _ given: ProtocolID?
    ) throws -> KeyFileKind? {
        let text = SecretText.trimmed(source.bytes)
        guard text.count > 0 else {
            throw CLIError("\(source.shown) is empty", hint: "check that it is the right file")
        }
        if SecretText.begins(source.bytes, with: KMDWallet.magic) { return .kmdWallet }
        for (head, what, hint) in others where SecretText.begins(text, with: head) {
            throw CLIError("\(source.shown) is \(what)", hint: hint)
        }
        if source.bytes.withSpan({ $0.count == 32 && isBinary($0) }) { return .seed }
        if let kind = nostrKind(text) { return kind }
        if SecretText.begins(text, with: "{") {
            // The reader of credentials says what is wrong in them.
            return try text.withSpan { try objectKind($0, source.shown) }
                ?? (given == .near ? .credentials : nil)
        }
        if SecretText.begins(text, with: SecretText.nearPrefix) { return .text(.near) }
        let wordCount = text.withSpan { MnemonicText.wordCount(in: $0) }
        if wordCount == AlgorandMnemonic.wordCount { return .text(.algorand) }
        return AlgorandBackup.envelope(text) != nil ? .algorandBackup : nil
    }

    private static func nostrKind(_ text: borrowing SecretBytes) -> KeyFileKind? {
        let (count, isAll) = text.withSpan { text in
            let found = NostrBundle.secrets(in: text)
            return (found.count, found.first?.place.count == text.count)
        }
        guard count > 0 else { return nil }
        return isAll ? .text(NostrChain().protocolID) : .nostrBundle
    }

    /// The kind of a JSON object, by its members.
    private static func objectKind(_ text: Span<UInt8>, _ shown: String) throws -> KeyFileKind? {
        guard let members = try? FlatMembers(of: text, skippingNested: true) else { return nil }
        if members.has("suite", in: text) { return .algorandBackup }
        if members.has("private_key", in: text) || members.has("secret_key", in: text) {
            return .credentials
        }
        for (name, what, hint) in otherObjects where members.has(name, in: text) {
            throw CLIError("\(shown) is \(what)", hint: hint)
        }
        return nil
    }

    private static func isBinary(_ bytes: Span<UInt8>) -> Bool {
        bytes.indices.contains {
            bytes[$0] < 0x20 && ![9, 10, 13].contains(bytes[$0]) || bytes[$0] > 0x7E
        }
    }
}

extension KeyFileKind {
    /// The error for content of no kind, with what it resembles.
    private static func unknown(_ source: borrowing KeySource) -> CLIError {
        let text = SecretText.trimmed(source.bytes)
        if let known = NostrSecret.publicForm(of: text) {
            return CLIError(
                "\(source.shown) has \(known), not a secret key", hint: "look for the nsec1...")
        }
        let wordCount = text.withSpan { MnemonicText.wordCount(in: $0) }
        if BIP39.wordCounts.contains(wordCount) {
            return CLIError.usage(
                "\(wordCount) words can be a key of nostr, near or algorand",
                hint: "add --protocol nostr, near or algorand")
        }
        if (try? SecretText.hex(text)) != nil {
            return CLIError.usage(
                "64 hexadecimal digits do not say of which protocol they are a key",
                hint: "add --protocol nostr")
        }
        return CLIError(
            "\(source.shown) is no kind of key file that is known here",
            hint: "see \"countersign key import --help\"; perhaps --protocol is missing")
    }

    private static let exportHint = "export the key from its program in a form of key import --help"

    /// Files that are recognised in order to say what they are, by their first characters.
    private static let others: [(head: String, what: String, hint: String)] = [
        (
            "countersign backup", "a backup of a whole home",
            "countersign backup restore gives a home back with all its keys"
        ),
        (
            "countersign invitation", "an invitation to a shared record, without a key",
            "see countersign ledger join --help"
        ),
        (
            "-----BEGIN OPENSSH PRIVATE KEY", "a key of OpenSSH, which signs no requests here",
            exportHint
        ),
        ("-----BEGIN PGP", "a file of OpenPGP", "decrypt it first: gpg --decrypt"),
        ("-----BEGIN AGE", "a file of age", "decrypt it first: age --decrypt"),
        ("age-encryption.org/", "a file of age", "decrypt it first: age --decrypt"),
        ("-----BEGIN ", "a PEM file, which no wallet of these protocols writes", exportHint),
        ("PK\u{3}\u{4}", "a ZIP archive", "unpack it, and give one file of it"),
    ]

    /// JSON files that are recognised by a member.
    private static let otherObjects: [(member: String, what: String, hint: String)] = [
        (
            "argon2id", "the salt of Pera's cloud backup, without a key",
            "in Pera, make a secure backup of the accounts (ARC-35), or show their words"
        ),
        ("crypto", "an encrypted wallet of Ethereum", exportHint),
        (
            "seed_phrase_hd_path",
            "the note of near-cli-rs about a key on a Ledger, without a secret",
            "the secret stays on the device: add a second key to the account"
        ),
        ("public_key", "a file with a public key and no secret", exportHint),
    ]
}
