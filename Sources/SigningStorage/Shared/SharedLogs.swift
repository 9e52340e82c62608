// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import Synchronization

/// Opens shared logs by their addresses.
package protocol SharedLogOpener: Sendable {
    /// Returns the log at an address; it may connect later.
    func open(_ address: String) throws(LedgerError) -> any SharedLog
}

/// The openers of shared logs, by scheme: the storage module does not know the kinds of logs.
package enum SharedLogs {
    private static let openers = Mutex<[Substring: any SharedLogOpener]>([:])

    /// Registers the opener for a scheme, for all ledgers of this process; called once at the
    /// start.
    package static func register(_ opener: any SharedLogOpener, for scheme: String) {
        openers.withLock { $0[scheme[...]] = opener }
    }

    /// The error if the log begins after the position that a hub knows.
    package static func cut(behind known: LogPlace) -> LedgerError {
        .unavailable(
            "the shared log no longer contains batch \(known.sequence + 1), which this copy needs: "
                + "the log was cut meanwhile, or a part was removed; join again from a new backup "
                + "of a hub in use, or with a new invitation")
    }

    static func open(_ address: String) throws(LedgerError) -> any SharedLog {
        let scheme = address.prefix { $0 != ":" }
        guard let opener = openers.withLock({ $0[scheme] }) else {
            throw .unavailable("this ledger is shared, but this program does not support its log")
        }
        return try opener.open(address)
    }
}
