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

    /// The first format whose batches can be taken: from it on batches contain entries, and each
    /// hub counts its own questions to people.
    static let sharedVersionMin: Int32 = 19
    /// The format of batches made here, which is the newest that can be taken.
    static let sharedVersion = max(stateVersion, Int32(ledger.version))
    /// From this one on entries state every row that follows from them: an older program writes
    /// rows that none states.
    static let entriesVersion: Int32 = 18
    /// From this one on entries about archived parts name the state after them, and the first
    /// batches of a log and snapshots contain texts with rows: an older program knows neither.
    static let stateVersion: Int32 = 20
}
