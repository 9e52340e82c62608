// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
package import SigningCrypto
package import SigningFiles
internal import SigningVault

extension SQLiteLedger {
    /// Adds a hub that only answers questions to several approvers, and writes an invitation for
    /// its machine to a new file.
    ///
    /// The file is sealed and contains the key of the log, not the vault's. If the file gets lost,
    /// retire the hub on record and invite again.
    package func invite(
        _ name: String, into path: String, vouchedBy logPublicKey: [UInt8], at time: Timestamp,
        sealedBy code: borrowing SecretBytes
    ) throws(LedgerError) {
        let file = try Self.inHome { () throws(HomeError) in try NewFileWriter(path) }
        let invitation = try invite(name, vouchedBy: logPublicKey, at: time, sealedBy: code)
        try Self.inHome { () throws(HomeError) in
            try file.write(invitation)
            try file.finish()
        }
    }

    func invite(
        _ name: String, vouchedBy logPublicKey: [UInt8], at time: Timestamp,
        sealedBy code: borrowing SecretBytes
    ) throws(LedgerError) -> [UInt8] {
        try flush()
        let seed = SecretBytes.random(count: Ed25519Key.seedCount)
        let publicKey = try Self.publicKey(of: seed)
        let key = try database.write { access throws(LedgerError) in
            guard try access.logIdentity() != nil else { throw Self.notShared }
            let key = HubKey(number: try access.freeHubNumber(for: name), publicKey: publicKey)
            _ = try access.add(key, named: name, as: .invite, at: time)
            return key
        }
        return try read { access throws(LedgerError) in
            try Invitation.seal(
                for: key, seed, vouchedBy: logPublicKey, in: access, sealedBy: code)
        }
    }

    /// Makes the copy of a team's record in a new folder, as the invited hub; throws if the record
    /// is one of `known`.
    ///
    /// The folder appears completely or not at all. If the process is killed, the next call removes
    /// the leftovers; only one call may run at a time.
    package static func accept(
        _ invitation: [UInt8], sealedBy code: borrowing SecretBytes, at address: String? = nil,
        besides known: Set<[UInt8]> = [], in folder: Home
    ) throws(LedgerError) {
        let invitation = try Invitation.open(invitation, sealedBy: code)
        guard !known.contains(invitation.ledger) else {
            throw .unavailable("this home has already joined that team")
        }
        let name = folder.path.lastIndex(of: "/").map { folder.path[...$0] } ?? ""
        let stub = Home(path: "\(name).joining")
        let copy = Home(path: "\(name).joined")
        defer {
            stub.discard()
            copy.discard()
        }
        try inHome { () throws(HomeError) in
            try Home.removeFolder(stub.path)
            try Home.makeDirectory(stub.path)
        }
        try create(in: stub)
        try Database<LedgerError>(path: stub.ledgerPath, schema: .ledger, .existing)
            .writeLocally { access, _ throws(LedgerError) in
                try access.become(invitation, at: address)
            }
        let trust = RecordTrust(logPublicKey: invitation.logPublicKey, lastCheckpoint: nil)
        try makeCopy(of: stub, in: copy, trust)
        let number = invitation.hub.number
        let isRetired = try Database<LedgerError>(
            path: copy.ledgerPath, schema: .ledger, .existing
        ).query { access throws(LedgerError) in try access.hub(number)?.retired != nil }
        guard !isRetired else {
            throw .unavailable("the invitation is no longer valid: its hub was retired")
        }
        try inHome { () throws(HomeError) in try Home.move(copy.path, to: folder.path) }
    }

    private static func publicKey(
        of seed: borrowing SecretBytes
    ) throws(LedgerError) -> [UInt8] {
        do throws(CryptoError) {
            return try Ed25519Key(seed: seed).publicKey
        } catch {
            throw .unavailable("a key cannot be made: \(error)")
        }
    }
}

extension Home {
    /// The most teams whose questions one home answers.
    package static let teamsMax = 16

    /// The path of the folder with the copies of teams' records.
    package var teamsPath: String { path + "/teams" }

    /// Removes the leftovers of a killed attempt to join.
    package func discardJoining() {
        for name in [".joining", ".joined"] { Home(path: "\(teamsPath)/\(name)").discard() }
    }

    /// The path of the copy of one team's record, existing or not.
    package func team(_ number: Int) -> Home { Home(path: "\(teamsPath)/\(number)") }

    /// The numbers of the existing copies.
    package func teams() throws(HomeError) -> [Int] {
        var found: [Int] = []
        for number in 1...Self.teamsMax where try Self.status(of: team(number).path) != nil {
            found.append(number)
        }
        return found
    }
}
