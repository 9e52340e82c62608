// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningFiles

extension SQLiteLedger {
    /// Records the approver keys held by this hub if the record is shared: from then on all signing
    /// hubs treat them as the owner's.
    ///
    /// All signing hubs have the team's keys and passphrase, so they belong to one owner. A hub
    /// that only answers has neither, and its approver's key counts. If everything is recorded
    /// already, the only cost is a read of the copy. Called before a question to several people is
    /// stored, and before an approver of this home signs an answer.
    package func putOnRecord(ownApprovers keys: [[UInt8]], at now: Timestamp) throws(LedgerError) {
        let isNew = try read { access throws(LedgerError) in
            guard try access.local(.mark) != nil else { return false }
            return try !access.missing(ownApprovers: keys).isEmpty
        }
        guard isNew else { return }
        try flush()
        try database.write { access throws(LedgerError) in
            let missing = try access.missing(ownApprovers: keys)
            guard !missing.isEmpty else { return }
            let known = try access.ownApprovers()
            guard known.count + missing.count <= JointLimits.ownKeysMax else {
                throw .unavailable("the hubs that sign have the maximum number of approver keys")
            }
            _ = try access.append(.approver(.holds(missing)), at: now)
        }
    }

    /// The approver keys that signing hubs hold, or have held.
    package func ownApprovers() throws(LedgerError) -> Set<[UInt8]> {
        try query { access throws(LedgerError) in try access.ownApprovers() }
    }
}

extension Access<LedgerError> {
    /// The approver keys that signing hubs hold, or have held.
    func ownApprovers() throws(LedgerError) -> Set<[UInt8]> {
        let text = try first("SELECT value FROM meta WHERE name = 'own approvers'") {
            row throws(LedgerError) in try row.text(0)
        }
        let words = text?.split(separator: " ") ?? []
        let keys = words.compactMap { try? Hex.decode(String($0)) }
        guard keys.count == words.count, keys.count <= JointLimits.ownKeysMax,
            keys.allSatisfy({ $0.count == JointLimits.keyCount })
        else { throw .corrupt("the approver keys of hubs cannot be read") }
        return Set(keys)
    }

    /// The keys that are not on record, sorted.
    fileprivate func missing(ownApprovers keys: [[UInt8]]) throws(LedgerError) -> [[UInt8]] {
        Set(keys).subtracting(try ownApprovers()).sorted { $0.lexicographicallyPrecedes($1) }
    }
}
