// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService
internal import SigningStorage
internal import Socket

/// A page of the record, newest entries first.
enum AuditPage {
    /// The most entries in one answer, and the default.
    private static let countMax: Int64 = 200
    private static let countDefault: Int64 = 50
    /// The most entries that are searched for one answer; the next page continues the search.
    static let lookedAtMax = 2_000
    private static let batchCount = 200
    private static let textMax = 256
    private static let outcomes = ["done", "denied", "failed", "not_used"]

    private struct Search {
        var limit = Int(AuditPage.countDefault)
        var before = Int64.max
        var client: String?
        var outcome: String?
        var text: String?

        init?(_ query: [(name: String, value: String)]) {
            for (name, value) in query {
                guard value.utf8.count <= AuditPage.textMax else { return nil }
                switch name {
                case "limit":
                    guard let number = Int64(value), (1...AuditPage.countMax).contains(number)
                    else { return nil }
                    limit = Int(number)
                case "before":
                    guard let number = Int64(value), number > 0 else { return nil }
                    before = number
                case "client": client = value
                case "outcome":
                    guard AuditPage.outcomes.contains(value) else { return nil }
                    outcome = value
                default: text = value.lowercased()
                }
            }
        }

        func means(_ entry: AuditEntry, _ body: JSON) -> Bool {
            if let client, body["client"]?["id"]?.text != client { return false }
            if let outcome, body["outcome"]?.text != outcome { return false }
            if let text, !entry.body.lowercased().contains(text) { return false }
            return true
        }
    }

    /// The answer to `GET /v1/audit`.
    static func answer(
        _ head: HTTPHead, of home: OpenHome, in words: RequestSubject
    ) throws(LedgerError) -> HTTPResponse {
        guard let search = Search(head.query) else {
            return .problem(
                400, "bad_query",
                "limit must be 1 to \(countMax), before the number of an entry, outcome one of "
                    + "\(outcomes.joined(separator: ", ")), and each text at most \(textMax) bytes"
            )
        }
        let log = try AuditLog.open(home.home)
        let clients = home.clientNames
        var rows: [JSON] = []
        var place = search.before
        var lookedAt = 0
        var isOver = false
        while rows.count < search.limit, lookedAt < lookedAtMax, !isOver {
            let batch = try log.entries(limit: batchCount, before: place)
            isOver = batch.count < batchCount
            for entry in batch where rows.count < search.limit {
                place = entry.sequence
                lookedAt += 1
                let body = (try? JSON.parse(entry.body.utf8.span)) ?? .null
                if search.means(entry, body) { rows.append(row(entry, body, clients, words)) }
            }
            isOver = isOver && batch.last.map { $0.sequence == place } ?? true
        }
        return HTTPResponse(
            200,
            ["entries": .array(rows), "next": isOver ? .null : .integer(place)])
    }

    private static func row(
        _ entry: AuditEntry, _ body: JSON, _ clients: ClientNames, _ words: RequestSubject
    ) -> JSON {
        var members: [(String, JSON)] = [
            ("sequence", .integer(entry.sequence)), ("time", .string(entry.time.utcText)),
            ("kind", .string(entry.kind)), ("body", body),
        ]
        if let request = RecordedRequest(entry) {
            let about = words.facts(request).map { "\($0.name) \($0.value)" }
            let called = request.client.flatMap { clients.name(of: $0) }
            members += [
                ("about", .string(about.joined(separator: ", "))), ("facts", words.json(request)),
                ("called", called.map { .string($0) } ?? .null),
            ]
        }
        return .object(JSONObject(members.map { .init(name: $0.0, value: $0.1) }))
    }
}
