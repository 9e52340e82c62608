// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// The result of verifying the audit chain.
package struct AuditReport: Hashable, Sendable {
    /// The first problem; nil if the record is valid.
    package internal(set) var problem: AuditProblem?
    /// The archived segments whose files are missing or altered.
    ///
    /// The other entries were verified.
    package let unverified: [UnverifiedSegment]
    /// True if a file with the state after the entries of `unverified` was there.
    package let hasState: Bool
    /// The number of the last entry, including those of `unverified`.
    package let entryCount: Int64
    /// The hash of the last entry.
    package let headHash: [UInt8]
    /// The number of the last entry that a checkpoint covers; 0 if there is no checkpoint.
    package let checkpointSequence: Int64
    /// The number of intents without a result.
    package let unsettledCount: Int
    /// True if an earlier record was lost and the owner started this one in its place.
    package let isBegunAnew: Bool
    /// The number of questions to several approvers that are skipped because no hub can have
    /// written them.
    package let impossibleQuestionCount: Int
}

/// A way in which the record differs from the one that was written.
package enum AuditProblem: Hashable, Sendable {
    /// The entry was changed.
    case changed(sequence: Int64)
    /// The entry is missing.
    case removed(sequence: Int64)
    /// Another entry has this number.
    case reordered(sequence: Int64)
    /// The chain ends before an entry that a checkpoint covers.
    case cutShort(last: Int64, checkpoint: Int64)
    /// The checkpoint for this entry has an invalid signature.
    case badCheckpoint(sequence: Int64)
    /// The vault has lost its last checkpoint, so the chain may have been cut short.
    case lostCheckpoint
    /// The entries up to this one form a valid chain, but not the one that the checkpoint signed.
    case rewritten(sequence: Int64)
    /// A row of a table differs from what the entries lead to.
    case differs(RowDifference)
    /// The entry uses an id, a token, a number, a mark or an answered question again that counts
    /// once.
    case repeated(sequence: Int64)
    /// An intent has a later time than its clock and the entries before it lead to.
    case untimely(sequence: Int64)
    /// The entry is the result of a request that no entry began.
    case unbegun(sequence: Int64)
    /// The intent was recorded while signing was frozen.
    case whileFrozen(sequence: Int64)
    /// The intent states another used amount of a limit than the entries before it lead to.
    case miscounted(sequence: Int64, counter: String)
    /// The intent uses more of a limit than its maximum.
    case overspent(sequence: Int64, counter: String)
    /// The entry puts a policy in force or repairs the record, and the log key did not sign it.
    case unvouched(sequence: Int64)
    /// The intent was judged by a policy that was not in force.
    case foreignPolicy(sequence: Int64)
    /// The policy in force demanded approvers for the request or act, and the entry does not
    /// contain their approvals.
    case unapproved(sequence: Int64)
    /// The entry relies on a question to approvers that one of them had denied.
    case deniedByApprover(sequence: Int64)
    /// The file lacks a table.
    case missingTable(String)
    /// The file has an index, a table, a trigger or a view that this program does not make; an
    /// index could refuse entries.
    case foreign(_ kind: String, _ name: String)
    /// A table has other columns or constraints than this program gives it.
    case changedTable(String)
    /// SQLite found damaged pages or indexes.
    case damagedFile(String)
    /// The log key did not sign the ledger's description of a segment.
    case unvouchedSegment(file: String)
    /// The owner's archive names another state after this entry than the entries lead to.
    case otherState(sequence: Int64)
    /// The ledger contains entries that are not in the chain.
    case unchained

    /// True if a table differs from the entries, or a checkpoint in the ledger is false, so that
    /// the tables may be made again.
    package var isInTables: Bool {
        switch self {
        case .differs, .badCheckpoint, .foreign, .changedTable: true
        case .missingTable(let name): name != OwnTable.audit.name
        default: false
        }
    }

    /// The problem in plain words.
    package var text: String {
        switch self {
        case .changed(let sequence): "entry \(sequence) was changed"
        case .removed(let sequence): "entry \(sequence) was removed"
        case .reordered(let sequence): "entry \(sequence) was replaced by another entry"
        case .cutShort(let last, let checkpoint):
            "the log ends at entry \(last), but a checkpoint covers entry \(checkpoint)"
        case .badCheckpoint(let sequence):
            "the signature of the checkpoint at entry \(sequence) is wrong"
        case .lostCheckpoint: "the vault has no checkpoint, so entries may be missing"
        case .rewritten(let sequence):
            "the log up to entry \(sequence) was rewritten: it does not match its checkpoint"
        case .differs(let difference): difference.text
        case .missingTable(let name): "the table \(name) is missing"
        case .foreign(let kind, let name):
            "another program added the \(kind) \"\(VisibleText.quotable(name))\" to the ledger"
        case .changedTable(let name):
            "another program changed the columns or constraints of the table \(name)"
        case .repeated(let sequence):
            "entry \(sequence) uses an id, a token, a number or an approval that an earlier entry "
                + "used up"
        case .untimely(let sequence):
            "entry \(sequence) has a later time than its clock and the entries before it lead to, "
                + "so periods of limits ended too early"
        case .unbegun(let sequence):
            "entry \(sequence) is the result of a request that no entry began"
        case .whileFrozen(let sequence): "entry \(sequence) was recorded while signing was frozen"
        case .miscounted(let sequence, let counter):
            "entry \(sequence) states a wrong used amount of limit "
                + "\"\(VisibleText.quotable(counter))\""
        case .overspent(let sequence, let counter):
            "entry \(sequence) exceeds limit \"\(VisibleText.quotable(counter))\""
        case .unvouched(let sequence):
            "entry \(sequence) claims to be written by the owner, but the signature is missing or "
                + "wrong"
        case .foreignPolicy(let sequence):
            "entry \(sequence) was judged by a policy that was not in force"
        case .unapproved(let sequence):
            "entry \(sequence) lacks approvals that the policy in force required"
        case .deniedByApprover(let sequence):
            "entry \(sequence) was done although an approver had said no"
        case .damagedFile(let text): "\(Schema.ledger.file) is damaged: \(text)"
        case .unvouchedSegment(let file):
            "the ledger's statement about \(file) was not signed by the owner"
        case .otherState(let sequence):
            "the archive states other rows after entry \(sequence) than its entries lead to"
        case .unchained: "table audit contains entries that are not in the chain"
        }
    }
}
