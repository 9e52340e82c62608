// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningService
import SigningVault

extension CommandLineTool {
    static let keyImport = Command(
        name: "key import",
        options: making + AlgorandSecret.options + [DerivedAddress.option],
        operands: 0...1,
        traits: [.takesSecrets],
        summary: "import secret keys from a file or standard input",
        usage: """
            usage: countersign key import --name NAME [--protocol P] [--account ID] [--network NET]
                                          [--words-account N] [--path PATH] [--secret-fd N]
                                          [--mdk-index N] [--scheme SCHEME] [--hd-path PATH]
                                          [--hd-mode MODE] [--yes] [FILE]

            Imports the secret key in FILE, or in standard input, never from an argument. The kind
            of FILE is recognised; --protocol is only needed for words and hexadecimal digits. The
            other options are those of "key new". A password or passphrase of the file is asked
            for, or read from descriptor N of --secret-fd.

            If FILE has several keys, all are imported, as NAME-1, NAME-2 and so on; --account
            ADDRESS imports one of them, as NAME. Keys that are in this home stay as they are.

            nostr: nsec1..., 64 hexadecimal digits, ncryptsec1..., 12 to 24 words, or a text with
            several nsec1... and ncryptsec1... . For words, --words-account is the number of the
            key (NIP-06; 0), and --secret-fd reads the passphrase of the words.

            near: ed25519:..., 12 to 24 words, or a file of near-cli and near-cli-rs, whose folder
            names the network, and what near-cli-rs keeps in the system's keychain. --path is
            m/44'/397'/0' by default, and m/44'/397'/0'/0'/1' on a Ledger.

            algorand: 25 words, a key file of algokey, a kmd wallet, or a backup of Pera and others
            (ARC-35), which has 12 words of its own. With --mdk-index the 25 words are the master
            key of a kmd wallet, and N is the number of the key, from 1. With --scheme or --hd-path
            they are the 12 to 24 words of a wallet, and --secret-fd reads their passphrase. SCHEME
            is arc52 (m/44'/283'/0'/0/0; MODE is peikert or khovratovich), slip10
            (m/44'/283'/0'/0'/0', Trust Wallet) or ledger (m/44'/283'/0'/0/0; the third number is
            the account). On a terminal you see the address before the key is kept; --yes keeps it
            without a question.

            example: countersign key import --name alice secret.txt
            """
    ) { invocation in
        let given = try invocation.arguments.has("--protocol") ? chain(invocation) : nil
        if let given { try WordOptions.check(invocation.arguments, for: given) }
        let source = try source(invocation)
        let kind = try KeyFileKind(of: source, given: given?.protocolID)
        return try importKey(
            source, kind, chain(named: kind.protocolID.name, invocation), invocation)
    }

    private static func source(_ invocation: Invocation) throws -> KeySource {
        guard let path = invocation.arguments.operands.first else {
            return KeySource(bytes: try SecretInput.readStandardInput())
        }
        guard !SecretArguments.isSecret(path) else { throw SecretArguments.refusal }
        return try KeySource(path: path)
    }

    private static func importKey(
        _ source: borrowing KeySource, _ kind: KeyFileKind, _ chain: any Chain,
        _ invocation: Invocation
    ) throws -> ExitStatus {
        try WordOptions.check(invocation.arguments, for: chain)
        let status: ExitStatus
        var isWhole = true
        switch kind {
        case .text:
            let made = try SecretForms.of(chain).read(source.bytes, invocation)
            warn(about: source, kind, invocation.console)
            status = try add(invocation, chain, made)
        case .credentials:
            let made = try NEARCredentials.read(source, invocation)
            warn(about: source, kind, invocation.console)
            status = try add(invocation, chain, made)
        case .nostrBundle, .algorandBackup, .kmdWallet, .seed:
            let bundle = try bundle(source, kind, invocation)
            isWhole = bundle.leftOut.isEmpty
            warn(about: source, kind, invocation.console)
            status = try addAll(bundle, source, chain, invocation)
        }
        if kind.isPlain, isWhole, source.realPath != nil {
            invocation.console.note(
                "\(source.shown) still contains the secret in plain text; delete it if you do not "
                    + "need it")
        }
        return status
    }

    private static func warn(
        about source: borrowing KeySource, _ kind: KeyFileKind, _ console: Console
    ) {
        guard kind.isPlain, source.isOpenToOthers else { return }
        console.warn("\(source.shown) can be read by others", hint: "chmod 600 \(source.shown)")
    }

    /// The keys of a file that can have several.
    private static func bundle(
        _ source: borrowing KeySource, _ kind: KeyFileKind, _ invocation: Invocation
    ) throws -> KeyBundle {
        // Fails before a password is asked for.
        _ = try invocation.arguments.required("--name")
        for option in (WordOptions.all + AlgorandSecret.options).map(\.name) + ["--yes"]
        where option != "--secret-fd" && invocation.arguments.has(option) {
            throw CLIError.usage(
                "\(option) cannot be used with \(source.shown)", hint: "leave it out")
        }
        switch kind {
        case .nostrBundle: return try NostrBundle.read(source, invocation)
        case .kmdWallet: return try KMDWallet.read(source, invocation)
        case .algorandBackup: return try AlgorandBackup.read(source, invocation)
        case .seed, .text, .credentials:
            guard !invocation.arguments.has("--secret-fd") else {
                throw CLIError.usage(
                    "a key file of algokey has no password", hint: "leave out --secret-fd")
            }
            return KeyBundle(keys: [
                BundledKey(source.bytes.withSpan { SecretBytes(copying: $0) })
            ])
        }
    }

    /// Adds the chosen keys of a bundle; keys that are in the home already stay as they are.
    private static func addAll(
        _ bundle: KeyBundle, _ source: borrowing KeySource, _ chain: any Chain,
        _ invocation: Invocation
    ) throws -> ExitStatus {
        let chosen = try bundle.chosen(
            by: invocation.arguments.value("--account"),
            named: invocation.arguments.required("--name"), chain, source.shown,
            among: invocation.protocols.algorithms)
        let network = try invocation.network(
            invocation.arguments.value("--network"), of: chain)
        let workspace = try invocation.workspace(toChange: true)
        let new = try free(chosen, in: workspace, source.shown, invocation.console)
        if invocation.arguments.value("--account") == nil {
            for reason in bundle.leftOut { invocation.console.note("left out: \(reason)") }
        }
        let what = new.count == 1 ? "\"\(new[0].name)\"" : "\(new.count) keys"
        let passphrase = try invocation.passphrase().read(to: "add \(what)")
        var added: [Account] = []
        var failure: (any Error)?
        try workspace.change(with: passphrase) { vault in
            do {
                for key in new {
                    added.append(
                        try vault.add(
                            name: key.name, protocolID: chain.protocolID,
                            algorithm: chain.algorithm, address: key.address, network: network,
                            secret: key.key.secret, servesAccounts: chain.namesAccounts))
                }
            } catch { failure = error }
        }
        let report = KeyReport(invocation)
        if chosen.count == 1, let account = added.first {
            report.put(account, among: [])
        } else if invocation.console.isJSON {
            report.putList(added)
        } else if !added.isEmpty {
            report.putTable(added)
        }
        if let failure { throw failure }
        return .done
    }

    /// The keys that the home lacks, once their names are free.
    private static func free(
        _ chosen: [NamedKey], in workspace: Workspace, _ shown: String, _ console: Console
    ) throws -> [NamedKey] {
        let held = try workspace.accounts()
        var new: [NamedKey] = []
        for key in chosen {
            let own = held.first { $0.publicKey == key.publicKey && !$0.isWatchOnly }
            if let own, chosen.count > 1 {
                console.note("\(key.address) is in this home already, as \"\(own.name)\"")
                continue
            }
            if own == nil, held.contains(where: { $0.name == key.name }) {
                throw VaultError.alreadyExists(key.name)
            }
            try Vault.checkName(key.name)
            new.append(key)
        }
        guard !new.isEmpty else {
            throw CLIError(
                "all \(chosen.count) keys of \(shown) are in this home already",
                hint: "see \"countersign key list\"")
        }
        return new
    }
}
