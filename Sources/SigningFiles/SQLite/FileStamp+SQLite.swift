// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// A value that changes with every commit of any process to a database file.
///
/// Data read after a stamp was taken is current as long as the stamp is unchanged.
package struct FileStamp: Hashable, Sendable {
    // The header of the write-ahead log's index, whose last part is a checksum.
    private let parts: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    fileprivate init(_ parts: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)) {
        self.parts = parts
    }

    /// Returns true if no commit lies between the two.
    package static func == (a: FileStamp, b: FileStamp) -> Bool {
        (a.parts.0, a.parts.1, a.parts.2) == (b.parts.0, b.parts.1, b.parts.2)
            && (a.parts.3, a.parts.4, a.parts.5) == (b.parts.3, b.parts.4, b.parts.5)
    }

    /// Hashes the checksum.
    package func hash(into hasher: inout Hasher) { hasher.combine(parts.5) }
}

extension SQLiteConnection {
    /// The file's stamp; nil if a process is writing to the file, or if there is no stamp.
    package var stamp: FileStamp? {
        var parts: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
        let isThere = unsafe withUnsafeMutablePointer(to: &parts) { parts in
            unsafe parts.withMemoryRebound(to: UInt64.self, capacity: 6) { parts in
                unsafe sqlite3_shim_wal_header(handle, parts) != 0
            }
        }
        return isThere ? FileStamp(parts) : nil
    }
}
