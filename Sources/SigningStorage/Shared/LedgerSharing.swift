// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// How a ledger is shared, as one hub knows it.
package struct LedgerSharing: Hashable, Sendable {
    /// Where the log is.
    package let address: String
    /// Tells ledgers apart, 32 bytes.
    package let ledger: [UInt8]
    /// This hub's number.
    package let hub: Int32
    /// Up to where the log is known here.
    package let place: LogPlace
    /// The hub whose alone the ledger is, if one left with it.
    package let movedTo: Int32?
}

extension SQLiteLedger {
    /// Where others may freeze it, a short time from when it was to be reserved.
    package var reservationLasts: Duration? { journal.isShared ? .seconds(5) : nil }

    /// What this hub is called; nil too where that cannot be read, and then no rule counts by it.
    package var hubName: String? { (try? glance())?.hubName }

    /// Whether other hubs may have copies.
    package func isShared() throws(LedgerError) -> Bool {
        try query { access throws(LedgerError) in try access.local(.mark) != nil }
    }

    /// How the ledger is shared, as this hub knows it; nil where it is not.
    package func sharing() throws(LedgerError) -> LedgerSharing? {
        try read { access throws(LedgerError) in
            guard let identity = try access.logIdentity() else { return nil }
            return LedgerSharing(
                address: identity.address, ledger: identity.ledger, hub: identity.hub,
                place: try access.logPlace(), movedTo: try access.hubItMovedTo())
        }
    }

    /// Reaches the same log at another address from now on.
    package func reach(logAt address: String) throws(LedgerError) {
        let known = try sharing()
        guard let known else { throw Self.notShared }
        let log = try SharedLogs.open(address)
        try log.checkMayAppend()
        let news = try log.news(after: known.place)
        try database.writeLocally { access, connection throws(LedgerError) in
            guard let identity = try access.logIdentity(), try access.logPlace() == known.place
            else { throw .unavailable("the ledger was written meanwhile: try again") }
            // It has to go on from here, whoever wrote it.
            _ = try SharedCopy(identity, connection).take(news)
            try access.reach(logAt: address)
        }
    }

    /// Refuses where the log would take no batch of this hub, as far as that can be told.
    package func checkMayAppend() throws(LedgerError) {
        guard let known = try sharing() else { return }
        try SharedLogs.open(known.address).checkMayAppend()
    }

    /// Puts on record that the database may lose what it answered last.
    package func acceptLoss(at time: Timestamp) throws(LedgerError) {
        try flush()
        try database.write { access throws(LedgerError) in
            guard let identity = try access.logIdentity(),
                let hub = try access.hub(identity.hub)
            else { throw Self.notShared }
            _ = try access.append(
                AuditRecord(.acceptLoss, hub.key, named: hub.name, at: time))
        }
    }

    /// Takes in what other hubs wrote; false where the ledger is not shared.
    ///
    /// Whoever reads sees what was known here last; whoever writes sees all.
    @discardableResult
    package func catchUp() throws(LedgerError) -> Bool { try journal.catchUp(database) }

    /// The same where that was last done longer ago than this.
    package func catchUp(after age: Duration) throws(LedgerError) {
        if journal.isOlder(than: age) { try catchUp() }
    }

    /// Puts the whole ledger into a log without batches, and is the first hub to share it.
    ///
    /// Until it returns the ledger is this machine's alone: whatever fails, or is killed, on the
    /// way leaves a log with batches that nobody can read, and that is refused from then on.
    @discardableResult
    package func share(
        over log: any SharedLog, address: String, hubName: String, acceptsLoss: Bool = false,
        at time: Timestamp
    ) throws(LedgerError) -> LedgerHub {
        try flush()
        return try database.twin().writeWhole { access, content throws(LedgerError) in
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
                    AuditRecord(.acceptLoss, key, named: hubName, at: time))
            }
            var place = LogPlace.origin
            try content.read { changes throws(LedgerError) in
                place = try Self.append(changes, to: log, as: identity, after: place)
            }
            try access.set(place)
            guard let hub = try access.hub(number) else { throw .corrupt("a hub got lost") }
            return hub
        }
    }

    private static func append(
        _ changes: [UInt8], to log: any SharedLog, as identity: LogIdentity, after place: LogPlace
    ) throws(LedgerError) -> LogPlace {
        guard changes.count <= LogIdentity.changesMax else {
            throw .unavailable("an entry of the ledger is too large for a shared log")
        }
        let batch = try identity.batch(changes, after: place)
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

    /// Goes on with the ledger alone, as an ordinary one.
    ///
    /// Whoever else has a copy is told with the last batch, and refuses from then on: limits that
    /// two ledgers count are no limits.
    package func unshare(at time: Timestamp) throws(LedgerError) {
        try flush()
        try catchUp()
        let isCutOff = try database.writeLocally { access, _ throws(LedgerError) in
            // It was told before, and the answer got lost.
            guard let identity = try access.logIdentity(),
                try access.hubItMovedTo() == identity.hub
            else { return false }
            try access.goOnAlone()
            return true
        }
        guard !isCutOff else { return }
        try database.write { access throws(LedgerError) in
            guard let identity = try access.logIdentity(),
                let hub = try access.hub(identity.hub)
            else { throw Self.notShared }
            let entry = try access.append(
                AuditRecord(.move, hub.key, named: hub.name, at: time))
            try access.run(
                "UPDATE hubs SET retired = ? WHERE retired IS NULL", .integer(entry.time.seconds))
            try access.run(
                "INSERT INTO meta (name, value) VALUES ('moved', ?)", .text(String(hub.number)))
        }
        try database.writeLocally { access, _ throws(LedgerError) in try access.goOnAlone() }
    }

    /// Goes on with the ledger alone where its log is lost, or says what nobody takes.
    ///
    /// No other hub can be told: whoever decides it sees to it that none of them signs any more.
    package func unshareWithoutLog(at time: Timestamp) throws(LedgerError) {
        try database.writeLocally { access, _ throws(LedgerError) in
            guard let identity = try access.logIdentity(), let hub = try access.hub(identity.hub)
            else { throw Self.notShared }
            let entry = try access.append(AuditRecord(.move, hub.key, named: hub.name, at: time))
            try access.run(
                "UPDATE hubs SET retired = ? WHERE retired IS NULL", .integer(entry.time.seconds))
            try access.goOnAlone()
        }
    }

    /// Every hub that ever shared this ledger, in order of numbers.
    package func hubs() throws(LedgerError) -> [LedgerHub] {
        try read { access throws(LedgerError) in try access.hubs() }
    }

    /// Makes a new hub of a copy that was restored from a backup of another one, whose key is
    /// forgotten here.
    ///
    /// Where its answer is lost a hub may be on record that nobody is: retire it, and join again.
    @discardableResult
    package func join(as name: String, at time: Timestamp) throws(LedgerError) -> LedgerHub {
        try flush()
        return try database.write { access throws(LedgerError) in
            guard try access.local(.mark) != nil else { throw Self.notShared }
            let key = try access.becomeHub(try access.freeHubNumber(for: name))
            _ = try access.add(key, named: name, as: .join, at: time)
            guard let hub = try access.hub(key.number) else { throw .corrupt("a hub got lost") }
            return hub
        }
    }

    /// Lets a hub write nothing any more.
    ///
    /// What it said counts for nothing as soon as that is on record, and not before.
    package func retire(hub number: Int32, at time: Timestamp) throws(LedgerError) {
        try flush()
        try database.write { access throws(LedgerError) in
            guard let identity = try access.logIdentity() else { throw Self.notShared }
            guard number != identity.hub else {
                throw .unavailable("a hub does not retire itself: do it from another one")
            }
            guard let hub = try access.hub(number), hub.retired == nil else {
                throw .unavailable("there is no hub \(number) in use")
            }
            let entry = try access.append(
                AuditRecord(.retire, hub.key, named: hub.name, at: time))
            try access.run(
                "UPDATE hubs SET retired = ? WHERE number = ?", .integer(entry.time.seconds),
                .integer(Int64(number)))
            // What a hub that was broken into left, nobody else takes back.
            try access.forgetImpossibleQuestions(at: time)
        }
    }
}

extension LedgerHub {
    fileprivate var key: HubKey { HubKey(number: number, publicKey: publicKey) }
}

extension Access<LedgerError> {
    /// Ends being a copy.
    fileprivate func goOnAlone() throws(LedgerError) {
        try run("DELETE FROM meta WHERE name = 'moved'")
        try forgetLog()
    }
}

extension Database<LedgerError> {
    /// Lends the file for changes, and all that is in it; for a connection of its own.
    fileprivate func writeWhole<R: Sendable>(
        _ body: (borrowing Access<LedgerError>, WholeContent) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
        try alone { connection throws(LedgerError) in
            let content = try WholeContent(connection)
            let access = Access<LedgerError>(connection)
            try access.run("BEGIN IMMEDIATE")
            do throws(LedgerError) {
                let result = try body(access, content)
                try access.run("COMMIT")
                return result
            } catch {
                connection.rollBack()
                throw error
            }
        }
    }
}
