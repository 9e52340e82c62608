// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
package import SigningStorage
internal import SigningVault

/// The sharing of a home's record.
package struct RecordSharing: Sendable {
    /// The address of the log.
    package let address: SharedLogAddress
    /// The hub that this home is.
    package let hub: LedgerHub
    /// All present and former hubs of the record.
    package let hubs: [LedgerHub]
    /// The place up to which the log is known here.
    package let place: LogPlace
}

extension RecordSharing {
    /// The servers and database of the log, without the rest of the address.
    package var serverText: String { address.serverText }
}

extension OpenHome {
    /// Returns the sharing of the record; nil if it belongs to this machine alone.
    package func sharing(_ ledger: SQLiteLedger) throws -> RecordSharing? {
        let (found, hubs) = (try ledger.sharing(), try ledger.hubs())
        guard let found else { return nil }
        guard let hub = hubs.first(where: { $0.number == found.hub }) else {
            throw ServiceError(
                "this home is a hub that the record does not know",
                hint: "restore a backup, and join again: countersign hub join")
        }
        return RecordSharing(
            address: try Self.address(found.address), hub: hub, hubs: hubs, place: found.place)
    }

    /// Returns the address of the shared log; nil if the record belongs to this machine alone.
    package func sharedLog() throws -> SharedLogAddress? {
        let ledger = try openLedger()
        return try sharing(ledger)?.address
    }

    /// Parses the address of a log.
    package static func address(_ text: String) throws(ServiceError) -> SharedLogAddress {
        do throws(SharedLogAddressError) {
            return try SharedLogs.address(text)
        } catch {
            throw ServiceError(error.text, hint: error.hint)
        }
    }

    /// Moves the record to a new log, with this home as the first hub.
    package func share(
        _ ledger: SQLiteLedger, at address: String, as name: String
    ) throws -> LedgerHub {
        let place = try Self.address(address)
        let attested = try vault.attestedPolicy()
        if let attested {
            guard attested.source.count <= PolicyText.bytesMax else { throw Self.tooLongToShare }
        }
        if let attested { try ledger.keepText(of: attested) }
        guard try !ledger.isShared() else {
            throw LedgerError.unavailable("the record is shared already")
        }
        let hub = try ledger.share(
            over: SharedLogs.make(at: address), address: address, hubName: name,
            acceptsLoss: place.mayLoseLast, at: SystemEnvironment().now())
        try vault.noteSharing(true)
        try checkpointAtExit(ledger)
        return hub
    }

    /// Changes the address of the same log.
    package func reach(_ ledger: SQLiteLedger, at address: String) throws {
        let place = try Self.address(address)
        try ledger.reach(logAt: address)
        if place.mayLoseLast { try ledger.acceptLoss(at: SystemEnvironment().now()) }
    }

    /// Continues with the record alone; notifies the other hubs unless the log is lost.
    package func unshare(_ ledger: SQLiteLedger, withoutLog: Bool) throws {
        let now = SystemEnvironment().now()
        // An interrupted call may have left only the note in the vault to be made.
        if try ledger.isShared() {
            try withoutLog ? ledger.unshareWithoutLog(at: now) : ledger.unshare(at: now)
        }
        try vault.noteSharing(false)
        try checkpointAtExit(ledger)
    }

    /// The error for a policy that is too long for other hubs.
    static var tooLongToShare: ServiceError {
        ServiceError(
            "the policy is too long to be shared with other hubs",
            hint: "shorten it to \(PolicyText.bytesMax >> 10) KiB")
    }
}
