// SPDX-License-Identifier: Apache-2.0

import SigningFiles
import Synchronization
import TestHome
import Testing

@testable import SigningCore
@testable import SigningStorage

/// Checks the record of every home of the tests when its test ends: each body is the encoding of
/// its decoded form, and no beginning of one is an entry.
enum RecordCheck {
    /// Checks homes from now on; every helper that writes entries asks for it.
    static let install: Void = TemporaryHome.atEnd.withLock {
        $0 = { home in
            check(home)
            ReplayCheck.check(home)
        }
    }

    /// The number of entries of a home that are checked.
    private static let entriesMax = 1_000
    /// The number of bodies of each kind whose beginnings are tried, as there are many.
    private static let cutMax = 5
    private static let cut = Mutex<[AuditKind: Int]>([:])

    private static func check(_ home: Home) {
        guard
            let database = try? Database<LedgerError>(
                path: home.ledgerPath, schema: .ledger, .asFound),
            let entries = try? database.read({ access throws(LedgerError) in
                try access.entries(before: .max, countMax: entriesMax)
            })
        else { return }
        // A test may have damaged a row; then its hash does not fit.
        for entry in entries where entry.isIntact {
            let body = Array(entry.body.utf8)
            guard let read = try? EntryBody(body), read.bytes == body else {
                Issue.record("entry \(entry.sequence) is not read back: \(entry.body)")
                continue
            }
            let isTried = cut.withLock { cut in
                cut[read.entry.kind, default: 0] += 1
                return cut[read.entry.kind, default: 0] <= cutMax
            }
            for count in isTried ? body.indices : 0..<0 {
                let isRefused = (try? EntryBody(Array(body[..<count]))) == nil
                if !isRefused { Issue.record("\(count) bytes are an entry: \(entry.body)") }
            }
        }
    }
}
