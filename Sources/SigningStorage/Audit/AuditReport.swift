// SPDX-License-Identifier: Apache-2.0

/// What an examination of the audit chain found.
package struct AuditReport: Hashable, Sendable {
    /// The first thing that is wrong; nil where everything holds.
    package internal(set) var problem: AuditProblem?
    /// What was archived and is not there as it was written; the rest was examined without it.
    package let unverified: [UnverifiedSegment]
    /// The number of the last entry; those of `unverified` count.
    package let entryCount: Int64
    /// The hash of the last of them.
    package let headHash: [UInt8]
    /// The last entry that a checkpoint covers; 0 where none does.
    package let checkpointSequence: Int64
    /// How many intents have no result.
    package let unsettledCount: Int
    /// Whether an earlier record was lost, and this one begun in its place.
    package let isBegunAnew: Bool
    /// How many questions to several people are passed over because no hub can have written them.
    package let impossibleQuestionCount: Int
}

/// One way in which the record is not what was written.
package enum AuditProblem: Hashable, Sendable {
    /// The entry is not what was written.
    case changed(sequence: Int64)
    /// The entry is not there.
    case removed(sequence: Int64)
    /// Another entry stands in this place.
    case reordered(sequence: Int64)
    /// The chain ends before an entry that a checkpoint covers.
    case cutShort(last: Int64, checkpoint: Int64)
    /// The signature of the checkpoint for this entry does not hold.
    case badCheckpoint(sequence: Int64)
    /// The vault does not know where the chain once stood, so it may have been cut short.
    case lostCheckpoint
    /// The entries up to this one hang together, and are not those of the checkpoint.
    case rewritten(sequence: Int64)
    /// The table does not hold what the entry says.
    case recordDiffers(sequence: Int64, table: String)
    /// The entry puts a policy in force, or repairs something, and the owner vouches for neither.
    case unvouched(sequence: Int64)
    /// The intent was judged by another policy than the one in force.
    case foreignPolicy(sequence: Int64)
    /// The policy in force wanted several people to say yes to this, and the entry does not show
    /// that they did.
    case unapproved(sequence: Int64)
    /// An approver had said no to what was done.
    case deniedByApprover(sequence: Int64)
    /// SQLite finds a file's pages or indexes damaged.
    case damagedFile(String)
    /// The log key has not signed what the ledger says of an archived part.
    case unvouchedSegment(file: String)
    /// The table holds something that no entry speaks of.
    case unrecorded(table: String)

    /// The problem in plain words.
    package var text: String {
        switch self {
        case .changed(let sequence): "entry \(sequence) was changed"
        case .removed(let sequence): "entry \(sequence) was removed"
        case .reordered(let sequence): "another entry was put in the place of entry \(sequence)"
        case .cutShort(let last, let checkpoint):
            "the log ends at entry \(last), but a checkpoint covers entry \(checkpoint)"
        case .badCheckpoint(let sequence):
            "the signature of the checkpoint at entry \(sequence) is wrong"
        case .lostCheckpoint: "the vault has lost its checkpoint, so entries may be missing"
        case .rewritten(let sequence):
            "the log up to entry \(sequence) was written anew; its checkpoint does not fit"
        case .recordDiffers(let sequence, let table):
            "table \(table) does not hold what entry \(sequence) says"
        case .unvouched(let sequence):
            "entry \(sequence) claims to be the owner's, and nobody vouches for it"
        case .foreignPolicy(let sequence):
            "entry \(sequence) was judged by a policy that was not in force"
        case .unapproved(let sequence):
            "entry \(sequence) lacks approvals that the policy in force demanded"
        case .deniedByApprover(let sequence):
            "entry \(sequence) was done although an approver had said no"
        case .damagedFile(let text): "\(Schema.ledger.file) is damaged: \(text)"
        case .unvouchedSegment(let file): "what the ledger says of \(file) is not the owner's"
        case .unrecorded(let table): "table \(table) holds rows that the log does not know"
        }
    }
}
