// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let auditArchive = Command(
        name: "audit archive", options: [Option(name: "--keep", value: "DAYS")], operands: 0...0,
        summary: "move old entries into a separate file",
        usage: """
            usage: countersign audit archive [--keep DAYS]

            Moves entries older than DAYS (90; 0: all that can be moved) from the record into a file
            beside ledger.db, after the passphrase, and only if the whole record is intact. The file
            is written and read again before anything is deleted, and its hash goes on record. The
            state that still matters stays: remembered answers, sessions, serial numbers, replay
            marks, transactions that may not have arrived, and the use of limits. Keep the file
            where it is: "audit verify" reads it, and a backup contains it.

            example: countersign audit archive --keep 365
            """
    ) { invocation in
        let days = try invocation.arguments.count(
            "--keep", default: 90, min: 0, max: Self.keptDaysMax)
        let workspace = try invocation.workspace(toChange: true)
        let ledger = try workspace.openLedger()
        let passphrase = try invocation.passphrase().read(to: "archive the record")
        try workspace.vault.unlock(passphrase: passphrase)
        let environment = SystemEnvironment()
        let archive = RecordArchive(
            vault: workspace.vault, ledger: ledger, environment: environment)
        let until = Timestamp(seconds: environment.now().seconds - Int64(days) * 86_400)
        let made = try archive.archive(until: until)
        guard let made else {
            invocation.console.done(["archived": .bool(false)], "nothing to archive")
            return .done
        }
        invocation.console.done(
            [
                "archived": .bool(true), "first": .integer(made.first),
                "last": .integer(made.last), "file": .string(made.fileName),
                "bytes": .integer(made.byteCount),
                "sha256": .string(Hex.encode(made.digest.span)),
            ], "archived: entries \(made.range), in \(made.fileName)")
        return .done
    }

    private static let keptDaysMax = 36_500
}

extension AuditLog {
    /// The archive segment that holds an entry; nil if the ledger holds it or no segment does.
    func segment(holding sequence: Int64) throws -> ArchivedSegment? {
        try archived().first { ($0.first...$0.last).contains(sequence) }
    }

    /// The archive segments of the record.
    func archived() throws -> [ArchivedSegment] {
        try segments()
    }

    /// A note about the archived entries; nil if there are none.
    func archiveNote() throws -> String? {
        let parts = try archived().map { "\($0.range) in \($0.fileName)" }
        return parts.isEmpty ? nil : "entries are archived: \(parts.joined(separator: ", "))"
    }
}
