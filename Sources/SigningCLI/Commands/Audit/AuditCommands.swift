// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let auditCommands = [
        auditList, auditShow, auditVerify, auditArchive, auditReceipt,
    ]

    private static let auditList = Command(
        of: OwnerActs.auditList, options: AuditSearch.options, operands: 0...0,
        usage: """
            usage: countersign audit list [OPTION...]

            Lists the newest entries of the record, oldest first: the request, its client, the key,
            the decision and the result. Payloads are not on record.

            options:
              --last N           the newest N entries (20; at most 10000)
              --before N         only entries before entry N, to page back
              --since TIME       only entries from TIME on
              --until TIME       only entries up to TIME
              --key NAME         only requests for this key, with their results
              --client NAME      only requests of this client: an origin, a key, the name
                                 of a token or of a connection
              --method METHOD    only requests of this method
              --outcome OUTCOME  only requests with this outcome: done, denied, failed,
                                 not_used, or open (no result yet)
              --entry KIND       only entries of this kind: intent, result, refusal,
                                 broadcast, accept, attest, export, revoke, freeze, thaw,
                                 repair, archive, hub, approver, key, carry,
                                 draw, ask, answer or withdraw

            TIME is a day (2026-11-20), a time in UTC (2026-11-20T14:30Z) or an age (90m, 6h, 3d). A
            note says which file contains older, archived entries.

            example: countersign audit list --outcome denied --since 3d
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let log = try AuditLog.open(workspace.home)
        let search = try AuditSearch(invocation.arguments, in: workspace)
        let entries = try search.entries(in: log)
        let writers = try EntryWriters(of: entries, in: log)
        if entries.count < search.countMax, let note = try log.archiveNote() {
            invocation.console.note(note)
        }
        guard !invocation.console.isJSON else {
            invocation.console.put(AuditText.json(entries, writtenBy: writers))
            return .done
        }
        let text = AuditText(workspace, writtenBy: writers)
        for entry in entries { invocation.console.put(text.line(entry)) }
        if entries.isEmpty { invocation.console.note(try search.emptyResultNote(in: log)) }
        return .done
    }

    private static let auditShow = Command(
        name: "audit show", options: [], operands: 1...1,
        summary: "show everything on record about a request",
        usage: """
            usage: countersign audit show N|ID

            Shows everything on record about one request. N is the number of an entry. ID is one of
            these:

              the id of the request, which "audit list", the HTTP API and the inbox show, or at
              least its first 4 digits
              the id of a signed event or transaction, or at least its first 8 characters
              the hash of a signed message, or at least its first 8 characters

            example: countersign audit show 12
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let log = try AuditLog.open(workspace.home)
        let name = try invocation.operand(0)
        let entries = try AuditSearch.entries(named: name, in: log)
        let writers = try EntryWriters(of: entries, in: log)
        guard !entries.isEmpty else { throw try noEntry(named: name, in: log) }
        guard !invocation.console.isJSON else {
            invocation.console.put(AuditText.json(entries, writtenBy: writers))
            return .done
        }
        let text = AuditText(workspace, writtenBy: writers)
        for (place, entry) in entries.enumerated() {
            if place > 0 { invocation.console.put("") }
            for line in text.lines(entry) { invocation.console.put(line) }
        }
        return .done
    }

    private static func noEntry(named name: String, in log: AuditLog) throws -> CLIError {
        if let number = Int64(name), let segment = try log.segment(holding: number) {
            return CLIError(
                "entry \(number) is archived in \(segment.fileName)",
                hint: "its text is line \(number - segment.first + 2) of that file")
        }
        return CLIError(
            "no entry or request \"\(VisibleText.quotable(name))\" is on record",
            hint: try log.archiveNote() ?? "see \"countersign audit list\"")
    }

    private static let auditVerify = Command(
        name: "audit verify", options: [], operands: 0...0,
        summary: "check the whole record",
        usage: """
            usage: countersign audit verify

            Checks every entry, every checkpoint and the tables that are derived from them. It names
            the first entry that was changed, removed or moved, and a log that ends before its
            newest checkpoint. Archived entries are checked too; if their file is missing or was
            altered, the command names it and checks the rest, from the newest state file on. It
            also counts questions to approvers
            that no hub can have written. Exit status 0 if everything is right, 1 otherwise.

            example: countersign audit verify
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let report = try workspace.auditReport()
        if invocation.console.isJSON {
            let problem = report.problem.map { JSON.string($0.text) } ?? .null
            let json: JSON = [
                "ok": .bool(report.isWhole), "problem": problem,
                "unverified": .array(report.unverified.map { .string($0.text) }),
                "entries": .integer(report.entryCount),
                "checkpoint": .integer(report.checkpointSequence),
                "begun_anew": .bool(report.isBegunAnew),
                "impossible_questions": .integer(Int64(report.impossibleQuestionCount)),
                "head": .string(Hex.encode(report.headHash.span)),
            ]
            invocation.console.put(json.write())
        } else if report.isWhole {
            invocation.console.put(
                "audit verify: ok, \(report.entryCount) entries, checkpoint at "
                    + "\(report.checkpointSequence)" + report.beginning)
        }
        if let problem = report.problem {
            throw CLIError(
                "audit verify: \(problem.text)",
                hint: "keep a copy of the home; its files were changed by something other than "
                    + "countersign")
        }
        if let segment = report.unverified.first {
            throw CLIError("audit verify: \(segment.text)", hint: unverifiedHint)
        }
        if let text = report.impossibleQuestionText {
            throw CLIError("audit verify: \(text)", hint: AuditReport.impossibleQuestionHint)
        }
        return .done
    }
}

extension CommandLineTool {
    /// The hint for archived entries that are missing or changed.
    static let unverifiedHint = "put the original file back; all other entries are verified"
}

extension AuditReport {
    /// True if the whole record was examined and is valid.
    var isWhole: Bool {
        problem == nil && unverified.isEmpty && impossibleQuestionCount == 0
    }

    /// A warning about questions to several people that are ignored; nil if there are none.
    var impossibleQuestionText: String? {
        Self.impossibleQuestionText(impossibleQuestionCount)
    }

    /// A warning about a number of ignored questions; nil for 0.
    static func impossibleQuestionText(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        let noun = count == 1 ? "question" : "questions"
        return "\(count) \(noun) to approvers in the record cannot come from this program, and "
            + "\(count == 1 ? "is" : "are") ignored"
    }

    /// The hint that removes such questions.
    static let impossibleQuestionHint =
        "if a hub was broken into, countersign hub retire NAME removes them; so does the next "
        + "question to approvers"

    /// A note that an earlier record was lost, if this record was begun anew.
    var beginning: String { isBegunAnew ? ", started again: an earlier record is lost" : "" }
}

extension Workspace {
    /// Examines the whole record.
    func auditReport() throws -> AuditReport {
        let (key, last) = (try vault.logPublicKey(), try vault.lastCheckpoint())
        return try AuditLog.open(home).verify(logPublicKey: key, lastKnownCheckpoint: last)
    }
}
