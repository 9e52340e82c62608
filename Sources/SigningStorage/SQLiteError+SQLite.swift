// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

extension SQLiteError {
    /// Whether the file does not hold what it should, in contrast to being out of reach.
    var isCorruption: Bool {
        switch self {
        case .failed(let code, _): [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF)
        case .unexpectedValue, .foreignFile: true
        case .newerFormat: false
        }
    }

    /// The error in plain words.
    var text: String {
        switch self {
        case .failed(let code, let statement):
            "\(Self.name(of: code)) (\(code)) in \"\(Self.firstLine(of: statement))\""
        case .unexpectedValue(let statement):
            "a value of the wrong type in \"\(Self.firstLine(of: statement))\""
        case .newerFormat(let file, let found, let supported):
            "\(file) has format \(found), this version knows formats up to \(supported)"
        case .foreignFile(let file): "\(file) is not a file of this kind"
        }
    }

    private static func firstLine(of statement: String) -> Substring {
        statement.prefix { $0 != "\n" && $0 != ";" }
    }

    private static func name(of code: Int32) -> String {
        guard let name = unsafe sqlite3_errstr(code) else { return "unknown error" }
        return unsafe String(cString: name)
    }
}
