// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
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

    /// Whether it is one of them.
    ///
    /// So are exports, as far as they are on record: whoever exports without a word writes none.
    mutating func take(_ entry: AuditEntry) -> Bool {
        // The column is in no hash; whatever it says, the text is looked at.
        let column = Self.kinds.first { $0.rawValue == entry.kind }
        guard let kind = entry.said(of: Self.kinds) ?? column else { return false }
        if kind == .approver {
            retiring.formUnion(entry.retiredApprover.map { [$0] } ?? [])
            holding.formUnion(entry.heldApprovers ?? [])
            return false
        }
        if kind == .attest { attestings.append(entry.sequence) }
        if kind == .thaw { hasThaw = true }
        return true
    }

    private static let kinds: [AuditKind] = [.attest, .thaw, .export, .approver]

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

extension AuditEntry {
    /// The key of an approver that it retires; nil of any other entry.
    var retiredApprover: [UInt8]? {
        guard let body = try? JSON.parse(Array(body.utf8).span),
            body["kind"]?.text == AuditKind.approver.rawValue,
            body["what"]?.text == AuditRecord.retirement
        else { return nil }
        return body.hexBytes("key")
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
