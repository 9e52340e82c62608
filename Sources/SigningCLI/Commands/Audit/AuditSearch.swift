// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningService
import SigningStorage

/// Which entries of the record are meant.
struct AuditSearch {
    static let options = [
        Option(name: "--last", value: "N"), Option(name: "--key", value: "NAME"),
        Option(name: "--client", value: "NAME"), Option(name: "--method", value: "METHOD"),
        Option(name: "--outcome", value: "OUTCOME"), Option(name: "--since", value: "TIME"),
        Option(name: "--until", value: "TIME"), Option(name: "--entry", value: "KIND"),
        Option(name: "--before", value: "N"),
    ]

    /// The outcomes that `--outcome` takes; `open` is a request without a result.
    private static let outcomes = ["done", "denied", "failed", "not_used", "open"]

    /// The most entries one call lists.
    static let entriesMax = 10_000
    /// How many are read at a time.
    private static let batchCount = 1_000

    let countMax: Int
    /// Only entries in front of this one.
    private let before: Int64
    private let key: KeyID?
    private let client: String?
    /// The keys of clients that the owner calls so.
    private let clientKeys: [String]
    private let method: String?
    private let kind: String?
    private let outcome: String?
    /// The times within which entries were written, the second one included.
    private let since: Timestamp
    private let until: Timestamp

    init(_ arguments: Arguments, in workspace: Workspace) throws(CLIError) {
        countMax = try arguments.count("--last", default: 20, max: Self.entriesMax)
        before =
            try arguments.value("--before").map { (text) throws(CLIError) in
                guard let number = Int64(text), number > 0 else {
                    throw .usage(
                        "--before takes the number of an entry",
                        hint: "write that of the first one that was listed")
                }
                return number
            } ?? .max
        key = try arguments.value("--key").map { (name) throws(CLIError) in
            try workspace.account(named: name).id
        }
        client = arguments.value("--client")
        clientKeys = client.map { workspace.open.clientNames.keys(named: $0) } ?? []
        outcome = try arguments.value("--outcome").map { (text) throws(CLIError) in
            guard Self.outcomes.contains(text) else {
                throw .usage(
                    "--outcome knows no \"\(VisibleText.quotable(text))\"",
                    hint: "one of \(Self.outcomes.joined(separator: ", "))")
            }
            return text
        }
        since = try Self.moment("--since", arguments) ?? Timestamp(seconds: .min)
        until = try Self.moment("--until", arguments) ?? Timestamp(seconds: .max)
        if since > until {
            throw .usage("--since is later than --until", hint: "write the earlier time first")
        }
        method = arguments.value("--method")
        kind = try arguments.value("--entry").map { (text) throws(CLIError) in
            guard let kind = AuditKind(rawValue: text) else {
                let known = AuditKind.allCases.map(\.rawValue)
                throw .usage(
                    "--entry knows no \"\(VisibleText.quotable(text))\"",
                    hint: Suggestion.closest(to: text, among: known).map {
                        "did you mean \"\($0)\"?"
                    } ?? "one of \(known.joined(separator: ", "))")
            }
            return kind.rawValue
        }
    }

    private static func moment(
        _ option: String, _ arguments: Arguments
    ) throws(CLIError) -> Timestamp? {
        guard let text = arguments.value(option) else { return nil }
        guard let moment = WrittenMoment.read(text, now: SystemEnvironment().now()) else {
            throw .usage(
                "\(option) takes no \"\(VisibleText.quotable(text))\"",
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

    /// The newest entries that are meant, oldest first; results go with what they are of.
    func entries(in log: AuditLog) throws(CLIError) -> [AuditEntry] {
        var found: [AuditEntry] = []
        var results: [String: [AuditEntry]] = [:]
        var place = before
        search: while found.count < countMax {
            let limit = isFiltered ? Self.batchCount : countMax
            let batch = try CLIError.wrapping { () throws(LedgerError) in
                try log.entries(limit: limit, before: place)
            }
            guard let last = batch.last else { break }
            place = last.sequence
            for entry in batch {
                // Times never go back along the record.
                if entry.time < since { break search }
                let isLate = entry.time > until
                guard asksAboutRequests else {
                    if !isLate, kind == nil || kind == entry.kind { found.append(entry) }
                    continue
                }
                let id = AuditText.body(entry)["id"]?.text
                guard let request = RecordedRequest(entry) else {
                    // Also a late one: it says what became of an earlier request.
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

    /// Says that nothing was found, and which clients are on record where one was named.
    func noteOfNothing(in log: AuditLog) throws(CLIError) -> String {
        let nothing = "no such entry is on record"
        guard let client else { return nothing }
        let batch = try CLIError.wrapping { () throws(LedgerError) in
            try log.entries(limit: Self.batchCount)
        }
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
            : "no request of \"\(VisibleText.quotable(client))\" is on record; "
                + "lately asked: \(list)"
    }

    /// The most clients that a note names.
    private static let clientsMax = 5

    private func isMeant(_ request: RecordedRequest) -> Bool {
        (key.map(request.keys.contains) ?? true)
            && (client.map { names($0, request.client) } ?? true)
            && (method.map { $0 == request.method } ?? true)
    }

    /// What became of a request: of a refusal as it says itself, else as its result does.
    private static func outcome(_ entry: AuditEntry, _ own: [AuditEntry]) -> String {
        ([entry] + own).compactMap { AuditText.body($0)["outcome"]?.text }.first ?? "open"
    }

    /// True if a client has this id, or its token or its connection this name.
    private func names(_ name: String, _ client: Client?) -> Bool {
        guard let client else { return false }
        return client.id == name || client.id == Client.tokenPrefix + name
            || client.proof == .key && clientKeys.contains(client.id)
    }

    /// One entry by its number, or all of one request: by the beginning of its id, or by an event
    /// id, a transaction id or the hash of a message that it signed.
    static func entries(named name: String, in log: AuditLog) throws(CLIError) -> [AuditEntry] {
        if let number = Int64(name), number > 0, number < .max {
            let found = try CLIError.wrapping { () throws(LedgerError) in
                try log.entries(limit: 1, before: number + 1)
            }
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

    /// The shortest beginning of an id that names a request, and of what it signed.
    private static let idDigitsMin = 4
    private static let identifierMin = 8

    private static func entries(
        beginning id: String, in log: AuditLog
    ) throws(CLIError) -> [AuditEntry] {
        try entries(containing: id, in: log) { body in
            let name = body["id"]?.text ?? ""
            return name.hasPrefix(id) || AuditText.distinct(name).hasPrefix(id)
        }
    }

    /// The newest entries with a text in them that are meant, back to the first intent; the oldest
    /// is first.
    private static func entries(
        containing text: String, in log: AuditLog, where isMeant: (JSON) -> Bool
    ) throws(CLIError) -> [AuditEntry] {
        var found: [AuditEntry] = []
        var place = Int64.max
        while true {
            let batch = try CLIError.wrapping { () throws(LedgerError) in
                try log.entries(limit: batchCount, before: place, containing: text)
            }
            for entry in batch where isMeant(AuditText.body(entry)) {
                found.append(entry)
                // An intent is older than all that follows from it.
                if entry.kind == AuditKind.intent.rawValue { return found.reversed() }
            }
            guard batch.count == batchCount, let last = batch.last else { break }
            place = last.sequence
        }
        return found.reversed()
    }
}
