// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningStorage

extension CommandLineTool {
    static let keyCommands = [
        keyNew, keyImport, keyExport, keyList, keyShow, keyRename, keyTag, keyRemove,
    ]

    private static let making = [
        Option(name: "--protocol", value: "P"), Option(name: "--name", value: "NAME"),
        Option(name: "--account", value: "ID"), Option(name: "--network", value: "NET"),
    ]

    private static let keyNew = Command(
        name: "key new",
        options: making + [Option(name: "--words", value: "COUNT")] + NostrSecret.options,
        operands: 0...0,
        usage: """
            usage: countersign key new --protocol P --name NAME [--account ID] [--network NET]
                                       [--words COUNT] [--words-account N] [--secret-fd N]

            Makes a key. P is nostr, near or algorand. --account is the NEAR account the key
            belongs to (without it the key's implicit account). --network binds a near or algorand
            key to mainnet or testnet. --words 12 or 24 makes a nostr key from so many words
            (NIP-06), which "key export" shows; --words-account counts the keys of the same words,
            --secret-fd gives a passphrase that belongs to them.

            example: countersign key new --protocol nostr --name alice
            """
    ) { invocation throws(CLIError) in
        guard let count = invocation.arguments.value("--words") else {
            try NostrSecret.refuseOptions(invocation.arguments, without: "--words")
            return try add(
                invocation, MadeSecret(secret: SecretBytes.random(count: 32), phrase: nil))
        }
        guard ["12", "24"].contains(count), let wordCount = Int(count),
            try KeyFamily(invocation.arguments) == .nostr
        else {
            throw .usage("--words is 12 or 24, for nostr keys", hint: "leave it out")
        }
        return try add(
            invocation,
            NostrSecret.make(from: BIP39.makeEntropy(wordCount: wordCount), invocation))
    }

    private static let keyImport = Command(
        name: "key import", options: making + NostrSecret.options, operands: 0...0,
        usage: """
            usage: countersign key import --protocol P --name NAME [--account ID] [--network NET]
                                          [--words-account N] [--secret-fd N]

            As "key new", with a secret read from standard input, never from an argument. nostr
            takes nsec1..., 64 hexadecimal digits, ncryptsec1... (its password is asked for, or
            read from descriptor N of --secret-fd) or 12 to 24 words (NIP-06: --words-account is
            the number of the key, 0 without it; --secret-fd gives the passphrase that belongs to
            them). near takes ed25519:..., algorand takes the 25 words.

            example: countersign key import --protocol nostr --name alice < secret.txt
            """
    ) { invocation throws(CLIError) in
        let family = try KeyFamily(invocation.arguments)
        let text = try SecretInput.readStandardInput()
        if family == .nostr { return try add(invocation, NostrSecret.read(text, invocation)) }
        try NostrSecret.refuseOptions(invocation.arguments, without: "--protocol nostr")
        let secret = try CLIError.wrapping { () throws(SecretText.Failure) in
            try family.readSecret(text)
        }
        return try add(invocation, MadeSecret(secret: secret, phrase: nil))
    }

    private static func add(
        _ invocation: Invocation, _ made: consuming MadeSecret
    ) throws(CLIError) -> ExitStatus {
        var made = made
        let phrase = made.phrase.take()
        let family = try KeyFamily(invocation.arguments)
        let name = try invocation.arguments.required("--name")
        let publicKey = try family.publicKey(of: made.secret)
        let address = try family.address(
            publicKey: publicKey, given: invocation.arguments.value("--account"))
        let network = try family.network(invocation.arguments.value("--network"))
        let workspace = try invocation.workspace()
        let passphrase = try invocation.passphrase().read()
        let account: Account
        do throws(VaultError) {
            try workspace.vault.unlock(passphrase: passphrase)
            account = try workspace.vault.add(
                name: name, protocolID: family.protocolID, algorithm: family.algorithm,
                address: address, network: network, secret: made.secret, phrase: phrase)
        } catch {
            throw CLIError(error)
        }
        KeyReport.put(account, to: invocation.console)
        return .done
    }

    private static let keyList = Command(
        name: "key list", options: [], operands: 0...0,
        usage: """
            usage: countersign key list

            Lists the keys: name, protocol, network, address. Needs no passphrase.

            example: countersign key list --json
            """
    ) { invocation throws(CLIError) in
        let accounts = try invocation.workspace().accounts()
        guard invocation.console.isJSON else {
            KeyReport.putTable(accounts, to: invocation.console)
            return .done
        }
        invocation.console.put(JSON.array(accounts.map { KeyReport.json($0) }).write())
        return .done
    }

    private static let keyShow = Command(
        name: "key show",
        options: [Option(name: "--qr", value: nil), Option(name: "--relays", value: "URLS")],
        operands: 1...1,
        usage: """
            usage: countersign key show [--qr] [--relays URLS] NAME

            Shows the public half of one key in the forms its protocol uses; --qr shows it as a QR
            code as well. With --relays, the URLs of relays with commas between, a nostr key is
            shown as nprofile too.

            example: countersign key show --qr alice
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let account = try workspace.account(named: try invocation.operand(0))
        let relays = invocation.arguments.value("--relays")
        let profile = try relays.map { (list) throws(CLIError) in
            try KeyReport.profile(of: account, relays: list)
        }
        KeyReport.put(account, profile: profile, to: invocation.console)
        if invocation.arguments.has("--qr"), !invocation.console.isJSON {
            for row in TerminalQR.rows(KeyReport.scannable(account, profile)) ?? [] {
                invocation.console.put(row)
            }
        }
        return .done
    }

    private static let keyRename = Command(
        name: "key rename", options: [], operands: 2...2,
        usage: """
            usage: countersign key rename NAME NEW

            Gives a key another name. The name is sealed with the key, so the passphrase is asked
            for; rules that use the old name no longer match.

            example: countersign key rename alice alice-old
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let account = try workspace.account(named: try invocation.operand(0))
        let passphrase = try invocation.passphrase().read()
        let name = try invocation.operand(1)
        try CLIError.wrapping { () throws(VaultError) in
            try workspace.vault.unlock(passphrase: passphrase)
            try workspace.vault.rename(account.name, to: name)
        }
        invocation.console.note("renamed \(account.name) to \(name)")
        return .done
    }

    private static let keyTag = Command(
        name: "key tag", options: [], operands: 1...17,
        usage: """
            usage: countersign key tag NAME [TAG...]

            Puts a key into groups that rules can name (key.tags), in place of those it was in. The
            list of keys is sealed, so the passphrase is asked for.

            example: countersign key tag alice bots staging
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let account = try workspace.account(named: try invocation.operand(0))
        let tags = Array(invocation.arguments.operands.dropFirst())
        let passphrase = try invocation.passphrase().read()
        let tagged = try CLIError.wrapping { () throws(VaultError) in
            try workspace.vault.unlock(passphrase: passphrase)
            return try workspace.vault.tag(account.name, with: tags)
        }
        KeyReport.put(tagged, to: invocation.console)
        return .done
    }

    private static let keyRemove = Command(
        name: "key remove", options: [], operands: 1...1,
        usage: """
            usage: countersign key remove NAME

            Deletes a key for ever, after the passphrase. Keep a backup of what you still need.

            example: countersign key remove alice-old
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let account = try workspace.account(named: try invocation.operand(0))
        let passphrase = try invocation.passphrase().read()
        try CLIError.wrapping { () throws(VaultError) in
            try workspace.vault.unlock(passphrase: passphrase)
            try workspace.vault.remove(account.name)
        }
        invocation.console.note("removed \(account.name)")
        return .done
    }
}
