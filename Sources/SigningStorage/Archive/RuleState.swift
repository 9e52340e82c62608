// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// The rows of a state with the knowledge of the rules.
extension EntryRules {
    /// The rows, without the policy's entry and the approvers' keys.
    var rows: [[String]] {
        var rows = [["floor", String(timeFloor.seconds)], ["hub", String(lastHub)]]
        if let policy { rows.append(["policy", String(policy.entry.sequence)]) }
        if let newestFreeze { rows.append(["freeze", String(newestFreeze.sequence)]) }
        if let isFrozen { rows.append(["frozen", isFrozen ? "1" : "0"]) }
        for sequence in textless.sorted() { rows.append(["textless", String(sequence)]) }
        for (name, flag) in Self.flags where self[keyPath: flag] { rows.append([name, "1"]) }
        return rows.map { ["rules"] + $0 }
    }

    /// Takes over what a state says; false if the state has an unknown form.
    ///
    /// `kept` are the entries of the state, and `access` reads its tables.
    mutating func resume(
        _ rows: [[String]], keeping kept: [AuditEntry], in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> Bool {
        for row in rows {
            guard row.count == 3, let value = Int64(row[2]) else { return false }
            let entry = kept.first { $0.sequence == value }
            switch row[1] {
            case "floor": timeFloor = Timestamp(seconds: value)
            case "hub": lastHub = Int32(truncatingIfNeeded: value)
            case "policy":
                guard let entry, case .attest(let attest)? = entry.change else { return false }
                policy = (entry.head, attest.policyHash)
                governance = attest.governance
            case "freeze":
                guard let entry, entry.kind == AuditKind.freeze.rawValue else { return false }
                newestFreeze = entry.head
            case "frozen": isFrozen = value == 1
            case "textless": textless.insert(value)
            default:
                guard let flag = Self.flags.first(where: { $0.name == row[1] })?.flag else {
                    return false
                }
                self[keyPath: flag] = true
            }
        }
        ownApprovers = try access.ownApprovers()
        retiredApprovers = try access.retiredApprovers()
        return true
    }

    private static var flags: [(name: String, flag: WritableKeyPath<EntryRules, Bool>)] {
        [
            ("signs thaws", \.signsThaws), ("states used", \.statesUsed),
            ("states rows", \.statesRows), ("may carry again", \.mayCarryAgain),
            ("begun anew", \.isBegunAnew),
        ]
    }
}
