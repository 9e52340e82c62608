// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningStorage

extension CommandLineTool {
    static let keyCommands = [keyNew, keyImport, keyList, keyShow, keyRename, keyTag, keyRemove]

    private static let making = [
        Option(name: "--protocol", value: "P"), Option(name: "--name", value: "NAME"),
        Option(name: "--account", value: "ID"), Option(name: "--network", value: "NET"),
    ]

    private static let keyNew = Command(
        name: "key new", options: making, operands: 0...0,
        usage: """
            usage: countersign key new --protocol P --name NAME [--account ID] [--network NET]

            Makes a key. P is nostr, near or algorand. --account is the NEAR account the key
            belongs to (without it the key's implicit account). --network binds a near or algorand
            key to mainnet or testnet.

            example: countersign key new --protocol nostr --name alice
            """
    ) { invocation throws(CLIError) in
        try add(invocation, secret: SecretBytes.random(count: 32))
    }

    private static let keyImport = Command(
        name: "key import", options: making, operands: 0...0,
        usage: """
            usage: countersign key import --protocol P --name NAME [--account ID] [--network NET]

            As "key new", with a secret read from standard input, never from an argument: nostr
            takes nsec1... or 64 hexadecimal digits, near takes ed25519:..., algorand takes the 25
            words.

            example: countersign key import --protocol nostr --name alice < secret.txt
            """
    ) { invocation throws(CLIError) in
        let family = try KeyFamily(invocation.arguments)
        let text = try SecretInput.readStandardInput()
        let secret = try CLIError.wrapping { () throws(SecretText.Failure) in
            try family.readSecret(text)
        }
        return try add(invocation, secret: secret)
    }

    private static func add(
        _ invocation: Invocation, secret: borrowing SecretBytes
    ) throws(CLIError) -> ExitStatus {
        let family = try KeyFamily(invocation.arguments)
        let name = try invocation.arguments.required("--name")
        let publicKey = try family.publicKey(of: secret)
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
                address: address, network: network, secret: secret)
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
        invocation.console.put(JSON.array(accounts.map(KeyReport.json)).write())
        return .done
    }

    private static let keyShow = Command(
        name: "key show", options: [], operands: 1...1,
        usage: """
            usage: countersign key show NAME

            Shows the public half of one key in the forms its protocol uses.

            example: countersign key show alice
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let account = try workspace.account(named: try invocation.operand(0))
        KeyReport.put(account, to: invocation.console)
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
