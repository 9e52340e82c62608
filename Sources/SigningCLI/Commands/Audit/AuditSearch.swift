// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningStorage

/// Which entries of the record are meant.
struct AuditSearch {
    static let options = [
        Option(name: "--last", value: "N"), Option(name: "--key", value: "NAME"),
        Option(name: "--client", value: "NAME"), Option(name: "--method", value: "METHOD"),
        Option(name: "--entry", value: "KIND"), Option(name: "--before", value: "N"),
    ]

    /// The most entries one call lists.
    static let entriesMax = 10_000
    /// How many are read at a time.
    private static let batchCount = 1_000

    let countMax: Int
    /// Only entries in front of this one.
    private let before: Int64
    private let key: KeyID?
    private let client: String?
    private let method: String?
    private let kind: String?

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

    private var asksAboutRequests: Bool { key != nil || client != nil || method != nil }

    /// The newest entries that are meant, oldest first; results go with what they are of.
    func entries(in log: AuditLog) throws(CLIError) -> [AuditEntry] {
        var found: [AuditEntry] = []
        var results: [String: [AuditEntry]] = [:]
        var place = before
        while found.count < countMax {
            let limit = asksAboutRequests || kind != nil ? Self.batchCount : countMax
            let batch = try CLIError.wrapping { () throws(LedgerError) in
                try log.entries(limit: limit, before: place)
            }
            guard let last = batch.last else { break }
            place = last.sequence
            for entry in batch {
                guard asksAboutRequests else {
                    if kind == nil || kind == entry.kind { found.append(entry) }
                    continue
                }
                let id = AuditText.body(entry)["id"]?.text
                guard let request = RecordedRequest(entry) else {
                    if let id { results[id, default: []].append(entry) }
                    continue
                }
                let own = id.flatMap { results.removeValue(forKey: $0) } ?? []
                guard isMeant(request) else { continue }
                found += (own + [entry]).filter { kind == nil || kind == $0.kind }
            }
        }
        return found.sorted { $0.sequence < $1.sequence }.suffix(countMax)
    }

    private func isMeant(_ request: RecordedRequest) -> Bool {
        (key.map(request.keys.contains) ?? true)
            && (client.map { $0 == request.client?.id } ?? true)
            && (method.map { $0 == request.method } ?? true)
    }

    /// One entry by its number, or all of one request by the beginning of its id.
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
        guard name.utf8.count >= idDigitsMin, name.allSatisfy(\.isHexDigit) else { return [] }
        return try entries(beginning: name.lowercased(), in: log)
    }

    /// The shortest beginning of an id that names a request.
    private static let idDigitsMin = 4

    private static func entries(
        beginning id: String, in log: AuditLog
    ) throws(CLIError) -> [AuditEntry] {
        var found: [AuditEntry] = []
        var place = Int64.max
        while true {
            let batch = try CLIError.wrapping { () throws(LedgerError) in
                try log.entries(limit: batchCount, before: place)
            }
            guard let last = batch.last else { break }
            place = last.sequence
            for entry in batch {
                let name = AuditText.body(entry)["id"]?.text ?? ""
                guard name.hasPrefix(id) || AuditText.distinct(name).hasPrefix(id) else {
                    continue
                }
                found.append(entry)
                // An intent is older than all that follows from it.
                if entry.kind == "intent" { return found.reversed() }
            }
        }
        return found.reversed()
    }
}
