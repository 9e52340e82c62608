// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let approverCommands = [
        approverNew, approverList, approverRetire, approverPending, approverShow, approverExport,
        approverAnswer, approverDeliver, approverJoin, approverLeave,
    ]

    private static let approverNew = Command(
        name: "approver new", options: [Option(name: "--name", value: "NAME")], operands: 0...0,
        summary: "make an approver key, print its public key",
        usage: """
            usage: countersign approver new --name NAME

            Makes a key with which you approve the requests of others, after the passphrase of this
            home. It prints the line for the [approvers] of their policy. The key signs such answers
            and nothing else. NAME is 1 to 64 of a-z, 0-9 and "-".

            example: countersign --home ~/.approver approver new --name alice
            """
    ) { invocation in
        let name = try invocation.arguments.required("--name")
        guard !name.isEmpty, name.utf8.allSatisfy({ nameBytes.contains($0) }) else {
            throw CLIError.usage(
                "--name \"\(VisibleText.quotable(name))\" cannot name an approver",
                hint: "use a-z, 0-9 and -, as in --name alice")
        }
        let workspace = try invocation.workspace(toChange: true)
        let passphrase = try invocation.passphrase().read(to: "make the approver key \"\(name)\"")
        var made: ApproverKey?
        try workspace.change(with: passphrase) { vault in
            made = try vault.makeApproverKey(named: name)
        }
        guard let made else { throw CLIError("no key was made", hint: nil) }
        let text = made.publicKey.approverText
        invocation.console.put(
            invocation.console.isJSON
                ? String(
                    decoding: (["name": .string(name), "key": .string(text)] as JSON).write(),
                    as: UTF8.self)
                : "\(name) = \"\(text)\"")
        return .done
    }

    private static let nameBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)

    private static let approverList = Command(
        name: "approver list", options: [], operands: 0...0,
        summary: "list the approver keys of this home",
        usage: """
            usage: countersign approver list

            Lists the approver keys of this home, the keys that were retired here, and the teams
            that this home joined. Needs no passphrase.

            example: countersign approver list --json
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let keys = try workspace.vault.approverKeys()
        let ledger = try workspace.openLedger()
        let retired = try ledger.retiredApprovers()
        let others = retired.filter { key in !keys.contains { $0.publicKey == key } }
            .map(\.approverText).sorted()
        let (teams, broken) = workspace.open.teams()
        guard !invocation.console.isJSON else {
            let list: JSON = [
                "approvers": .array(
                    keys.map { key in
                        [
                            "name": .string(key.name), "key": .string(key.publicKey.approverText),
                            "retired": .bool(retired.contains(key.publicKey)),
                        ]
                    }), "retired": .array(others.map { .string($0) }),
                "teams": .array(teams.map(\.json)),
            ]
            invocation.console.put(list.write())
            return .done
        }
        for key in keys {
            let note = retired.contains(key.publicKey) ? "  retired" : ""
            invocation.console.put("\(key.name)  \(key.publicKey.approverText)\(note)")
        }
        for key in others { invocation.console.put("-  \(key)  retired") }
        for team in teams { invocation.console.put(team.row) }
        for team in broken { invocation.console.put("team \(team.number)  cannot be read") }
        if keys.isEmpty, others.isEmpty, teams.isEmpty, broken.isEmpty {
            invocation.console.note("this home has no approver key")
        }
        return .done
    }

    private static let approverRetire = Command(
        name: "approver retire", options: [], operands: 1...1,
        summary: "retire the key of an approver",
        usage: """
            usage: countersign approver retire NAME

            Retires the key of an approver permanently, after the passphrase: its answers are
            refused from now on, also to questions that wait. NAME is an approver key of this home,
            which is deleted; or a name in the [approvers] of the policy in force; or the key
            itself. Remove the key from the policy as well. A team that this home joined has to
            retire the key in its own record: ask the team to do it.

            example: countersign approver retire bob
            """
    ) { invocation in
        let name = try invocation.operand(0)
        let workspace = try invocation.workspace(toChange: true)
        let own = try workspace.vault.approverKeys().first { $0.name == name }
        let named = own?.publicKey ?? approverKey(named: name, in: workspace)
        guard let key = named else {
            throw CLIError(
                "unknown approver \"\(VisibleText.quotable(name))\"",
                hint: "see \"countersign approver list\", and [approvers] in policy.toml")
        }
        let ledger = try workspace.openLedger()
        let lost = try workspace.open.governanceLost(without: key, in: ledger)
        for team in workspace.open.teams().open {
            invocation.console.warn(
                "team \(team.number) still accepts answers by this key, if its policy names the "
                    + "key",
                hint: "ask the team to run: countersign approver retire \(key.approverText)")
        }
        for demand in lost {
            invocation.console.warn(
                "\(demand.rule) needs \(demand.text), which is impossible without this key",
                hint: "first put a policy in force that names other approvers")
        }
        let passphrase = try invocation.passphrase().read(
            to: "retire the approver \"\(VisibleText.quotable(name))\"")
        try await workspace.open.retireApprover(key, own, passphrase, in: ledger)
        invocation.console.done(
            ["retired": .string(key.approverText)], "retired: \(key.approverText)")
        return .done
    }

    private static func approverKey(named name: String, in workspace: Workspace) -> [UInt8]? {
        if let known = (try? workspace.attestedPolicy())?.approverKey(named: name) { return known }
        guard name.hasPrefix("ed25519:"), let key = try? Hex.decode(String(name.dropFirst(8))),
            key.count == 32
        else { return nil }
        return key
    }
}
