// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// What a database file says without being read: another one after every commit of any process.
///
/// What was read after a stamp was taken is what stands there as long as the stamp is the same.
struct FileStamp: Hashable {
    // The header of the log's index; a checksum of it is its last part.
    private let parts: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    fileprivate init(_ parts: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)) {
        self.parts = parts
    }

    static func == (a: FileStamp, b: FileStamp) -> Bool {
        (a.parts.0, a.parts.1, a.parts.2) == (b.parts.0, b.parts.1, b.parts.2)
            && (a.parts.3, a.parts.4, a.parts.5) == (b.parts.3, b.parts.4, b.parts.5)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(parts.5) }
}

extension Connection {
    /// The file's stamp; nil where somebody writes it just now, or there is none.
    var stamp: FileStamp? {
        var parts: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
        let isThere = unsafe withUnsafeMutablePointer(to: &parts) { parts in
            unsafe parts.withMemoryRebound(to: UInt64.self, capacity: 6) { parts in
                unsafe sqlite3_shim_wal_header(handle, parts) != 0
            }
        }
        return isThere ? FileStamp(parts) : nil
    }
}
