// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// The versions of the C libraries that this module uses.
package enum StorageLibraries {
    /// The version of SQLite.
    package static var sqlite: String { unsafe String(cString: sqlite3_libversion()) }
}
