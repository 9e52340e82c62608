// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningService
internal import SigningStorage
internal import Socket

/// A page of the record, newest entries first.
enum AuditPage {
    /// The most entries that are searched for one answer; the next page continues the search.
    static let lookedAtMax = 2_000
    private static let batchCount = 200

    /// The answer to `GET /v1/audit`.
    static func answer(
        _ head: HTTPHead, of home: OpenHome, in words: RequestSubject
    ) throws(LedgerError) -> HTTPResponse {
        guard let search = RecordSearch(head.query) else {
            return .problem(
                400, "bad_query",
                "limit must be 1 to \(RecordSearch.countMax), before the number of an entry, since "
                    + "and until seconds since 1970 in this order, outcome one of "
                    + "\(RecordSearch.outcomes.joined(separator: ", ")), amount a number with or "
                    + "without a unit, and each text short")
        }
        let log = try AuditLog.open(home.home)
        var page = AuditPageRows(search, home.clientNames, words)
        if search.isForRequests { page.collect(try results(after: search.before, in: log)) }
        var lookedAt = 0
        var isOver = false
        while !page.isFull, lookedAt < lookedAtMax, !isOver {
            let batch = try log.entries(limit: batchCount, before: page.place)
            lookedAt += batch.count
            page.add(batch)
            isOver =
                page.isBeforeTimes
                || batch.count < batchCount && batch.last.map { $0.sequence == page.place } ?? true
        }
        return HTTPResponse(
            200,
            ["entries": .array(page.rows), "next": isOver ? .null : .integer(page.place)])
    }

    /// The entries just after the start of a page: results of its first requests may be there.
    private static func results(
        after place: Int64, in log: AuditLog
    ) throws(LedgerError) -> [AuditEntry] {
        guard place < .max - Int64(batchCount) else { return [] }
        return try log.entries(limit: batchCount, before: place + Int64(batchCount))
            .filter { $0.sequence >= place }
    }
}

/// The rows of a page, while they are found.
private struct AuditPageRows {
    private let search: RecordSearch
    private let clients: ClientNames
    private let words: RequestSubject
    /// The entries about the ends of requests, by the id of the request.
    private var results: [String: [AuditEntry]] = [:]
    private var count = 0

    private(set) var rows: [JSON] = []
    /// The number of the last entry that was looked at.
    private(set) var place: Int64
    /// True after an entry that is earlier than the search.
    private(set) var isBeforeTimes = false

    init(_ search: RecordSearch, _ clients: ClientNames, _ words: RequestSubject) {
        self.search = search
        self.clients = clients
        self.words = words
        place = search.before
    }

    var isFull: Bool { count >= search.limit }

    /// Notes entries about the ends of requests.
    mutating func collect(_ entries: [AuditEntry]) {
        for entry in entries {
            if let id = body(entry)["id"]?.text { results[id, default: []].append(entry) }
        }
    }

    /// Adds the rows of these entries that the search means, until the page is full.
    mutating func add(_ batch: [AuditEntry]) {
        for entry in batch where !isFull && !isBeforeTimes {
            // Times never decrease along the record.
            isBeforeTimes = entry.time.seconds < search.times.lowerBound
            guard !isBeforeTimes else { return }
            place = entry.sequence
            if search.isForRequests {
                addRequest(entry)
            } else if entry.time.seconds <= search.times.upperBound, hasText([entry]) {
                rows.append(row(entry, body(entry)))
                count += 1
            }
        }
    }

    /// Adds a request together with the entries about its end.
    private mutating func addRequest(_ entry: AuditEntry) {
        guard ["intent", "refusal"].contains(entry.kind) else { return collect([entry]) }
        let request = body(entry)
        let own = request["id"]?.text.flatMap { results.removeValue(forKey: $0) } ?? []
        guard entry.time.seconds <= search.times.upperBound, hasText([entry] + own),
            search.means(request, own.map(body))
        else { return }
        let row = row(entry, request)
        guard search.means(row: row) else { return }
        rows += own.map { self.row($0, body($0)) } + [row]
        count += 1
    }

    private func hasText(_ entries: [AuditEntry]) -> Bool {
        search.text.map { text in entries.contains { $0.body.lowercased().contains(text) } } ?? true
    }

    private func body(_ entry: AuditEntry) -> JSON {
        (try? JSON.parse(entry.body.utf8.span)) ?? .null
    }

    private func row(_ entry: AuditEntry, _ body: JSON) -> JSON {
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
