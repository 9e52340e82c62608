// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningStorage

extension CommandLineTool {
    static let auditCommands = [auditList, auditVerify]

    /// The most entries one call lists.
    static let auditEntriesMax = 10_000

    private static let auditList = Command(
        name: "audit list", options: [Option(name: "--last", value: "N")], operands: 0...0,
        usage: """
            usage: countersign audit list [--last N]

            Lists the newest N entries of the record (default 20), oldest first: what was asked, by
            whom, what was decided and what became of it. No payload is on record.

            example: countersign audit list --last 100 --json
            """
    ) { invocation throws(CLIError) in
        let count = try invocation.arguments.count("--last", default: 20, max: auditEntriesMax)
        let workspace = try invocation.workspace()
        let entries = try CLIError.wrapping { () throws(LedgerError) in
            try AuditLog.open(workspace.home).entries(limit: count)
        }
        guard !invocation.console.isJSON else {
            let rows = entries.reversed().map { line(json: $0) }
            invocation.console.put("[\(rows.joined(separator: ",\n"))]")
            return .done
        }
        for entry in entries.reversed() { invocation.console.put(line(entry)) }
        return .done
    }

    private static func line(json entry: AuditEntry) -> String {
        let hash = Hex.encode(entry.hash.span)
        return #"{"sequence":\#(entry.sequence),"time":"\#(entry.time.utcText)","#
            + #""kind":"\#(entry.kind)","hash":"\#(hash)","body":\#(entry.body)}"#
    }

    /// How much of an intent's id is shown: enough to find its result among the last entries.
    private static let idDigits = 8

    private static func line(_ entry: AuditEntry) -> String {
        let body = (try? JSON.parse(entry.body.utf8.span)) ?? .null
        let members: [(String, JSON?)] = [
            ("id", body["id"].map { .string(String(($0.text ?? "").prefix(idDigits))) }),
            ("method", body["method"]), ("client", body["client"]?["id"]),
            ("decided_by", body["decided_by"]), ("outcome", body["outcome"]),
            ("reason", body["reason"]?["code"] ?? body["reason"]),
            ("key", body["name"]), ("form", body["form"]),
            (
                "policy",
                entry.kind == "attest"
                    ? body["policy"].map { .string(String(($0.text ?? "").prefix(16))) } : nil
            ),
        ]
        let parts = members.compactMap { name, value in
            value?.text.map { "\(name)=\(VisibleText.escaped($0, countMax: 80))" }
        }
        let rules = body["rules"]?.list?.compactMap(\.text).joined(separator: ",") ?? ""
        let shown = [entry.kind] + parts + (rules.isEmpty ? [] : ["rules=\(rules)"])
        return "\(entry.sequence)  \(entry.time.utcText)  \(shown.joined(separator: "  "))"
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
                "head": .string(Hex.encode(report.headHash.span)),
            ]
            invocation.console.put(json.write())
        } else if report.problem == nil {
            invocation.console.put(
                "audit verify: ok, \(report.entryCount) entries, checkpoint at "
                    + "\(report.checkpointSequence)")
        }
        if let problem = report.problem {
            throw CLIError(
                "audit verify: \(problem.text)",
                hint: "keep a copy of the home; somebody wrote to it")
        }
        return .done
    }
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
