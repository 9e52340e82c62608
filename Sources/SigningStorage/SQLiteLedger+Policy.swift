// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
public import SigningCore

extension SQLiteLedger {
    /// Writes that a policy was put in force; before it is, so that none is without a record.
    public func recordAttesting(policyHash: [UInt8], at time: Timestamp) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            _ = try access.append(AuditRecord(attesting: policyHash, at: time))
        }
    }

    /// The hash of the policy that was attested last; nil where none was.
    public func lastAttestedHash() throws(LedgerError) -> [UInt8]? {
        let body = try database.read { access throws(LedgerError) in
            try access.first(
                "SELECT body FROM audit WHERE kind = 'attest' ORDER BY sequence DESC LIMIT 1"
            ) { row throws(LedgerError) in try row.text(0) }
        }
        guard let body else { return nil }
        guard let json = try? JSON.parse(Array(body.utf8).span),
            let hash = json["policy"]?.text.flatMap({ try? Hex.decode($0) })
        else { throw .corrupt("the record of a policy is none of ours") }
        return hash
    }

    /// The counters in use that begin with a text, sorted.
    public func counters(beginningWith prefix: String) throws(LedgerError) -> [String] {
        try database.read { access throws(LedgerError) in
            try access.counters(beginningWith: prefix, countMax: Self.countersMax)
        }
    }

    /// The most counters that one listing reads.
    public static let countersMax = 1_000
}
