// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningFiles

extension LedgerError: StorageError {
    /// The damage of the file, or the cause for which it cannot be used at the moment.
    package init(_ error: SQLiteError) {
        self = error.isCorruption ? .corrupt(error.text) : .unavailable(error.text)
    }

    init(_ error: HomeError) {
        self = .unavailable(error.text)
    }
}
