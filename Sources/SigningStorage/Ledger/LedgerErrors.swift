// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

extension LedgerError: StorageError {
    init(_ error: SQLiteError) {
        self = error.isCorruption ? .corrupt(error.text) : .unavailable(error.text)
    }

    init(_ error: HomeError) {
        self = .unavailable(error.text)
    }
}
