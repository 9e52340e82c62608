// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

/// The state of a shared ledger, as this hub knows it.
package struct LedgerSharing: Hashable, Sendable {
    /// The address of the log.
    package let address: String
    /// The id of the ledger, 32 bytes.
    package let ledger: [UInt8]
    /// This hub's number.
    package let hub: Int32
    /// The position up to which this hub knows the log.
    package let place: LogPlace
    /// The hub that left the log and continues the ledger alone; nil if there is none.
    package let movedTo: Int32?
}

extension SQLiteLedger {
    /// The time for which a reservation is valid: short if other hubs can freeze signing, nil
    /// without a limit.
    package var reservationLasts: Duration? { journal.isShared ? .seconds(5) : nil }

    /// The name of this hub.
    ///
    /// Nil if the ledger is not shared or the name cannot be read; then rules with a hub's name do
    /// not match.
    package var hubName: String? { (try? glance())?.hubName }

    /// True if other hubs may have copies.
    package func isShared() throws(LedgerError) -> Bool {
        try query { access throws(LedgerError) in try access.local(.mark) != nil }
    }

    /// The state of the shared ledger; nil if it is not shared.
    package func sharing() throws(LedgerError) -> LedgerSharing? {
        try read { access throws(LedgerError) in
            guard let identity = try access.logIdentity() else { return nil }
            return LedgerSharing(
                address: identity.address, ledger: identity.ledger, hub: identity.hub,
                place: try access.logPlace(), movedTo: try access.movedToHub())
        }
    }

    /// Stores the key that signs the owner's entries, by which those of other hubs are checked.
    package func trust(_ logPublicKey: [UInt8]) throws(LedgerError) {
        let isKnown = try query { access throws(LedgerError) in
            guard try access.local(.mark) != nil else { return true }
            return try access.local(.logKey) == logPublicKey
        }
        guard !isKnown else { return }
        try database.writeLocally { access, _ throws(LedgerError) in
            try access.set(.logKey, to: logPublicKey)
        }
    }

    /// Changes the address of the log.
    package func reach(logAt address: String) throws(LedgerError) {
        let known = try sharing()
        guard let known else { throw Self.notShared }
        let log = try SharedLogs.open(address)
        try log.checkMayAppend()
        let news = try log.news(after: known.place)
        try database.writeLocally { access, connection throws(LedgerError) in
            guard let identity = try access.logIdentity(), try access.logPlace() == known.place
            else { throw .unavailable("the ledger was changed meanwhile: try again") }
            // The log must continue this copy, whichever hub wrote it.
            _ = try SharedCopy(identity, connection).take(news)
            try access.reach(logAt: address)
        }
    }

    /// Throws if the log would refuse a batch of this hub, as far as can be checked.
    package func checkMayAppend() throws(LedgerError) {
        guard let known = try sharing() else { return }
        try SharedLogs.open(known.address).checkMayAppend()
    }

    /// Records that the database may lose its last confirmed batches.
    package func acceptLoss(at time: Timestamp) throws(LedgerError) {
        try flush()
        try database.write { access throws(LedgerError) in
            guard let identity = try access.logIdentity(),
                let hub = try access.hub(identity.hub)
            else { throw Self.notShared }
            _ = try access.append(
                .hub(HubEntry(.acceptLoss, hub.key, named: hub.name)), at: time)
        }
    }

    /// Copies the entries of other hubs; false if the ledger is not shared.
    ///
    /// Reading functions see the last copied state; writing functions see all entries.
    @discardableResult
    package func catchUp() throws(LedgerError) -> Bool { try journal.catchUp(database) }

    /// Copies the entries of other hubs if the last copy is older than this.
    package func catchUp(after age: Duration) throws(LedgerError) {
        if journal.isOlder(than: age) { try catchUp() }
    }

    /// Writes the whole ledger to an empty log, as the first hub that shares it.
    ///
    /// Until this function returns, the ledger is not shared. A failure leaves a log with batches
    /// that no key can open; such a log is refused from then on.
    @discardableResult
    package func share(
        over log: any SharedLog, address: String, hubName: String, acceptsLoss: Bool = false,
        at time: Timestamp
    ) throws(LedgerError) -> LedgerHub {
        try flush()
        return try database.writeLocally { access, _ throws(LedgerError) in
            guard try access.local(.mark) == nil else {
                throw .unavailable("the ledger is shared already")
            }
            let number = try access.freeHubNumber(for: hubName)
            let identity = try access.found(number, at: address)
            let key = HubKey(number: number, publicKey: identity.publicKey)
            let entry = try access.add(key, named: hubName, as: .share, at: time)
            try access.noteWriter(number, from: entry.sequence)
            if acceptsLoss {
                _ = try access.append(
                    .hub(HubEntry(.acceptLoss, key, named: hubName)), at: time)
            }
            var place = LogPlace.origin
            try WholeContent.read(access) { text throws(LedgerError) in
                place = try Self.append(text, to: log, as: identity, after: place)
            }
            try access.set(place)
            _ = try access.follows(Schema.sharedVersion)
            guard let hub = try access.hub(number) else {
                throw .corrupt(
                    "a hub is missing from the ledger")
            }
            return hub
        }
    }

    private static func append(
        _ text: [UInt8], to log: any SharedLog, as identity: LogIdentity, after place: LogPlace
    ) throws(LedgerError) -> LogPlace {
        guard text.count <= LogIdentity.changesMax else {
            throw .unavailable("an entry of the ledger is too large for a shared log")
        }
        let batch = try identity.batch(text, after: place)
        do throws(LedgerError) {
            let news = try log.takeTurn(after: place)
            guard news.end == place.sequence, news.batches.isEmpty else {
                throw .unavailable(
                    "the shared log is in use, or a move was cut off: empty it first")
            }
            try log.append(batch)
        } catch {
            log.giveBack()
            throw error
        }
        return batch.place
    }

    /// Leaves the shared log and continues the ledger on this machine alone.
    ///
    /// The last batch notifies the other hubs, which refuse to sign from then on: two ledgers must
    /// not count the same limits.
    package func unshare(at time: Timestamp) throws(LedgerError) {
        try flush()
        try catchUp()
        let isCutOff = try database.writeLocally { access, _ throws(LedgerError) in
            // The other hubs were notified before, but the confirmation was lost.
            guard let identity = try access.logIdentity(),
                try access.movedToHub() == identity.hub
            else { return false }
            try access.leaveLog()
            return true
        }
        guard !isCutOff else { return }
        try database.write { access throws(LedgerError) in
            guard let identity = try access.logIdentity(),
                let hub = try access.hub(identity.hub)
            else { throw Self.notShared }
            _ = try access.append(
                .hub(HubEntry(.move, hub.key, named: hub.name)), at: time)
        }
        try database.writeLocally { access, _ throws(LedgerError) in try access.leaveLog() }
    }

    /// Continues the ledger alone if its log is lost, or contains batches that hubs refuse.
    ///
    /// The other hubs are not notified: the owner must make sure that they do not sign any more.
    package func unshareWithoutLog(at time: Timestamp) throws(LedgerError) {
        try database.writeLocally { access, _ throws(LedgerError) in
            guard let identity = try access.logIdentity(), let hub = try access.hub(identity.hub)
            else { throw Self.notShared }
            _ = try access.append(.hub(HubEntry(.move, hub.key, named: hub.name)), at: time)
            try access.leaveLog()
        }
    }

    /// Every hub that ever shared this ledger, in order of numbers.
    package func hubs() throws(LedgerError) -> [LedgerHub] {
        try read { access throws(LedgerError) in try access.hubs() }
    }

    /// Makes a new hub of a copy that was restored from another hub's backup, and deletes that
    /// hub's key here.
    ///
    /// If the confirmation gets lost, an unused hub may be on record: retire it, and join again.
    @discardableResult
    package func join(as name: String, at time: Timestamp) throws(LedgerError) -> LedgerHub {
        try flush()
        return try database.write { access throws(LedgerError) in
            guard try access.local(.mark) != nil else { throw Self.notShared }
            let key = try access.becomeHub(try access.freeHubNumber(for: name))
            _ = try access.add(key, named: name, as: .join, at: time)
            guard let hub = try access.hub(key.number) else {
                throw .corrupt(
                    "a hub is missing from the ledger")
            }
            return hub
        }
    }

    /// Retires a hub, which can write nothing from then on.
    ///
    /// Its batches stop being valid once the retirement is on record.
    package func retire(hub number: Int32, at time: Timestamp) throws(LedgerError) {
        try flush()
        try database.write { access throws(LedgerError) in
            guard let identity = try access.logIdentity() else { throw Self.notShared }
            guard number != identity.hub else {
                throw .unavailable("a hub cannot retire itself: retire it from another hub")
            }
            guard let hub = try access.hub(number), hub.retired == nil else {
                throw .unavailable("hub \(number) is not in use")
            }
            _ = try access.append(
                .hub(HubEntry(.retire, hub.key, named: hub.name)), at: time)
            // Deletes questions that a compromised hub may have left; only their hub could withdraw
            // them.
            try access.withdrawImpossibleQuestions(at: time)
        }
    }
}

extension LedgerHub {
    fileprivate var key: HubKey { HubKey(number: number, publicKey: publicKey) }
}

extension Access<LedgerError> {
    /// Makes the copy an ordinary ledger.
    fileprivate func leaveLog() throws(LedgerError) {
        try carryOlderText()
        if try awaitsCarriedRows() { try carryOlderRows() }
        try Index(of: self).clear("moved")
        try forgetLog()
    }
}
