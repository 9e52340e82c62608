// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

/// The requests on record, counted by interval of time, client and outcome.
package struct AuditActivity: Sendable {
    /// The requests of one client in one interval with the same outcome.
    package struct Count: Sendable {
        /// The index of the interval, from 0.
        package let span: Int
        /// The client on record; nil if the entry names none.
        package let client: Client?
        /// The decision; nil if the request ended for another reason than the policy or a person.
        package let decision: RecordedRequest.Decision?
        /// For an intent the source of the decision (`decided_by`), for a refusal the code of its
        /// reason; empty if the entry has neither.
        package let said: String
        /// True if the reason of the refusal names a rule of the policy.
        package let isByRule: Bool
        /// The number of requests.
        package let count: Int64
    }

    /// All counts, in no particular order.
    package let counts: [Count]
    /// The start of the counted time: later than requested if earlier entries are archived, or
    /// beyond the limit of entries.
    package let since: Timestamp
}

extension AuditLog {
    /// Counts the requests in `spans` intervals of `seconds` seconds each, from `start` on.
    ///
    /// Reads only the newest `entriesMax` entries, and no archived ones.
    package func activity(
        from start: Timestamp, spans: Int, of seconds: Int64, entriesMax: Int64
    ) throws(LedgerError) -> AuditActivity {
        precondition(spans > 0 && seconds > 0 && entriesMax > 0, "a count is not positive")
        return try counting { access throws(LedgerError) in
            let first = try access.firstCounted(entriesMax)
            let counts = try access.all(
                Self.counts, .integer(start.seconds), .integer(seconds),
                .integer(first.sequence), .integer(Int64(spans))
            ) { row throws(LedgerError) in try row.activityCount() }
            let isWhole = first.sequence <= 1
            return AuditActivity(
                counts: counts, since: isWhole ? start : max(start, first.time))
        }
    }

    /// An entry whose body is not valid JSON has no client and no decision.
    private static let counts = """
        WITH asked AS (
            SELECT (time - ?1) / ?2 AS span, kind,
                CASE WHEN json_valid(body) THEN body ELSE '{}' END AS body
            FROM audit
            WHERE sequence >= ?3 AND time >= ?1 AND time < ?1 + ?2 * ?4
                AND kind IN ('intent', 'refusal'))
        SELECT span, kind,
            CAST(ifnull(json_extract(body, '$.client.id'), '') AS BLOB),
            CAST(ifnull(json_extract(body, '$.client.proof'), '') AS BLOB),
            CAST(ifnull(json_extract(body, '$.decided_by'),
                ifnull(json_extract(body, '$.reason.code'), '')) AS BLOB),
            json_extract(body, '$.reason.rule') IS NOT NULL,
            count(*)
        FROM asked GROUP BY 1, 2, 3, 4, 5, 6
        """
}

extension Access<LedgerError> {
    /// The number and the time of the oldest entry that is read; 1 and 1970 if there is none.
    fileprivate func firstCounted(
        _ countMax: Int64
    ) throws(LedgerError) -> (sequence: Int64, time: Timestamp) {
        try first(
            """
            SELECT sequence, time FROM audit
            WHERE sequence > (SELECT ifnull(max(last), 0) FROM segments)
                AND sequence > (SELECT ifnull(max(sequence), 0) FROM audit) - ?
            ORDER BY sequence LIMIT 1
            """, .integer(countMax)
        ) { row throws(LedgerError) in
            (try row.integer(0), Timestamp(seconds: try row.integer(1)))
        } ?? (1, Timestamp(seconds: 0))
    }
}

extension Row<LedgerError> {
    fileprivate func activityCount() throws(LedgerError) -> AuditActivity.Count {
        func word(_ column: Int) throws(LedgerError) -> String {
            String(decoding: try bytes(column), as: UTF8.self)
        }
        let said = try word(4)
        let proof = Client.Proof(rawValue: try word(3))
        return AuditActivity.Count(
            span: Int(try integer(0)),
            client: try proof.map { (proof) throws(LedgerError) in
                Client(id: try word(2), name: nil, proof: proof)
            },
            decision: said.isEmpty
                ? nil
                : try text(1) == AuditKind.intent.rawValue
                    ? RecordedRequest.decision(by: said)
                    : RecordedRequest.decision(ReasonCode(rawValue: said)),
            said: said, isByRule: try integer(5) != 0, count: try integer(6))
    }
}
