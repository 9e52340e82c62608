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
        guard let opener = openers.withLock({ $0[scheme] }) else { throw unsupported }
        return try opener.open(address)
    }

    private static let unsupported = LedgerError.unavailable(
        "this ledger is shared, but this program does not support its log")

    /// Parses an address; without a maker for its scheme, another maker explains its own form.
    package static func address(
        _ text: String
    ) throws(SharedLogAddressError) -> SharedLogAddress {
        guard let maker = maker(for: text) else {
            throw SharedLogAddressError(
                "this program does not support shared records",
                hint: "use the countersign command, or keep the record in this home")
        }
        return try maker.address(text)
    }

    /// Makes an empty log at an address and returns it.
    package static func make(at address: String) throws(LedgerError) -> any SharedLog {
        guard let maker = maker(for: address) else { throw unsupported }
        return try maker.make(at: address)
    }

    private static func maker(for address: String) -> (any SharedLogMaker)? {
        openers.withLock { openers in
            openers[address.prefix { $0 != ":" }] as? any SharedLogMaker
                ?? openers.values.lazy.compactMap { $0 as? any SharedLogMaker }.first
        }
    }
}
