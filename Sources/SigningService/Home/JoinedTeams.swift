// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
package import SigningCrypto
package import SigningStorage

/// A team whose questions the approver keys of a home answer, by a copy of its record.
package struct JoinedTeam: Sendable {
    /// Its place among the teams of this home.
    package let number: Int
    package let ledger: SQLiteLedger
    /// How the record is shared, this home being one of its hubs.
    package let sharing: RecordSharing
}

extension OpenHome {
    /// The teams that this home joined, in order, and why those cannot be opened that are damaged.
    package func teams() -> (open: [JoinedTeam], broken: [(number: Int, problem: ServiceError)]) {
        let numbers: [Int]
        do throws(HomeError) { numbers = try home.teams() } catch {
            return ([], [(0, ServiceError(error.text, hint: "see \"countersign doctor\""))])
        }
        var found: (open: [JoinedTeam], broken: [(number: Int, problem: ServiceError)]) = ([], [])
        for number in numbers {
            do throws(ServiceError) { found.open.append(try team(number)) } catch {
                found.broken.append((number, error))
            }
        }
        return found
    }

    /// One of them.
    package func team(_ number: Int) throws(ServiceError) -> JoinedTeam {
        let folder = try ServiceError.wrapping { () throws(HomeError) in
            try Home.open(at: home.team(number).path)
        }
        let ledger = try ServiceError.wrapping { () throws(LedgerError) in
            try SQLiteLedger.open(folder)
        }
        guard let sharing = try sharing(ledger) else {
            throw ServiceError(
                "the record of team \(number) belongs to no team",
                hint: "leave it, and ask for a new invitation")
        }
        return JoinedTeam(number: number, ledger: ledger, sharing: sharing)
    }

    /// Joins a team by its invitation and the code that opens it, at the address that it names or
    /// another one; needs no vault.
    package func join(
        by invitation: [UInt8], code: borrowing SecretBytes, at address: String? = nil
    ) throws(ServiceError) -> JoinedTeam {
        if let address { _ = try Self.address(address) }
        let taken = try ServiceError.wrapping { () throws(HomeError) in try home.teams() }
        guard let number = (1...Home.teamsMax).first(where: { !taken.contains($0) }) else {
            throw ServiceError(
                "this home has joined as many teams as it can (\(Home.teamsMax))",
                hint: "leave one: countersign approver leave")
        }
        _ = try ServiceError.wrapping { () throws(HomeError) in
            try Home.create(at: home.teamsPath)
        }
        let folder = home.team(number)
        do throws(LedgerError) {
            try SQLiteLedger.accept(invitation, sealedBy: code, at: address, in: folder)
        } catch .unavailable(let text) {
            throw ServiceError(
                text, hint: "nothing was joined; see \"countersign approver join --help\"")
        } catch {
            throw error.explained
        }
        do throws(ServiceError) {
            let team = try team(number)
            try checkIsNew(team)
            return team
        } catch {
            folder.discard()
            throw error
        }
    }

    /// Two copies would show each question twice.
    private func checkIsNew(_ team: JoinedTeam) throws(ServiceError) {
        let own = try openLedger()
        let others = [own] + teams().open.filter { $0.number != team.number }.map(\.ledger)
        let isKnown = try ServiceError.wrapping { () throws(LedgerError) in
            let joined = try team.ledger.sharing()?.ledger
            for other in others where try other.sharing()?.ledger == joined { return true }
            return false
        }
        guard !isKnown else {
            throw ServiceError(
                "this home has the record of that team already",
                hint: "see \"countersign approver list\"; to take another place in it, leave it "
                    + "first")
        }
    }

    /// Forgets a team: the copy of its record, and the key by which it was its hub.
    package func leave(_ number: Int) { home.team(number).discard() }
}
