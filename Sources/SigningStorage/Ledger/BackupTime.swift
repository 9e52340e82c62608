// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

extension SQLiteLedger {
    /// The time of the last backup that was made on this machine; nil if none is known.
    package func lastBackup() throws(LedgerError) -> Timestamp? {
        let text = try read { access throws(LedgerError) in
            try access.first("SELECT value FROM local WHERE name = ?", .text(Self.backupTime)) {
                row throws(LedgerError) in try row.bytes(0)
            }
        }
        guard let text else { return nil }
        guard let seconds = Int64(String(decoding: text, as: UTF8.self)) else {
            throw .corrupt("the time of the last backup is not a number")
        }
        return Timestamp(seconds: seconds)
    }

    /// Notes that a backup was made.
    package func noteBackup(at time: Timestamp) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            try access.run(
                "INSERT OR REPLACE INTO local (name, value) VALUES (?, ?)", .text(Self.backupTime),
                .bytes(Array(String(time.seconds).utf8)))
        }
    }

    /// The name of the row of `local`.
    private static let backupTime = "last backup"
}
