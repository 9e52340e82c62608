// SPDX-License-Identifier: Apache-2.0

import Glibc
import Sandbox
import SigningAgent
import SigningCodecs
import SigningCore
import SigningService
import SigningVault

extension CommandLineTool {
    static let agentApprover = Command(
        name: "agent approver", options: [Option(name: "--forget", value: nil)], operands: 0...1,
        summary: "set the program that answers in your place",
        usage: """
            usage: countersign agent approver [--forget | PATH]

            Shows the approver program, which answers questions in your place. PATH sets it and
            --forget removes it, after the passphrase. The program reads the questions that wait and
            writes answers, as lines of JSON, and it may say yes. PATH begins with a slash. Only you
            or root may be able to change the file and every folder above it. The agent runs the
            program while the vault is unlocked, and only if the file has not changed by a single
            byte since you set it. Restart a running agent after a change.

            example: countersign agent approver /usr/local/bin/ask-me
            """
    ) { invocation in
        let isForgotten = invocation.arguments.has("--forget")
        let path = invocation.arguments.operands.first
        guard path == nil || !isForgotten else {
            throw CLIError.usage(
                "--forget does not take a path", hint: invocation.arguments.helpHint)
        }
        let workspace = try invocation.workspace(toChange: isForgotten || path != nil)
        guard isForgotten || path != nil else {
            return try show(workspace, invocation.console)
        }
        let setting = try path.map { path in try looked(at: path) }
        let purpose = setting.map { "let \(VisibleText.escaped($0.path)) answer for you" }
        let passphrase = try invocation.passphrase().read(
            to: purpose ?? "stop using the approver program")
        try workspace.change(with: passphrase) { vault in
            try ApproverSetting.put(setting, in: vault)
        }
        return try show(workspace, invocation.console)
    }

    private static func show(_ workspace: Workspace, _ console: Console) throws -> ExitStatus {
        let setting = try ApproverSetting(in: workspace.vault)
        if console.isJSON {
            let json: JSON = [
                "path": setting.map { .string($0.path) } ?? .null,
                "sha256": setting.map { .string($0.digest) } ?? .null,
            ]
            console.put(json.write())
        } else if let setting {
            console.put("\(VisibleText.escaped(setting.path))\nsha256 \(setting.digest)")
        } else {
            console.put("no approver program is set")
        }
        return .done
    }

    /// Examines a prompt program at a path; refuses one that other users can change.
    private static func looked(at path: String) throws -> ApproverSetting {
        let shown = VisibleText.escaped(path)
        guard let file = SandboxProgram.look(at: path) else {
            throw CLIError(
                "\(shown) cannot be the approver program: \(Approver.problem(errno))",
                hint: "give the full path of a program that only you or root can change")
        }
        defer { close(file) }
        guard let setting = ApproverSetting(path: path, of: file) else {
            throw CLIError("\(shown) cannot be read", hint: "check its permissions and size")
        }
        return setting
    }
}
