// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningService
import SigningStorage

/// A search in the record, as the options of a command describe it.
struct AuditSearch {
    static let options = [
        Option(name: "--last", value: "N"), Option(name: "--key", value: "NAME", offers: .keys),
        Option(name: "--client", value: "NAME"), Option(name: "--method", value: "METHOD"),
        Option(name: "--outcome", value: "OUTCOME"), Option(name: "--since", value: "TIME"),
        Option(name: "--until", value: "TIME"),
        Option(name: "--entry", value: "KIND", offers: .fixed(AuditKind.allCases.map(\.rawValue))),
        Option(name: "--before", value: "N"),
    ]

    /// The outcomes that `--outcome` takes; `open` is a request without a result.
    private static let outcomes = ["done", "denied", "failed", "not_used", "open"]

    /// The maximum number of entries that one call lists.
    static let entriesMax = 10_000
    /// The number of entries read at a time.
    private static let batchCount = 1_000

    let countMax: Int
    /// The sequence number below which entries are searched.
    private let before: Int64
    private let key: KeyID?
    private let client: String?
    /// The keys of the clients with the given owner's name.
    private let clientKeys: [String]
    private let method: String?
    private let kind: String?
    private let outcome: String?
    /// The start of the time range; both ends are included.
    private let since: Timestamp
    private let until: Timestamp

    init(_ arguments: Arguments, in workspace: Workspace) throws {
        countMax = try arguments.count("--last", default: 20, max: Self.entriesMax)
        before =
            try arguments.value("--before").map { text in
                guard let number = Int64(text), number > 0 else {
                    throw CLIError.usage(
                        "--before takes the number of an entry",
                        hint: "write the number of the first entry that was listed")
                }
                return number
            } ?? .max
        key = try arguments.value("--key").map { name in
            try workspace.account(named: name).id
        }
        client = arguments.value("--client")
        clientKeys = client.map { workspace.open.clientNames.keys(named: $0) } ?? []
        outcome = try arguments.value("--outcome").map { text in
            guard Self.outcomes.contains(text) else {
                throw CLIError.usage(
                    "unknown --outcome \"\(VisibleText.quotable(text))\"",
                    hint: "one of \(Self.outcomes.joined(separator: ", "))")
            }
            return text
        }
        since = try Self.moment("--since", arguments) ?? Timestamp(seconds: .min)
        until = try Self.moment("--until", arguments) ?? Timestamp(seconds: .max)
        if since > until {
            throw CLIError.usage(
                "--since is later than --until", hint: "write the earlier time first")
        }
        method = arguments.value("--method")
        kind = try arguments.value("--entry").map { text in
            guard let kind = AuditKind(rawValue: text) else {
                let known = AuditKind.allCases.map(\.rawValue)
                throw CLIError.usage(
                    "unknown --entry \"\(VisibleText.quotable(text))\"",
                    hint: Suggestion.closest(to: text, among: known).map {
                        "did you mean \"\($0)\"?"
                    } ?? "one of \(known.joined(separator: ", "))")
            }
            return kind.rawValue
        }
    }

    private static func moment(_ option: String, _ arguments: Arguments) throws -> Timestamp? {
        guard let text = arguments.value(option) else { return nil }
        guard let moment = WrittenMoment.read(text, now: SystemEnvironment().now()) else {
            throw CLIError.usage(
                "\(option) \"\(VisibleText.quotable(text))\" is not a time",
                hint: "write a day (2026-11-20), a time in UTC (2026-11-20T14:30Z), or how long "
                    + "ago (90m, 6h, 3d)")
        }
        return moment
    }

    private var asksAboutRequests: Bool {
        key != nil || client != nil || method != nil || outcome != nil
    }

    private var isFiltered: Bool {
        asksAboutRequests || kind != nil || since.seconds != .min || until.seconds != .max
    }

    /// The newest entries found, oldest first; the results of a request are listed with it.
    func entries(in log: AuditLog) throws -> [AuditEntry] {
        var found: [AuditEntry] = []
        var results: [String: [AuditEntry]] = [:]
        var place = before
        search: while found.count < countMax {
            let limit = isFiltered ? Self.batchCount : countMax
            let batch = try log.entries(limit: limit, before: place)
            guard let last = batch.last else { break }
            place = last.sequence
            for entry in batch {
                // Times never decrease along the record.
                if entry.time < since { break search }
                let isLate = entry.time > until
                guard asksAboutRequests else {
                    if !isLate, kind == nil || kind == entry.kind { found.append(entry) }
                    continue
                }
                let id = AuditText.body(entry)["id"]?.text
                guard let request = RecordedRequest(entry) else {
                    // A result after the end of the range may belong to an earlier request.
                    if let id { results[id, default: []].append(entry) }
                    continue
                }
                if isLate { continue }
                let own = id.flatMap { results.removeValue(forKey: $0) } ?? []
                guard isMeant(request), outcome.map({ $0 == Self.outcome(entry, own) }) ?? true
                else { continue }
                found += (own + [entry]).filter { kind == nil || kind == $0.kind }
            }
        }
        return found.sorted { $0.sequence < $1.sequence }.suffix(countMax)
    }

    /// The note for an empty result; names the clients on record if the search named one.
    func emptyResultNote(in log: AuditLog) throws -> String {
        let nothing = "no such entry is on record"
        guard let client else { return nothing }
        let batch = try log.entries(limit: Self.batchCount)
        var known: [String] = []
        for id in batch.compactMap({ RecordedRequest($0)?.client?.id })
        where !known.contains(id) && known.count < Self.clientsMax {
            known.append(id)
        }
        guard !known.contains(where: { $0 == client || $0 == Client.tokenPrefix + client })
        else { return nothing }
        let list = known.map { "\"\(VisibleText.quotable($0))\"" }.joined(separator: ", ")
        return known.isEmpty
            ? nothing
            : "no request of \"\(VisibleText.quotable(client))\" is on record; recent clients: "
                + "\(list)"
    }

    /// The maximum number of clients that a note names.
    private static let clientsMax = 5

    private func isMeant(_ request: RecordedRequest) -> Bool {
        (key.map(request.keys.contains) ?? true)
            && (client.map { names($0, request.client) } ?? true)
            && (method.map { $0 == request.method } ?? true)
    }

    /// The outcome of a request: that of its own entry if it was refused, else that of its result.
    private static func outcome(_ entry: AuditEntry, _ own: [AuditEntry]) -> String {
        ([entry] + own).compactMap { AuditText.body($0)["outcome"]?.text }.first ?? "open"
    }

    /// True if a client has this id, or if its token or connection has this name.
    private func names(_ name: String, _ client: Client?) -> Bool {
        guard let client else { return false }
        return client.id == name || client.id == Client.tokenPrefix + name
            || client.proof == .key && clientKeys.contains(client.id)
    }

    /// Finds one entry by its number, or all entries of one request.
    ///
    /// A request is found by the beginning of its id, or by the id of an event, the id of a
    /// transaction or the hash of a message that it signed.
    static func entries(named name: String, in log: AuditLog) throws -> [AuditEntry] {
        if let number = Int64(name), number > 0, number < .max {
            let found = try log.entries(limit: 1, before: number + 1)
            if let entry = found.first, entry.sequence == number {
                guard let id = AuditText.body(entry)["id"]?.text else { return found }
                return try entries(beginning: id, in: log)
            }
        }
        if name.utf8.count >= idDigitsMin, name.allSatisfy(\.isHexDigit) {
            let found = try entries(beginning: name.lowercased(), in: log)
            if !found.isEmpty { return found }
        }
        guard name.utf8.count >= identifierMin else { return [] }
        let results = try entries(containing: name, in: log) { body in
            body["identifiers"]?.list?.contains { $0.text?.hasPrefix(name) == true } == true
        }
        guard let id = results.last.flatMap({ AuditText.body($0)["id"]?.text }) else { return [] }
        return try entries(beginning: id, in: log)
    }

    /// The minimum number of digits of an id that identifies a request or a signed item.
    private static let idDigitsMin = 4
    private static let identifierMin = 8

    private static func entries(beginning id: String, in log: AuditLog) throws -> [AuditEntry] {
        try entries(containing: id, in: log) { body in
            let name = body["id"]?.text ?? ""
            return name.hasPrefix(id) || AuditText.distinct(name).hasPrefix(id)
        }
    }

    /// The newest matching entries that contain a text, back to the first intent; the oldest is
    /// first.
    private static func entries(
        containing text: String, in log: AuditLog, where isMeant: (JSON) -> Bool
    ) throws -> [AuditEntry] {
        var found: [AuditEntry] = []
        var place = Int64.max
        while true {
            let batch = try log.entries(limit: batchCount, before: place, containing: text)
            for entry in batch where isMeant(AuditText.body(entry)) {
                found.append(entry)
                // An intent precedes all entries of its request.
                if entry.kind == AuditKind.intent.rawValue { return found.reversed() }
            }
            guard batch.count == batchCount, let last = batch.last else { break }
            place = last.sequence
        }
        return found.reversed()
    }
}
