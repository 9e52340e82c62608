// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles
package import SigningStorage
package import SigningVault

/// The joint questions in the record of a home and of the teams that it joined, and the answers of
/// its approver keys.
///
/// Every interface that shows or answers such a question uses this type, here or over the agent's
/// socket.
package struct ApproverInbox: Sendable {
    /// The reasons that no key of this home answers a question.
    package enum KeyProblem: Error, Hashable {
        /// The home has no key that the question asks for, or no key of the given name.
        case none
        /// Several keys could answer; their names.
        case several([String])
    }

    package let ledger: SQLiteLedger
    /// The joined teams: this home only answers their questions.
    package let teams: [JoinedTeam]
    /// The teams that cannot be opened, with the problem.
    package let broken: [(number: Int, problem: ServiceError)]
    private let vault: Vault

    /// Reads the records of a home and its teams, and the approver keys in its vault.
    package init(of home: OpenHome, _ ledger: SQLiteLedger) {
        self.ledger = ledger
        (teams, broken) = home.teams()
        vault = home.vault
    }

    /// The records of the home and of its teams.
    package var ledgers: [SQLiteLedger] { [ledger] + teams.map(\.ledger) }

    /// Returns the waiting questions, the earliest end first.
    package func waiting(at now: Timestamp) throws -> [ApproverItem] {
        let keys = try vault.approverKeys()
        var items = try Self.items(in: ledger, of: nil, keys, at: now)
        for team in teams {
            // A damaged team hides no other questions; `doctor` reports it.
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
        // The keys of this home go on record with the first answer.
        if team == nil, try ledger.sharing() != nil { own.formUnion(keys.map(\.publicKey)) }
        return try ledger.jointQuestions(at: now).map {
            ApproverItem($0, of: team, retired: retired, own: own, keys: keys, at: now)
        }
    }

    /// Reads new questions and answers from the shared logs; returns the teams that fail, with the
    /// problem.
    @discardableResult
    package func catchUp() -> [(team: JoinedTeam, problem: ServiceError)] {
        // A problem with the home's own log is reported where the log is needed.
        _ = try? ledger.catchUp()
        return teams.compactMap { team in
            do { try team.catchUp() } catch { return (team, ServiceError(error)) }
            return nil
        }
    }

    /// Returns a question, waiting or not; nil if no record contains it.
    package func question(_ digest: [UInt8]) throws -> JointQuestion? {
        try records(of: digest).first?.question
    }

    /// Returns each record that contains a question.
    ///
    /// A member of one team can copy its question to another team, and must not intercept the
    /// answers in this way.
    private func records(
        of digest: [UInt8]
    ) throws -> [(ledger: SQLiteLedger, question: JointQuestion)] {
        let own = try ledger.jointQuestion(digest)
        var found = own.map { [(ledger, $0.question)] } ?? []
        for team in teams {
            guard let other = try? team.ledger.jointQuestion(digest) else { continue }
            found.append((team.ledger, other.question))
        }
        return found
    }

    /// Returns the waiting question with this digest.
    package func item(_ digest: [UInt8], at now: Timestamp) throws -> ApproverItem? {
        try waiting(at: now).first { $0.digest == digest }
    }

    /// Returns the key of this home that a question asks for.
    ///
    /// Of several keys it returns the one with this name, or the only one that may still answer.
    package func key(
        for question: JointQuestion, named name: String? = nil, among open: [String]? = nil
    ) throws -> Result<ApproverKey, KeyProblem> {
        let keys = try vault.approverKeys()
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

    /// Signs an answer with a key; needs an unlocked vault.
    package func sign(
        _ isYes: Bool, to question: JointQuestion, by key: ApproverKey
    ) throws -> JointAnswer {
        // If this home is a hub that signs, other hubs must know its approver keys.
        let keys = try vault.approverKeys().map(\.publicKey)
        try ledger.putOnRecord(ownApprovers: keys, at: SystemEnvironment().now())
        return try key.answer(question, isYes: isYes, in: vault)
    }

    /// Puts an answer on each record that contains the question; returns the reason if no record
    /// accepts it.
    ///
    /// A no that is late in one record returns an error: that record may be the one of the home
    /// that asks. Throws if one record could not be written; then deliver again.
    package func deliver(
        _ answer: JointAnswer, to digest: [UInt8], at now: Timestamp
    ) async throws -> JointAnswerError? {
        var isTaken = false
        var isGone = false
        var refusal: JointAnswerError?
        var failure: LedgerError?
        for (ledger, _) in try records(of: digest) {
            do throws(LedgerError) {
                let found = try await ledger.answer(digest, answer, at: now)
                isTaken = isTaken || found == nil
                isGone = isGone || found == .unknown || found == .late
                refusal = refusal ?? found
            } catch {
                failure = failure ?? error
            }
        }
        // The record that failed may be the one of the home that asks.
        if let failure { throw failure.explained }
        let isLateDenial = !answer.isYes && isGone
        return isTaken && !isLateDenial ? nil : refusal ?? .unknown
    }
}

extension [ApproverItem] {
    /// Adds an item; of two with the same question, keeps the one that this home can still answer.
    fileprivate mutating func take(_ item: ApproverItem) {
        guard let place = firstIndex(where: { $0.digest == item.digest }) else {
            return append(item)
        }
        if self[place].mayDeny.isEmpty { self[place] = item }
    }
}
