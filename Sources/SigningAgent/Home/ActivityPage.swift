// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles
internal import SigningService
internal import SigningStorage
internal import Socket

/// The number of recent requests, for charts: the answer to `GET /v1/activity`.
enum ActivityPage {
    /// The most clients that are named; the others are counted together.
    static let clientsMax = 8
    /// The most entries of the record that are read, newest first.
    static let entriesMax: Int64 = 50_000

    /// The interval of the counts.
    private enum Span: String {
        case hour, day

        var seconds: Int64 { self == .hour ? 3_600 : 86_400 }
        var count: Int { self == .hour ? 48 : 30 }

        /// The start of the first interval, given that the last one contains `now`.
        func start(at now: Timestamp) -> Timestamp {
            let current = now.seconds - now.seconds % seconds
            return Timestamp(seconds: current - Int64(count - 1) * seconds)
        }
    }

    /// The counts of one client, or of several together.
    private struct Row {
        let client: Client?
        var clients = 1
        var total: Int64 = 0
        var verdicts: [String: [Int64]] = [:]

        /// The sort key of the row.
        var name: String { client.map { "\($0.id) \($0.proof.rawValue)" } ?? "" }

        mutating func add(_ count: AuditActivity.Count, of spans: Int) {
            total += count.count
            verdicts[count.verdict, default: Array(repeating: 0, count: spans)][count.span] +=
                count.count
        }

        mutating func add(_ other: Row) {
            total += other.total
            verdicts.merge(other.verdicts) { zip($0, $1).map { $0 + $1 } }
        }

        func json(_ names: ClientNames) -> JSON {
            let members = verdicts.sorted { $0.key < $1.key }.map { name, counts in
                JSONObject.Member(name: name, value: .array(counts.map { .integer($0) }))
            }
            return [
                "client": client.map { .string($0.id) } ?? .null,
                "proof": client.map { .string($0.proof.word) } ?? .null,
                "profile": client?.proof.profile.map { .string($0) } ?? .null,
                "called": client.flatMap { names.name(of: $0) }.map { .string($0) } ?? .null,
                "clients": .integer(Int64(clients)), "total": .integer(total),
                "verdicts": .object(JSONObject(members)),
            ]
        }
    }

    static func answer(
        _ head: HTTPHead, of home: OpenHome, at now: Timestamp
    ) throws(LedgerError) -> HTTPResponse {
        if let refusal = head.misdirected(methods: ["GET"], query: ["per"]) { return refusal }
        guard let span = Span(rawValue: head.query.first?.value ?? Span.hour.rawValue) else {
            return .problem(400, "bad_query", "per must be hour or day")
        }
        let start = span.start(at: now)
        let found = try AuditLog.open(home.home).activity(
            from: start, spans: span.count, of: span.seconds, entriesMax: entriesMax)
        let rows = rows(found.counts, of: span.count)
        let others = rows.dropFirst(clientsMax).reduce(into: Row(client: nil)) { $0.add($1) }
        let otherCount = rows.count - clientsMax
        let names = home.clientNames
        return HTTPResponse(
            200,
            [
                "per": .string(span.rawValue), "start": .string(start.utcText),
                "spans": .integer(Int64(span.count)), "since": .string(found.since.utcText),
                "clients": .array(rows.prefix(clientsMax).map { $0.json(names) }),
                "others": otherCount > 0 ? counting(otherCount, others).json(names) : .null,
            ])
    }

    private static func counting(_ clients: Int, _ row: Row) -> Row {
        var row = row
        row.clients = clients
        return row
    }

    /// One row for each client, the most active first.
    private static func rows(_ counts: [AuditActivity.Count], of spans: Int) -> [Row] {
        var rows: [Client?: Row] = [:]
        for count in counts {
            rows[count.client, default: Row(client: count.client)].add(count, of: spans)
        }
        return rows.values.sorted { ($1.total, $0.name) < ($0.total, $1.name) }
    }
}

extension AuditActivity.Count {
    /// The source of the decision: the owner, other people, a program of the owner, rules, a grant,
    /// or the bounds on how often people are asked.
    fileprivate var verdict: String {
        switch (decision, said) {
        case (.approved, "program"): "program"
        case (.approved, "approvers"): "approvers"
        case (.approved, _): "approved"
        case (.ask, "too_many_questions"): "flood"
        case (.deny, "limit_exceeded") where !isByRule: "flood"
        case (.allow, _): "allowed"
        case (.remembered, _): "remembered"
        case (.ask, _): "declined"
        case (.deny, _): "denied"
        case (nil, _): "failed"
        }
    }
}
