// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// What rows beside the chain say that owners change by acts that may take several people.
struct GovernedRows {
    /// The mark of the policy in force.
    let policy: String?
    let isFrozen: Bool
    /// The keys of approvers that count for nothing.
    let retired: Set<[UInt8]>
    /// The keys of approvers that lie, or lay, in hubs that sign.
    let own: Set<[UInt8]>
    /// The hubs that write no more.
    let retiredHubs: Set<Int32>
}

/// The entries of a batch that may need the yes of several people.
struct GovernedEntries {
    private let before: GovernedRows
    private var attestings: [Int64] = []
    private var hasThaw = false
    /// The keys of approvers that they retire.
    private var retiring: Set<[UInt8]> = []
    /// The keys of approvers that they say lie in a hub.
    private var holding: Set<[UInt8]> = []

    init(_ before: GovernedRows) { self.before = before }

    /// Adds an entry; false if it needs no approval.
    ///
    /// Exports do, as far as they are on record: a program that exports without an entry writes
    /// none.
    mutating func take(_ entry: Entry, at sequence: Int64) -> Bool {
        switch entry {
        case .approver(.retires(let key)): retiring.insert(key)
        case .approver(.holds(let keys)): holding.formUnion(keys)
        case .attest:
            attestings.append(sequence)
            return true
        case .thaw:
            hasThaw = true
            return true
        case .export: return true
        default: break
        }
        return false
    }

    /// Whether what the rows say now comes of these entries, of a batch in this format.
    func explain(_ now: GovernedRows, version: Int32) -> Bool {
        let isMarked =
            now.policy == before.policy
            || attestings.contains { now.policy?.hasPrefix("\($0) ") == true }
        let isForGood =
            before.retired.isSubset(of: now.retired)
            && before.retiredHubs.isSubset(of: now.retiredHubs)
            && (version < Schema.approvingVersion
                || now.retired.subtracting(before.retired) == retiring)
        let isHeld = now.own == before.own.union(holding)
        return isMarked && isForGood && isHeld && (now.isFrozen || !before.isFrozen || hasThaw)
    }
}

extension Access<LedgerError> {
    func governedRows() throws(LedgerError) -> GovernedRows {
        let rows = try all("SELECT name, value FROM meta WHERE name IN ('policy', 'frozen')") {
            row throws(LedgerError) in (try row.text(0), try row.text(1))
        }
        return GovernedRows(
            policy: rows.first { $0.0 == "policy" }?.1,
            isFrozen: rows.contains { $0.0 == "frozen" }, retired: try retiredApprovers(),
            own: try ownApprovers(),
            retiredHubs: Set(try hubs().filter { $0.retired != nil }.map(\.number)))
    }
}
