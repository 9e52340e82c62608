// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import Synchronization

/// Reaches shared logs by their addresses.
package protocol SharedLogOpener: Sendable {
    /// What reaches the log at an address; it may connect later.
    func open(_ address: String) throws(LedgerError) -> any SharedLog
}

/// How this program reaches shared logs: storage knows what one is, and none that there are.
package enum SharedLogs {
    private static let openers = Mutex<[Substring: any SharedLogOpener]>([:])

    /// Says how those are reached whose addresses begin with a scheme, for all ledgers of this
    /// process; once, where it starts.
    package static func register(_ opener: any SharedLogOpener, for scheme: String) {
        openers.withLock { $0[scheme[...]] = opener }
    }

    /// The log begins behind what a hub knows of it.
    package static func cut(behind known: LogPlace) -> LedgerError {
        .unavailable(
            "the shared log does not go back to batch \(known.sequence + 1), which this copy needs:"
                + " it was cut meanwhile, or somebody removed a part of it; join anew, from a new"
                + " backup of a hub that is in use, or a new invitation")
    }

    static func open(_ address: String) throws(LedgerError) -> any SharedLog {
        let scheme = address.prefix { $0 != ":" }
        guard let opener = openers.withLock({ $0[scheme] }) else {
            throw .unavailable("this ledger is shared, and this program cannot reach its log")
        }
        return try opener.open(address)
    }
}
