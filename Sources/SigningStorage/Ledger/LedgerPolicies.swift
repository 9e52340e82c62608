// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningFiles
internal import SigningVault

/// The entry that put a policy in force.
struct AttestingEntry: Hashable, Sendable {
    /// The place of the entry in the chain.
    let head: AuditHead
    let policyHash: [UInt8]
    /// The approvers that the policy demands for the owner's acts.
    let governance: Governance
    /// The signature of the log key; nil in entries of versions that did not sign them.
    let signature: [UInt8]?
    /// The SHA-256 of the policy's text; nil if the entry names none.
    let textDigest: [UInt8]?
    private let predecessor: AuditHead
    var sequence: Int64 { head.sequence }

    /// Parses an entry; nil if its body does not put a policy in force.
    ///
    /// The columns do not matter.
    init?(_ entry: AuditEntry) {
        guard entry.isIntact, case .attest(let attest)? = entry.change else { return nil }
        self.init(attest, of: entry)
    }

    init(_ attest: AttestEntry, of entry: AuditEntry) {
        head = entry.head
        policyHash = attest.policyHash
        governance = attest.governance
        signature = attest.signature
        textDigest = attest.textDigest
        predecessor = entry.predecessor
    }

    /// Whether the log key signed the entry for its place in the chain.
    func isSigned(by logPublicKey: [UInt8]) -> Bool {
        guard let signature else { return false }
        return LogStatement.attest(policyHash: policyHash, governance, after: predecessor)
            .isSigned(signature, by: logPublicKey)
    }
}

extension SQLiteLedger {
    /// Records that a policy is put in force; call this method before the vault stores the policy.
    ///
    /// Afterwards the ledger refuses intents that were judged by another policy. If the policy that
    /// is in force before demands approvals, throws unless `consent` contains them.
    func recordAttesting(
        policyHash: [UInt8], demanding governance: Governance = .none, source: [UInt8],
        at time: Timestamp, _ consent: ActConsent = .none, signedBy key: borrowing Ed25519Key
    ) throws(LedgerError) -> AuditHead {
        try database.write { access throws(LedgerError) in
            let act = try access.act(puttingInForce: policyHash, demanding: governance)
            let used = try access.use(consent, for: act, at: time)
            let statement = LogStatement.attest(
                policyHash: policyHash, governance, after: try access.auditHead())
            let signature = try statement.signed(by: key)
            // A longer text is stored in the vault only; a shared record does not accept it.
            let isKept = source.count <= PolicyText.bytesMax
            let attest = AttestEntry(
                policyHash: policyHash, governance: governance, signature: signature,
                textDigest: isKept ? try access.keep(blob: source) : nil, approval: used)
            return try access.append(.attest(attest), at: time)
        }
    }

    /// Stores the mark of the policy in force, for an entry of a version that stored no mark.
    func mark(_ entry: AttestingEntry) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            try Index(of: access).mark(entry.policyHash, at: entry.sequence)
        }
    }

    /// The number of the entry that the mark of the policy in force names; nil without a mark.
    func policyMarkSequence() throws(LedgerError) -> Int64? {
        try database.query { access throws(LedgerError) in try access.policyMark() }?.sequence
    }

    /// Whether requests under the policy can be reserved: false if the mark names another policy.
    package func marks(policyHash: [UInt8]) throws(LedgerError) -> Bool {
        let mark = try database.query { access throws(LedgerError) in try access.policyMark() }
        return mark?.hash ?? policyHash == policyHash
    }

    /// The newest entry that put a policy in force; nil if there is none.
    func newestAttesting() throws(LedgerError) -> AttestingEntry? {
        let entry = try database.query { access throws(LedgerError) in
            try access.newestEntry(of: .attest)
        }
        guard let entry else { return nil }
        guard let attesting = AttestingEntry(entry) else {
            throw .corrupt("the entry of a policy has an unknown form")
        }
        return attesting
    }

    /// The hash of the policy that was put in force last; nil if there was none.
    package func lastAttestedHash() throws(LedgerError) -> [UInt8]? {
        try newestAttesting()?.policyHash
    }

    /// The entry with this number; nil if it does not put a policy in force.
    func attesting(at sequence: Int64) throws(LedgerError) -> AttestingEntry? {
        try database.query { access throws(LedgerError) in
            try access.entries(after: sequence - 1, countMax: 1)
        }.first.flatMap { $0.sequence == sequence ? AttestingEntry($0) : nil }
    }

    /// The names of used counters that begin with `prefix`, sorted.
    package func counters(beginningWith prefix: String) throws(LedgerError) -> [String] {
        try database.read { access throws(LedgerError) in
            try access.counters(beginningWith: prefix, countMax: Self.countersMax)
        }
    }

    /// The maximum number of counters that one listing reads.
    package static let countersMax = 1_000
}

extension Access<LedgerError> {
    /// The mark of the policy in force: the number of its entry and its hash.
    ///
    /// Nil if no policy was put in force since this program stores the mark.
    func policyMark() throws(LedgerError) -> (sequence: Int64, hash: [UInt8])? {
        let text = try first("SELECT value FROM meta WHERE name = 'policy'") {
            row throws(LedgerError) in try row.text(0)
        }
        guard let text else { return nil }
        let parts = text.split(separator: " ")
        guard parts.count == 2, let sequence = Int64(parts[0]), sequence > 0,
            let hash = try? Hex.decode(String(parts[1]))
        else { throw .corrupt("the mark of the policy in force has an unknown form") }
        return (sequence, hash)
    }

    /// The counters with this prefix that were ever used, sorted.
    fileprivate func counters(
        beginningWith prefix: String, countMax: Int
    ) throws(LedgerError) -> [String] {
        var found: [String] = []
        // Finds one counter with each query, as reading all rows would take too long: a counter may
        // have a million uses.
        while found.count < countMax {
            let next = try first(
                "SELECT min(counter) FROM uses WHERE counter >= ? AND counter < ?",
                .text(found.last.map { $0 + "\0" } ?? prefix), .text(prefix + "\u{10FFFF}")
            ) { row throws(LedgerError) in try row.optionalText(0) }
            guard let next = next ?? nil else { break }
            found.append(next)
        }
        return found
    }
}
