// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

/// A policy that was put in force, as the record describes it.
package struct RecordedPolicy: Hashable, Sendable {
    /// The number of the entry that put it in force.
    package let sequence: Int64
    /// The time of the entry.
    package let time: Timestamp
    /// The hash of the policy's rules, 32 bytes.
    package let hash: [UInt8]
    /// The names of the people who approved it besides the owner.
    package let approvers: [String]
    /// The SHA-256 of its text; nil if no entry names the text.
    package let textDigest: [UInt8]?
    /// True if the entry itself names the text, so that the text cannot be another one.
    package let isNamed: Bool
    /// True if the text is stored as it was.
    package let isKept: Bool
}

/// The policies that were put in force.
package struct PolicyHistory: Sendable {
    /// The policies, oldest first.
    package let policies: [RecordedPolicy]
    /// The archived segments that cannot be read, whose policies are left out.
    package let unread: [UnverifiedSegment]
}

extension AuditLog {
    /// Reads every policy that was put in force, also those of archived entries.
    ///
    /// The entries are not verified.
    package func policies() throws(LedgerError) -> PolicyHistory {
        try counting { access throws(LedgerError) in
            var found: [RecordedPolicy] = []
            var unread: [UnverifiedSegment] = []
            let segments = try access.segments()
            for segment in segments {
                do throws(SegmentError) {
                    try segment.check(besides: access.path)
                } catch {
                    unread.append(UnverifiedSegment(segment: segment, error: error))
                    continue
                }
                let lines = try SegmentLines(segment, besides: access.path)
                var sequence = segment.first
                while let line = try lines.next() {
                    defer { sequence += 1 }
                    guard EntryBody.isAttest(line), let body = try? EntryBody(line) else {
                        continue
                    }
                    try access.append(body, at: sequence, to: &found)
                }
            }
            let known = Set(found.map(\.sequence))
            // The newest entry stays in the ledger although it is archived.
            for entry in try access.entries(of: .attest, after: 0, upTo: .max)
            where !known.contains(entry.sequence) {
                guard let body = entry.content else { continue }
                try access.append(body, at: entry.sequence, to: &found)
            }
            return PolicyHistory(
                policies: found.sorted { $0.sequence < $1.sequence }, unread: unread)
        }
    }
}

extension AuditLog {
    /// The text of a policy; nil if it is not stored, or was changed.
    package func text(of policy: RecordedPolicy) throws(LedgerError) -> [UInt8]? {
        try counting { access throws(LedgerError) in try access.policySource(of: policy.sequence) }
    }
}

extension EntryBody {
    fileprivate static func isAttest(_ line: [UInt8]) -> Bool {
        (try? EntryReader(line).kind()) == .attest
    }
}

extension Access<LedgerError> {
    fileprivate func append(
        _ body: EntryBody, at sequence: Int64, to policies: inout [RecordedPolicy]
    ) throws(LedgerError) {
        guard case .attest(let attest) = body.entry else { return }
        let carried = try first(
            "SELECT sha256 FROM policies WHERE sequence = ?", .integer(sequence)
        ) {
            row throws(LedgerError) in try row.bytes(0)
        }
        policies.append(
            RecordedPolicy(
                sequence: sequence, time: body.time, hash: attest.policyHash,
                approvers: attest.approval?.yeses.map(\.name) ?? [],
                textDigest: attest.textDigest ?? carried, isNamed: attest.textDigest != nil,
                isKept: try policySource(of: sequence) != nil))
    }
}
