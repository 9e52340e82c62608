// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningService
import SigningVault

extension CommandLineTool {
    static let keyCommands = [
        keyNew, keyImport, keyWatch, keyExport, keyList, keyShow, keyRename, keyTag, keyRemove,
    ]

    private static let keyList = Command(
        of: OwnerActs.keyList, operands: 0...0,
        usage: """
            usage: countersign key list

            Lists the keys: name, protocol, network and address. For a watch-only account it shows
            the threshold and which of its members have a key in this home. Needs no passphrase.

            example: countersign key list --json
            """
    ) { invocation in
        let accounts = try invocation.workspace().perform(OwnerActs.keyList, ())
        guard invocation.console.isJSON else {
            KeyReport(invocation).putTable(accounts)
            return .done
        }
        let report = KeyReport(invocation)
        invocation.console.put(
            JSON.array(accounts.map { report.json($0, among: accounts) }).write())
        return .done
    }

    private static let keyShow = Command(
        name: "key show",
        options: [Option(name: "--qr", value: nil), Option(name: "--relays", value: "URLS")],
        operands: 1...1,
        operandOffers: [.keys],
        summary: "show a public key, also as a QR code",
        usage: """
            usage: countersign key show [--qr] [--relays URLS] NAME

            Shows the public key of NAME in the forms that its protocol uses, or the members of a
            watch-only account. --qr adds a QR code. --relays takes the URLs of relays, separated by
            commas, and adds the nprofile form of a nostr key.

            example: countersign key show --qr alice
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let account = try workspace.account(named: try invocation.operand(0))
        let relays = invocation.arguments.value("--relays")
        let profile = try relays.map { list in
            try KeyReport.profile(of: account, relays: list)
        }
        let report = KeyReport(invocation)
        report.put(account, among: try workspace.accounts(), profile: profile)
        if invocation.arguments.has("--qr"), !invocation.console.isJSON {
            for row in TerminalQR.rows(report.scannable(account, profile)) ?? [] {
                invocation.console.put(row)
            }
        }
        return .done
    }

    private static let keyRename = Command(
        of: OwnerActs.keyRename, operands: 2...2,
        usage: """
            usage: countersign key rename NAME NEW

            Gives a key another name. The name is sealed with the key, so the command asks for the
            passphrase; the change goes on record. A rename must not change what may be signed: if a
            rule in force treats the two names differently, the command refuses. Name both in
            policy.toml and attest it first. Limits by "key" follow the key, so a new name does not
            start them again. It refuses while uses count that an earlier version counted by name.

            example: countersign key rename alice alice-old
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let account = try workspace.account(named: try invocation.operand(0))
        let name = try invocation.operand(1)
        try workspace.checkRules(allowRenaming: account, to: name)
        let passphrase = try invocation.passphrase().read(to: "rename \"\(account.name)\"")
        _ = try workspace.perform(
            OwnerActs.keyRename, KeyRenaming(account, to: name), with: passphrase)
        invocation.console.done(
            ["name": .string(name), "before": .string(account.name)],
            "renamed \(account.name) to \(name)")
        return .done
    }

    private static let keyTag = Command(
        of: OwnerActs.keyTag, operands: 1...17,
        usage: """
            usage: countersign key tag NAME [TAG...]

            Sets the tags of a key, by which rules can name groups of keys (key.tags). The new tags
            replace the old ones. The list of keys is sealed, so the command asks for the
            passphrase; the old and the new tags go on record. If [governance] names approvers for
            the policy and other rules would apply to the key, the command asks them and waits.

            example: countersign key tag alice bots staging
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let account = try workspace.account(named: try invocation.operand(0))
        let tags = Array(invocation.arguments.operands.dropFirst())
        let passphrase = try invocation.passphrase().read(to: "tag \"\(account.name)\"")
        let tagged = try await workspace.perform(
            OwnerActs.keyTag, KeyTagging(account, with: tags), with: passphrase,
            invocation.console)
        KeyReport(invocation).put(tagged, among: try workspace.accounts())
        return .done
    }

    private static let keyRemove = Command(
        of: OwnerActs.keyRemove, options: [Confirmation.option.offering(.keys)], operands: 1...1,
        usage: """
            usage: countersign key remove [--confirm NAME] NAME

            Deletes a key permanently, after the passphrase. On a terminal the command shows which
            key is lost and asks you to type its name; without a terminal give the name with
            --confirm. Only a backup can bring the key back: countersign backup create FILE.

            example: countersign key remove alice-old
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let account = try workspace.account(named: try invocation.operand(0))
        try confirmRemoval(of: account, invocation)
        let passphrase = try invocation.passphrase().read(
            to: "remove \"\(account.name)\" permanently")
        try workspace.perform(OwnerActs.keyRemove, account, with: passphrase)
        invocation.console.done(
            ["removed": .string(account.name)], "removed \(account.name)")
        return .done
    }

    /// Asks the person to type the name of the key.
    private static func confirmRemoval(of account: Account, _ invocation: Invocation) throws {
        try Confirmation(of: account.name, before: "\(account.name) stays").read(invocation) {
            """
            This deletes the key "\(account.name)" (\(account.protocolID.name)):
              \(VisibleText.escaped(KeyReport(invocation).publicText(account) ?? account.address))
            Nothing brings it back but a backup: countersign backup create FILE

            """
        }
    }
}
