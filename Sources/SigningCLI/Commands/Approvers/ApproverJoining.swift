// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage

extension CommandLineTool {
    static let approverJoin = Command(
        name: "approver join",
        options: [
            Option(name: "--address", value: "ADDRESS"), Option(name: "--secret-fd", value: "N"),
        ], operands: 1...1,
        summary: "answer a team's questions from this home",
        usage: """
            usage: countersign approver join FILE [--address ADDRESS] [--secret-fd N]

            Joins a team, so that you can answer its questions from this home. FILE is an invitation
            that "hub invite" wrote. The code that opens it is asked for, or read from descriptor N.
            From then on "approver pending", the inbox and the agent show the questions of the team,
            and your answers go to it automatically. The keys of the team stay with the team. The
            password file and the certificates that the address names have to be on this machine
            too; --address gives the server another address. The agent must not run.

            example: countersign approver join alice.invitation
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        try AgentRoute.refuseWhileRunning(workspace, "a team is joined")
        let invitation = try Source.read(try invocation.operand(0))
        let code = try invitationCode(invocation)
        let team = try workspace.open.join(
            by: invitation, code: code, at: invocation.arguments.value("--address"))
        invocation.console.done(
            [
                "team": .integer(Int64(team.number)), "hub": .string(team.sharing.hub.name),
                "server": .string(team.sharing.serverText),
            ],
            "team \(team.number): this home answers as "
                + "\(VisibleText.escaped(team.sharing.hub.name)); waiting questions: countersign "
                + "approver pending")
        return .done
    }

    private static func invitationCode(_ invocation: Invocation) throws -> SecretBytes {
        let text = try SecondSecret(invocation, "code").read(prompt: "code of the invitation: ")
        do throws(SecretText.ParseError) {
            return try SecretText.hex(text)
        } catch {
            throw CLIError(
                "this is not the code of an invitation",
                hint: "give the 64 digits and letters that \"hub invite\" printed")
        }
    }

    static let approverLeave = Command(
        name: "approver leave", options: [Confirmation.option], operands: 1...1,
        summary: "leave a team",
        usage: """
            usage: countersign approver leave TEAM [--confirm NAME]

            Leaves a team that this home joined. TEAM is its number in "approver list". The copy of
            the team's record and the key of the hub are deleted; the NAME of that hub is asked for.
            The team should retire the hub as well. The agent must not run.

            example: countersign approver leave 1
            """
    ) { invocation in
        let text = try invocation.operand(0)
        let workspace = try invocation.workspace(toChange: true)
        let known = try workspace.home.teams()
        guard let number = Int(text), String(number) == text, known.contains(number) else {
            throw CLIError(
                "unknown team \"\(VisibleText.quotable(text))\"",
                hint: "see \"countersign approver list\"")
        }
        try AgentRoute.refuseWhileRunning(workspace, "a team is left")
        // A team that cannot be read has no name, so the command shows its number.
        let name = (try? workspace.open.team(number))?.sharing.hub.name ?? text
        try Confirmation(of: name, before: "team \(number) stays").read(invocation) {
            "this home will no longer answer as \(VisibleText.escaped(name))\n"
        }
        try workspace.open.leave(number)
        invocation.console.done(
            ["left": .integer(Int64(number))],
            "left team \(number); ask the team to run: countersign hub retire "
                + VisibleText.escaped(name))
        return .done
    }
}

extension JoinedTeam {
    /// The team in one line: its number, the name of this hub, and the address of the record.
    var row: String {
        let state = sharing.hub.retired.map { "  retired \($0.utcText)" } ?? ""
        return "team \(number)  answers as \(VisibleText.escaped(sharing.hub.name))  "
            + VisibleText.escaped(sharing.serverText) + state
    }

    var json: JSON {
        [
            "team": .integer(Int64(number)), "hub": .string(sharing.hub.name),
            "server": .string(sharing.serverText),
            "retired": sharing.hub.retired.map { .string($0.utcText) } ?? .null,
        ]
    }
}
