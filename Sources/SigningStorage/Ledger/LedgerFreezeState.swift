// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

/// The freeze, for questions and owner sessions; a reservation reads it itself.
extension SQLiteLedger {
    /// Whether all signing is frozen, on record or by the mark file.
    package func isFrozen() throws(LedgerError) -> Bool { try freezeReason() != nil }

    /// The number of the newest freeze on record, 0 without one; nil while signing is frozen.
    package func newestFreeze() throws(LedgerError) -> Int64? {
        try read { access throws(LedgerError) in
            guard try access.freezeReason() == nil else { return nil }
            return try access.newestEntry(of: .freeze)?.sequence ?? 0
        }
    }
}
