// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningStorage

extension CommandLineTool {
    static let keyExport = Command(
        name: "key export",
        options: [
            Option(name: "--format", value: "FORM"), Option(name: "--log-n", value: "N"),
            Option(name: "--secret-fd", value: "N"),
        ], operands: 1...1,
        usage: """
            usage: countersign key export [--format FORM] [--log-n N] [--secret-fd N] NAME

            Writes the secret of a nostr key, alone, to standard output, after the passphrase. It
            is on record first; a frozen hub exports nothing. FORM is nsec (the default), hex,
            ncryptsec (under a password of its own, asked for or read from descriptor N of
            --secret-fd; --log-n 16 to 20 is its cost, 18 without it) or words, for a key that
            was made from words.

            example: countersign key export --format ncryptsec alice > alice.ncryptsec
            """
    ) { invocation throws(CLIError) in
        let form = try ExportForm(invocation.arguments)
        let workspace = try invocation.workspace()
        let account = try workspace.account(named: try invocation.operand(0))
        guard account.protocolID == KeyFamily.nostr.protocolID else {
            throw CLIError(
                "\(account.name) is a \(account.protocolID) key", hint: "nostr keys are exported")
        }
        let passphrase = try invocation.passphrase().read()
        let text = try form.text(of: account, workspace, passphrase, invocation)
        try workspace.unlock(passphrase)
        let ledger = try workspace.openLedger()
        try CLIError.wrapping { () throws(LedgerError) in
            try ledger.recordExport(
                of: account, form: form.name, at: SystemEnvironment().now())
        }
        try workspace.checkpointAtExit(ledger)
        invocation.console.put(secret: text)
        return .done
    }
}

/// What an exported secret looks like.
enum ExportForm {
    case nsec, hex, words
    case ncryptsec(logN: Int)

    init(_ arguments: Arguments) throws(CLIError) {
        let name = arguments.value("--format") ?? "nsec"
        let logN = try arguments.value("--log-n").map { (text) throws(CLIError) in
            guard name == "ncryptsec", let logN = Int(text),
                (NIP49.logNMin...NIP49.logNMax).contains(logN)
            else {
                throw .usage(
                    "--log-n is \(NIP49.logNMin) to \(NIP49.logNMax), for ncryptsec",
                    hint: "leave it out")
            }
            return logN
        }
        switch name {
        case "nsec": self = .nsec
        case "hex": self = .hex
        case "words": self = .words
        case "ncryptsec": self = .ncryptsec(logN: logN ?? NIP49.logNDefault)
        default:
            throw .usage(
                "there is no form \"\(VisibleText.escaped(name))\"",
                hint: "one of: nsec, hex, ncryptsec, words")
        }
    }

    var name: String {
        switch self {
        case .nsec: "nsec"
        case .hex: "hex"
        case .words: "words"
        case .ncryptsec: "ncryptsec"
        }
    }

    /// The text that is written; the passphrase is proved on the way.
    func text(
        of account: Account, _ workspace: Workspace, _ passphrase: borrowing SecretBytes,
        _ invocation: Invocation
    ) throws(CLIError) -> SecretBytes {
        if case .words = self {
            return try words(of: account, workspace, passphrase, invocation.console)
        }
        let secret = try CLIError.wrapping { () throws(VaultError) in
            try workspace.vault.exportSecret(of: account.name, passphrase: passphrase)
        }
        switch self {
        case .nsec: return SecretText.nsec(of: secret)
        case .hex, .words: return SecretText.hex(of: secret)
        case .ncryptsec(let logN):
            let password = try SecretWord(invocation).readNew(prompt: "new password: ")
            do throws(NIP49.Failure) {
                let text = try NIP49.encrypt(
                    secret, password: password, logN: logN, security: .untracked)
                return SecretBytes(copying: text.utf8.span)
            } catch {
                throw CLIError(error)
            }
        }
    }

    private func words(
        of account: Account, _ workspace: Workspace, _ passphrase: borrowing SecretBytes,
        _ console: Console
    ) throws(CLIError) -> SecretBytes {
        let found = try CLIError.wrapping { () throws(VaultError) in
            try workspace.vault.exportPhrase(of: account.name, passphrase: passphrase)
        }
        guard let phrase = found else {
            throw CLIError(
                "\(account.name) was not made from words",
                hint: "use --format nsec or ncryptsec")
        }
        let extra = phrase.hasPassphrase ? ", with the passphrase you gave for them" : ""
        console.note("account \(phrase.account) of these words (NIP-06)\(extra)")
        return BIP39.words(entropy: phrase.entropy)
    }
}
