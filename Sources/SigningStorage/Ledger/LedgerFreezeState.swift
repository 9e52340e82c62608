// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

/// What asks nobody, and remembers nothing, while signing is frozen; a reservation reads the freeze
/// itself.
extension SQLiteLedger {
    /// Whether all signing is frozen, on record or by the mark file.
    package func isFrozen() throws(LedgerError) -> Bool { try freezeReason() != nil }
}
