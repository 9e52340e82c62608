// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// The version of the C library this module was loaded with.
package enum StorageLibraries {
    /// SQLite's version text.
    package static var sqlite: String { unsafe String(cString: sqlite3_libversion()) }
}
