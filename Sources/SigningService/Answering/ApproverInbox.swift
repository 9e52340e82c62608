// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningStorage

/// The questions to several people in the record of a home and in those of the teams that it
/// joined, and what the approver keys that it holds say to them.
///
/// Whatever shows or answers such a question, here or over the agent's socket, does so by this.
package struct ApproverInbox: Sendable {
    /// Why no key of this home answers a question.
    package enum KeyProblem: Error, Hashable {
        /// None that it asks lies here, or none of that name.
        case none
        /// Several do; these.
        case several([String])
    }

    private let ledger: SQLiteLedger
    /// The teams, whose questions are answered by this home and asked by others.
    package let teams: [JoinedTeam]
    /// Those that cannot be opened, and why.
    package let broken: [(number: Int, problem: ServiceError)]
    private let vault: Vault

    /// Looks into a home's record and those of its teams, and for keys in its vault.
    package init(of home: OpenHome, _ ledger: SQLiteLedger) {
        self.ledger = ledger
        (teams, broken) = home.teams()
        vault = home.vault
    }

    /// What waits, the one that ends first first.
    package func waiting(at now: Timestamp) throws(ServiceError) -> [ApproverItem] {
        let keys = try ServiceError.wrapping { () throws(VaultError) in
            try vault.approverKeys()
        }
        var items = try ServiceError.wrapping { () throws(LedgerError) in
            try Self.items(in: ledger, of: nil, keys, at: now)
        }
        for team in teams {
            // One that is damaged hides nothing of the others; the doctor tells of it.
            let more = (try? Self.items(in: team.ledger, of: team, keys, at: now)) ?? []
            for item in more { items.take(item) }
        }
        return items.sorted { one, other in
            let ends = (one.question.binding.expires, other.question.binding.expires)
            return ends.0 == ends.1
                ? one.digest.lexicographicallyPrecedes(other.digest) : ends.0 < ends.1
        }
    }

    private static func items(
        in ledger: SQLiteLedger, of team: JoinedTeam?, _ keys: [ApproverKey], at now: Timestamp
    ) throws(LedgerError) -> [ApproverItem] {
        let retired = try ledger.retiredApprovers()
        var own = try ledger.ownApprovers()
        // Those of this home go on record with the first answer.
        if team == nil, try ledger.sharing() != nil { own.formUnion(keys.map(\.publicKey)) }
        return try ledger.jointQuestions(at: now).map {
            ApproverItem($0, of: team, retired: retired, own: own, keys: keys, at: now)
        }
    }

    /// Takes in what others asked and answered; which team's record cannot be brought up to date,
    /// and why.
    @discardableResult
    package func catchUp() -> [(team: JoinedTeam, problem: ServiceError)] {
        // What keeps the own record back is told where it is needed.
        _ = try? ledger.catchUp()
        return teams.compactMap { team in
            do throws(ServiceError) { try team.catchUp() } catch { return (team, error) }
            return nil
        }
    }

    /// A question, whether or not it waits; nil where no record has it.
    package func question(_ digest: [UInt8]) throws(ServiceError) -> JointQuestion? {
        try records(of: digest).first?.question
    }

    /// Each record that holds a question: who sees that of one team can put it before another, and
    /// must not catch the answers by that.
    private func records(
        of digest: [UInt8]
    ) throws(ServiceError) -> [(ledger: SQLiteLedger, question: JointQuestion)] {
        let own = try ServiceError.wrapping { () throws(LedgerError) in
            try ledger.jointQuestion(digest)
        }
        var found = own.map { [(ledger, $0.question)] } ?? []
        for team in teams {
            guard let other = try? team.ledger.jointQuestion(digest) else { continue }
            found.append((team.ledger, other.question))
        }
        return found
    }

    /// The one of this digest, while it waits.
    package func item(_ digest: [UInt8], at now: Timestamp) throws(ServiceError) -> ApproverItem? {
        try waiting(at: now).first { $0.digest == digest }
    }

    /// The key of this home that a question asks; of several the one of this name, or the one that
    /// may still say so.
    package func key(
        for question: JointQuestion, named name: String? = nil, among open: [String]? = nil
    ) throws(ServiceError) -> Result<ApproverKey, KeyProblem> {
        let keys = try ServiceError.wrapping { () throws(VaultError) in
            try vault.approverKeys()
        }
        let asked = keys.filter {
            question.name(of: $0.publicKey) != nil && (name == nil || $0.name == name)
        }
        if name == nil, asked.count > 1, let open {
            let left = asked.filter { open.contains($0.name) }
            if left.count == 1 { return .success(left[0]) }
        }
        guard let key = asked.first else { return .failure(.none) }
        return asked.count == 1 ? .success(key) : .failure(.several(asked.map(\.name)))
    }

    /// What the holder of a key says, signed; needs an unlocked vault.
    package func sign(
        _ isYes: Bool, to question: JointQuestion, by key: ApproverKey
    ) throws(ServiceError) -> JointAnswer {
        // Where this home is a hub that signs, the others are to know whose key it is.
        let keys = try ServiceError.wrapping { () throws(VaultError) in
            try vault.approverKeys().map(\.publicKey)
        }
        try ServiceError.wrapping { () throws(LedgerError) in
            try ledger.putOnRecord(ownApprovers: keys, at: SystemEnvironment().now())
        }
        return try ServiceError.wrapping { () throws(VaultError) in
            try key.answer(question, isYes: isYes, in: vault)
        }
    }

    /// Puts an answer on each record that holds the question and takes it; why not, where it counts
    /// for nothing in all of them.
    ///
    /// A no that is too late in one of them is told so: it may be the one of who asked. Fails where
    /// one of them could not be written: it is to be tried again.
    package func deliver(
        _ answer: JointAnswer, to digest: [UInt8], at now: Timestamp
    ) async throws(ServiceError) -> JointAnswerError? {
        var isTaken = false
        var isGone = false
        var fault: JointAnswerError?
        var failure: LedgerError?
        for (ledger, _) in try records(of: digest) {
            do throws(LedgerError) {
                let found = try await ledger.answer(digest, answer, at: now)
                isTaken = isTaken || found == nil
                isGone = isGone || found == .gone || found == .late
                fault = fault ?? found
            } catch {
                failure = failure ?? error
            }
        }
        // Who asked may be the one that did not get it.
        if let failure { throw failure.explained }
        let isLateNo = !answer.isYes && isGone
        return isTaken && !isLateNo ? nil : fault ?? .gone
    }
}

extension [ApproverItem] {
    /// Adds one; of two with the same question that stays which can still be answered here.
    fileprivate mutating func take(_ item: ApproverItem) {
        guard let place = firstIndex(where: { $0.digest == item.digest }) else {
            return append(item)
        }
        if self[place].mayDeny.isEmpty { self[place] = item }
    }
}
