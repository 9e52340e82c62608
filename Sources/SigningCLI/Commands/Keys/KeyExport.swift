// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let keyExport = Command(
        name: "key export",
        options: [
            Option(name: "--format", value: "FORM", offers: .exportForms),
            Option(name: "--log-n", value: "N"),
            Option(name: "--secret-fd", value: "N"),
        ], operands: 1...1,
        operandOffers: [.keys],
        summary: "write the secret of a key",
        usage: """
            usage: countersign key export [--format FORM] [--log-n N] [--secret-fd N] NAME

            Writes the secret of a key, alone, to standard output, after the passphrase. The export
            goes on record first. While signing is frozen nothing is exported. If the policy in
            force has [governance] with "export", its approvers have to approve this key and form
            first. The command waits for them; Ctrl-C withdraws the question.

            FORM of a nostr key is nsec (the default), hex, ncryptsec or words (for a key that was
            made from words). ncryptsec has a password of its own, which is asked for or read from
            descriptor N of --secret-fd; --log-n sets its cost, 16 to 20 (18). FORM of a near key is
            near (the default, ed25519:...), words, or credentials (the file format of near-cli).
            FORM of an algorand key is words: its 25 words, or the words of its wallet (ARC-52).

            example: countersign key export --format ncryptsec alice > alice.ncryptsec
            """
    ) { invocation in
        let workspace = try invocation.workspace(toWrite: true)
        let account = try workspace.account(named: try invocation.operand(0))
        guard !account.isWatchOnly else { throw CLIError(VaultError.noSecret(name: account.name)) }
        guard let chain = invocation.protocols.chain(named: account.protocolID.name) else {
            throw CLIError(
                "\(account.name) is a key of \(account.protocolID), which this program does not "
                    + "support",
                hint: "export it with the program that made it")
        }
        let form = try ExportForm(invocation.arguments, of: chain)
        let passphrase = try invocation.passphrase().read(
            to: "export the secret of \"\(account.name)\"")
        try workspace.unlock(passphrase)
        let ledger = try workspace.openLedger()
        let freeze = try ledger.freezeReason()
        guard freeze == nil else { throw LedgerError.frozen }
        let (questions, consent) = try await workspace.consent(
            to: .export(account.id, form: form.name), in: ledger, invocation.console
        ) { _ in GovernanceText.export(of: account, as: form.name) }
        let text = try form.text(of: account, workspace, passphrase, invocation)
        do throws(LedgerError) {
            try ledger.recordExport(
                of: account, form: form.name, at: SystemEnvironment().now(), consent)
        } catch {
            await questions.withdraw(consent)
            throw error
        }
        workspace.checkpointIfSound(ledger, invocation.console)
        // The credentials format of near-cli is already a JSON object.
        invocation.console.put(
            secret: text,
            asMember: invocation.console.isJSON && form.name != "credentials" ? "secret" : nil)
        return .done
    }
}

/// The format of an exported secret.
enum ExportForm {
    case nsec, hex, words, near, credentials
    /// The 25 words of Algorand, which encode the key itself; the other words only derive it.
    case keyWords
    case ncryptsec(logN: Int)
    /// The text format of a chain without special formats.
    case plain(String, any Chain)

    init(_ arguments: Arguments, of chain: any Chain) throws {
        let names = SecretForms.of(chain).exports
        let name = arguments.value("--format") ?? names.first ?? ""
        let logN = try arguments.value("--log-n").map { text in
            guard name == "ncryptsec", let logN = Int(text),
                (NIP49.logNMin...NIP49.logNMax).contains(logN)
            else {
                throw CLIError.usage(
                    "--log-n takes \(NIP49.logNMin) to \(NIP49.logNMax), and only for --format "
                        + "ncryptsec",
                    hint: "leave it out")
            }
            return logN
        }
        switch name {
        case _ where !names.contains(name):
            throw CLIError.usage(
                "unknown --format \"\(VisibleText.quotable(name))\"",
                hint: "one of: \(names.joined(separator: ", "))")
        case _ where SecretForms.isPlain(chain): self = .plain(name, chain)
        case "hex": self = .hex
        case "words": self = names == ["words"] ? .keyWords : .words
        case "near": self = .near
        case "credentials": self = .credentials
        case "ncryptsec": self = .ncryptsec(logN: logN ?? NIP49.logNDefault)
        default: self = .nsec
        }
        guard name == "ncryptsec" || !arguments.has("--secret-fd") else {
            throw CLIError.usage(
                "--secret-fd applies only to --format ncryptsec", hint: "leave it out")
        }
    }

    var name: String {
        switch self {
        case .nsec: "nsec"
        case .hex: "hex"
        case .words, .keyWords: "words"
        case .near: "near"
        case .credentials: "credentials"
        case .ncryptsec: "ncryptsec"
        case .plain(let name, _): name
        }
    }

    /// The exported text; throws if the passphrase is wrong.
    func text(
        of account: Account, _ workspace: Workspace, _ passphrase: borrowing SecretBytes,
        _ invocation: Invocation
    ) throws -> SecretBytes {
        if case .words = self {
            return try words(of: account, workspace, passphrase, invocation.console)
        }
        let secret = try workspace.vault.exportSecret(of: account, passphrase: passphrase)
        switch self {
        case .nsec: return SecretText.nsec(of: secret)
        case .hex, .words: return SecretText.hex(of: secret)
        case .plain(_, let chain): return SecretForms.text(of: secret, chain)
        case .keyWords:
            // An extended secret has no 25 words, only those that it was derived from.
            guard secret.count == AlgorandMnemonic.seedCount else {
                return try words(of: account, workspace, passphrase, invocation.console)
            }
            return AlgorandMnemonic.words(seed: secret)
        case .near, .credentials:
            do throws(CryptoError) {
                guard case .credentials = self else { return try SecretText.near(of: secret) }
                return try SecretText.nearCredentials(of: secret, account: account.address)
            } catch {
                throw VaultError.corruptedRecord(account.name)
            }
        case .ncryptsec(let logN):
            let password = try SecondSecret(invocation).readNew(prompt: "new password: ")
            do throws(NIP49.ParseError) {
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
    ) throws -> SecretBytes {
        let found = try workspace.vault.exportPhrase(of: account, passphrase: passphrase)
        guard let phrase = found else {
            throw CLIError(
                "\(account.name) was not made from words",
                hint: "leave out --format words")
        }
        let place =
            switch phrase.place {
            case .account(let number): "account \(number) of these words (NIP-06)"
            case .path(let path): "path \(path.text) of these words (SLIP-10)"
            case .extended(let path, let mode):
                "path \(path.text) of these words (ARC-52, \(mode.rawValue))"
            }
        let extra = phrase.hasPassphrase ? ", with the passphrase you gave for them" : ""
        console.note(place + extra)
        return BIP39.words(entropy: phrase.entropy)
    }
}
