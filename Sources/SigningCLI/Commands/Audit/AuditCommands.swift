// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningStorage

extension CommandLineTool {
    static let auditCommands = [auditList, auditShow, auditVerify]

    private static let auditList = Command(
        name: "audit list", options: AuditSearch.options, operands: 0...0,
        usage: """
            usage: countersign audit list [--last N] [--key NAME] [--client NAME]
                                          [--method METHOD] [--entry KIND]

            Lists the newest N entries of the record (default 20), oldest first: what was asked, by
            whom, for which key, what was decided and what became of it. No payload is on record.
            --key, --client and --method choose requests, with their results; KIND is intent,
            result, refusal, broadcast, attest, export, revoke, freeze or thaw.

            example: countersign audit list --key alice --last 100
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let log = try CLIError.wrapping { () throws(LedgerError) in
            try AuditLog.open(workspace.home)
        }
        let entries = try AuditSearch(invocation.arguments, in: workspace).entries(in: log)
        guard !invocation.console.isJSON else {
            invocation.console.put(AuditText.json(entries))
            return .done
        }
        let text = AuditText(workspace)
        for entry in entries { invocation.console.put(text.line(entry)) }
        if entries.isEmpty { invocation.console.note("no such entry is on record") }
        return .done
    }

    private static let auditShow = Command(
        name: "audit show", options: [], operands: 1...1,
        usage: """
            usage: countersign audit show N|ID

            Shows all that is on record of one request: N is the number of an entry, ID the
            beginning of the id that "audit list" shows, four digits or more.

            example: countersign audit show 12
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let log = try CLIError.wrapping { () throws(LedgerError) in
            try AuditLog.open(workspace.home)
        }
        let name = try invocation.operand(0)
        let entries = try AuditSearch.entries(named: name, in: log)
        guard !entries.isEmpty else {
            throw CLIError(
                "there is no entry \"\(VisibleText.escaped(name))\"",
                hint: "see \"countersign audit list\"")
        }
        guard !invocation.console.isJSON else {
            invocation.console.put(AuditText.json(entries))
            return .done
        }
        let text = AuditText(workspace)
        for (place, entry) in entries.enumerated() {
            if place > 0 { invocation.console.put("") }
            for line in text.lines(entry) { invocation.console.put(line) }
        }
        return .done
    }

    private static let auditVerify = Command(
        name: "audit verify", options: [], operands: 0...0,
        usage: """
            usage: countersign audit verify

            Examines every entry, every checkpoint and the tables that follow from them, and names
            the first that was changed, removed or moved, or a log that ends before its newest
            checkpoint. Exit status 0 if all is well, 1 if not.

            example: countersign audit verify
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let report = try workspace.auditReport()
        if invocation.console.isJSON {
            let problem = report.problem.map { JSON.string($0.text) } ?? .null
            let json: JSON = [
                "ok": .bool(report.problem == nil), "problem": problem,
                "entries": .integer(report.entryCount),
                "checkpoint": .integer(report.checkpointSequence),
                "begun_anew": .bool(report.isBegunAnew),
                "head": .string(Hex.encode(report.headHash.span)),
            ]
            invocation.console.put(json.write())
        } else if report.problem == nil {
            invocation.console.put(
                "audit verify: ok, \(report.entryCount) entries, checkpoint at "
                    + "\(report.checkpointSequence)" + report.beginning)
        }
        if let problem = report.problem {
            throw CLIError(
                "audit verify: \(problem.text)",
                hint: "keep a copy of the home; somebody wrote to it")
        }
        return .done
    }
}

extension AuditReport {
    /// Says of a record that was begun anew that it is not the first.
    var beginning: String { isBegunAnew ? ", begun anew: an earlier record is lost" : "" }
}

extension Workspace {
    /// What an examination of the whole record finds.
    func auditReport() throws(CLIError) -> AuditReport {
        let known: (key: [UInt8], last: AuditCheckpoint?)
        do throws(VaultError) {
            known = (try vault.logPublicKey(), try vault.lastCheckpoint())
        } catch {
            throw CLIError(error)
        }
        return try CLIError.wrapping { () throws(LedgerError) in
            try AuditLog.open(home).verify(
                logPublicKey: known.key, lastKnownCheckpoint: known.last)
        }
    }
}
