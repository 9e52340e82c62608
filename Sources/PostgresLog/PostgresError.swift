// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningStorage

/// An error of a call to the server; the server may have executed the call anyway.
enum PostgresError: Error, Hashable {
    /// The server cannot be reached, or the connection is lost.
    case unreachable(String)
    /// The server refuses, with a SQLSTATE and a message.
    case refused(state: String, text: String)
    /// The answer is not that of a shared log.
    case strange(String)
    /// The log has another version, or is another log.
    case wrong(String)
    /// The batches after the last one that this hub knows were deleted from the log.
    case cut(behind: LogPlace)

    /// The error as one of the ledger.
    var ledgerError: LedgerError {
        switch self {
        case .unreachable(let text): .unavailable(text)
        case .refused(let state, let text):
            .unavailable(
                Self.advice(for: state) ?? "the database refuses (\(state)), and says \"\(text)\"")
        case .strange(let text):
            .corruptLog(
                "the database answers with something that is not a shared log (\(text)): check "
                    + "what was changed there")
        case .wrong(let text): .corruptLog(text)
        case .cut(let known): SharedLogs.cut(behind: known)
        }
    }

    /// The advice for a SQLSTATE whose remedy is known; nil for all others.
    private static func advice(for state: String) -> String? {
        switch state {
        case "3F000", "42P01":
            "this schema of the database does not contain a shared log: make one, or correct the "
                + "address"
        case "42501":
            "this user has no rights to the shared log: use the user that made it, or grant them"
        case "55P03": "another hub has locked the shared log for two seconds: try again"
        case "57014": "the database took longer than ten seconds: try again"
        case "25P03":
            "the lock on the shared log was not used for a second, so the database released it: "
                + "try again"
        case "25006":
            "the server is a replica, which cannot be written to: give the address of the primary"
        case "53100": "the disk of the database is full: free space on it"
        case "53300":
            "the database has no free connection: raise its limit, or close other connections"
        case "40001", "40P01", "CR000": "the database asks to try again"
        case "57P01", "57P02", "57P03": "the database is shutting down or starting: try again"
        default: nil
        }
    }
}

extension String {
    /// The first part of a text from outside, in visible ASCII on one line.
    var clipped: String {
        String(
            decoding: utf8.prefix(Self.clippedBytesMax).map {
                switch $0 {
                case 0x20..<0x7f: $0
                case 0x09, 0x0a: 0x20
                default: UInt8(ascii: "?")
                }
            }, as: UTF8.self
        )
    }

    private static let clippedBytesMax = 300
}
