// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
package import SigningCrypto
internal import SigningFiles
package import SigningStorage

/// A team whose questions this home's approver keys answer, with a copy of its record.
package struct JoinedTeam: Sendable {
    /// The number of the team in this home.
    package let number: Int
    package let ledger: SQLiteLedger
    /// The log and hubs of the record; this home is one of the hubs.
    package let sharing: RecordSharing
}

extension JoinedTeam {
    /// Reads new entries; refuses if this home no longer has a place in the team.
    package func catchUp() throws {
        try ledger.catchUp()
        let hubs = try ledger.hubs()
        guard hubs.contains(where: { $0.number == sharing.hub.number && $0.retired == nil }) else {
            throw ServiceError(
                "\(VisibleText.escaped(sharing.hub.name)) can no longer write to that record: the "
                    + "team retired it, or stopped using the log",
                hint: "countersign approver leave \(number)")
        }
    }
}

extension OpenHome {
    /// Returns the teams that this home joined in order, and the damaged ones with their problem.
    package func teams() -> (open: [JoinedTeam], broken: [(number: Int, problem: ServiceError)]) {
        let numbers: [Int]
        do throws(HomeError) { numbers = try home.teams() } catch {
            return ([], [(1, error.explained)])
        }
        var found: (open: [JoinedTeam], broken: [(number: Int, problem: ServiceError)]) = ([], [])
        for number in numbers {
            do { found.open.append(try team(number)) } catch {
                found.broken.append((number, ServiceError(error)))
            }
        }
        return found
    }

    /// Returns one team.
    package func team(_ number: Int) throws -> JoinedTeam {
        let folder = try Home.open(at: home.team(number).path)
        let ledger: SQLiteLedger
        do throws(LedgerError) { ledger = try SQLiteLedger.open(folder) } catch {
            throw ServiceError(
                error.explained.message,
                hint: "countersign approver leave \(number), then join with a new invitation")
        }
        guard let sharing = try sharing(ledger) else {
            throw ServiceError(
                "the record of team \(number) is not shared",
                hint: "leave the team, and ask it for a new invitation")
        }
        return JoinedTeam(number: number, ledger: ledger, sharing: sharing)
    }

    /// Joins a team by its invitation and code; needs no vault.
    ///
    /// The log is at the address in the invitation, or at another one.
    package func join(
        by invitation: [UInt8], code: borrowing SecretBytes, at address: String? = nil
    ) throws -> JoinedTeam {
        if let address { _ = try Self.address(address) }
        let known = try knownRecords()
        let taken = try home.teams()
        guard let number = (1...Home.teamsMax).first(where: { !taken.contains($0) }) else {
            throw ServiceError(
                "this home has already joined \(Home.teamsMax) teams, the maximum",
                hint: "leave one: countersign approver leave")
        }
        _ = try Home.create(at: home.teamsPath)
        let folder = home.team(number)
        do throws(LedgerError) {
            try SQLiteLedger.accept(
                invitation, sealedBy: code, at: address, besides: known, in: folder)
        } catch .unavailable(let text) {
            throw ServiceError(
                text, hint: "nothing was joined; see \"countersign approver join --help\"")
        } catch {
            // The compiler needs this clause: without it, consuming `code` crashes Swift 6.3.
            throw error
        }
        return try team(number)
    }

    /// Returns the records that are already present: two copies of one record would show each
    /// question twice.
    private func knownRecords() throws -> Set<[UInt8]> {
        let ledgers = [try openLedger()] + teams().open.map(\.ledger)
        var known: Set<[UInt8]> = []
        for ledger in ledgers {
            if let sharing = try ledger.sharing() { known.insert(sharing.ledger) }
        }
        return known
    }

    /// Leaves a team: deletes the copy of its record and the hub key.
    package func leave(_ number: Int) throws {
        try home.team(number).remove()
        home.discardJoining()
    }
}
