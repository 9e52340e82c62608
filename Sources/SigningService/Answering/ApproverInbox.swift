// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningStorage

/// The questions to several people in the record of a home, and what the approver keys that it
/// holds say to them.
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
    private let vault: Vault

    /// Looks into a record, and for keys in a vault.
    package init(_ ledger: SQLiteLedger, _ vault: Vault) {
        self.ledger = ledger
        self.vault = vault
    }

    /// What waits, the one that ends first first.
    package func waiting(at now: Timestamp) throws(ServiceError) -> [ApproverItem] {
        let found = try ServiceError.wrapping { () throws(LedgerError) in
            (try ledger.jointQuestions(at: now), try ledger.retiredApprovers())
        }
        let keys = try ServiceError.wrapping { () throws(VaultError) in
            try vault.approverKeys()
        }
        return found.0.map { ApproverItem($0, retired: found.1, keys: keys, at: now) }
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
        try ServiceError.wrapping { () throws(VaultError) in
            try key.answer(question, isYes: isYes, in: vault)
        }
    }

    /// Puts an answer on record; why not, where it counts for nothing.
    package func deliver(
        _ answer: JointAnswer, to digest: [UInt8], at now: Timestamp
    ) async throws(ServiceError) -> JointFault? {
        do throws(LedgerError) {
            return try await ledger.answer(digest, answer, at: now)
        } catch {
            throw error.explained
        }
    }
}
