// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

extension SQLiteError {
    /// True if the content of the file is wrong; false if the file cannot be read or written.
    package var isCorruption: Bool {
        switch self {
        case .failed(let code, _):
            [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR].contains(code & Self.primaryCodeMask)
        case .unexpectedValue, .foreignFile: true
        case .notRemade(_, _, let isCorruption): isCorruption
        case .notConverted(_, let isDamaged): isDamaged
        case .newerFormat, .olderFormat, .otherTables, .noWriteAheadLog: false
        }
    }

    /// True if a statement did not fit the tables of the file, or a row their constraints.
    var isOfOtherTables: Bool {
        guard case .failed(let code, _) = self else { return false }
        return [SQLITE_ERROR, SQLITE_CONSTRAINT].contains(code & Self.primaryCodeMask)
    }

    /// The error in plain words.
    package var text: String {
        switch self {
        case .failed(let code, let statement):
            Self.advice(for: code)
                ?? "\(Self.name(of: code)) (\(code)) in \"\(Self.firstLine(of: statement))\""
        case .unexpectedValue(let statement):
            "a value of the wrong type in \"\(Self.firstLine(of: statement))\""
        case .noWriteAheadLog:
            "the file system has no room for SQLite's write-ahead log: put the home on a local disk"
        case .newerFormat(let file, let found, let supported):
            "\(file) has format \(found), this version knows formats up to "
                + "\(supported): install the newer version"
        case .olderFormat(let file, let found, let supported):
            "\(file) has format \(found) of an older version, this version works with format "
                + "\(supported): \(Home.upgradeCommand)"
        case .otherTables(let file, let found, let supported):
            "\(file) has tables of version \(found), this program works with version "
                + "\(supported): \(Home.upgradeCommand)"
        case .notRemade(let file, let reason, _):
            "the tables of \(file) cannot be made again from its entries, and stay as they are: "
                + reason
        case .foreignFile(let file): "\(file) is not a file of this kind"
        case .notConverted(let text, _): text
        }
    }

    /// The cause outside of this program and the way to fix it, in words; nil for other codes.
    private static func advice(for code: Int32) -> String? {
        if code == sqlite3_shim_file_moved {
            return "the file was moved or replaced while it was in use: start again"
        }
        switch code & primaryCodeMask {
        case SQLITE_FULL, SQLITE_IOERR:
            return "the disk is full or cannot be written: make room and try again"
        case SQLITE_READONLY, SQLITE_PERM:
            return "the file cannot be written: it and its folder must be yours and writable"
        case SQLITE_CANTOPEN:
            return "the file cannot be opened: it must be there, be yours and be writable"
        case SQLITE_BUSY:
            return "another process has kept the database locked for "
                + "\(SQLiteConnection.busyTimeoutMilliseconds / 1_000) s: "
                + "try again when it has ended"
        case SQLITE_CORRUPT: return "SQLite finds damaged pages in it"
        case SQLITE_NOTADB: return "it is not a SQLite file"
        case SQLITE_ERROR: return "one of its tables is missing or has another form"
        default: return nil
        }
    }

    /// The bits of SQLite's primary result code; extended codes add information in higher bits.
    static let primaryCodeMask: Int32 = 0xFF

    private static func firstLine(of statement: String) -> Substring {
        statement.prefix { $0 != "\n" && $0 != ";" }
    }

    private static func name(of code: Int32) -> String {
        guard let name = unsafe sqlite3_errstr(code) else { return "unknown error" }
        return unsafe String(cString: name)
    }
}
