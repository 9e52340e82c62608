// SPDX-License-Identifier: Apache-2.0

internal import SigningFiles

extension Schema {
    /// The tables of a ledger that all hubs which share it have alike, those that others point to
    /// first.
    ///
    /// Not so `local`, which says who this hub is, and `checkpoints`: these are held against what
    /// this machine's vault knows; nor `log_places` and `hub_statements`, which are of what this
    /// one saw and heard. A migration has to do the same to the shared ones on every machine.
    static let sharedTables = [
        "hubs", "meta", "audit", "open_intents", "uses", "replay_tokens", "grants", "notes",
        "sessions", "serials", "serial_uses", "outbox", "accepted", "segments",
        "blobs", "policies", "joint_questions", "joint_answers", "retired_approvers",
        // The last row of the first batches is the founder's: see SharedCopy.
        "writers",
    ]

    /// Those of them in which rows are only ever added.
    static let growingTables: Set = ["audit", "writers", "blobs", "policies", "retired_approvers"]

    /// Whether changes in a format are nothing but what a hub may change.
    static func mayShare(_ changes: Set<RowChange>, in version: Int32 = sharedVersion) -> Bool {
        let newer = sharedTables + (version < exchangingVersion ? ["questions"] : [])
        let tables = version < openVersion ? olderSharedTables : newer
        return changes.allSatisfy { change in
            tables.contains(change.table)
                && (change.isInsertion || !growingTables.contains(change.table))
        }
    }

    /// Whether changes put an archived part on record; whoever takes them in takes its rows away.
    static func archives(_ changes: Set<RowChange>) -> Bool {
        changes.contains { $0.table == "segments" }
    }

    /// Whether they do that and nothing else.
    static func archivesAlone(_ changes: Set<RowChange>) -> Bool {
        // The first change of a hub also puts the content of an older version on record.
        let tables: Set = ["audit", "segments", "writers", "blobs", "policies", "meta"]
        return changes.allSatisfy { $0.isInsertion && tables.contains($0.table) }
    }

    /// Whether changes in a format are nothing but answers to questions, with their entries.
    static func answersAlone(
        _ changes: Set<RowChange>, in version: Int32 = sharedVersion
    ) -> Bool {
        var tables: Set = ["joint_answers"]
        // The first change of a hub also puts the content of an older version on record.
        if version >= entriesVersion { tables.formUnion(["audit", "writers", "meta"]) }
        return changes.allSatisfy { $0.isInsertion && tables.contains($0.table) }
    }

    /// The first format whose changes can be applied here.
    static let sharedVersionMin: Int32 = 13
    /// The format of changes made here, which is the newest that can be applied.
    static let sharedVersion = max(stateVersion, Int32(ledger.version))
    /// From this one on changes may archive, and entries speak of snapshots: older programs take
    /// neither in.
    static let archivingVersion: Int32 = 14
    /// From this one on keys of approvers are retired by entries, hubs may be there to answer
    /// alone, and a policy may want several people asked where its owner acts: an older program
    /// knows none of it.
    static let approvingVersion: Int32 = 15
    /// From this one on answers say whether they are to a request or to an act, and entries say
    /// which approver keys lie in hubs that sign: an older program knows neither.
    static let statingVersion: Int32 = 16
    /// From this one on only intents without a result have rows, and entries name the texts of
    /// policies: an older program knows neither.
    static let openVersion: Int32 = 17
    /// From this one on entries state every row that follows from them: an older program writes
    /// rows that none states.
    static let entriesVersion: Int32 = 18
    /// From this one on batches contain entries, each hub counts its own questions to people, and
    /// changes of rows are in no batch but the first ones.
    static let exchangingVersion: Int32 = 19
    /// From this one on entries about archived parts name the state after them: an older program
    /// does not know that member.
    static let stateVersion: Int32 = 20
}
