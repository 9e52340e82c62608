// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningService
import SigningStorage
import SigningVault
import SigningWires

/// The texts of record entries.
struct AuditText {
    let workspace: Workspace
    private let words: GrantText
    private let names: [KeyID: String]
    private let writers: EntryWriters
    private let clients: ClientNames

    init(_ workspace: Workspace, writtenBy writers: EntryWriters) {
        self.workspace = workspace
        self.writers = writers
        clients = workspace.open.clientNames
        words = GrantText(schemas: workspace.adapters.schemas)
        let accounts = (try? workspace.vault.accounts()) ?? []
        names = Dictionary(
            accounts.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    func keyName(_ key: KeyID) -> String { names[key] ?? "(removed)" }

    /// The number of digits of an intent's id in a list, enough to find its result.
    private static let idDigits = 8

    /// The random half of an id; the first half is a counter.
    static func distinct(_ id: String) -> Substring { id.dropFirst(16) }

    /// The maximum length of one member in a list, in characters.
    private static let memberMax = 80

    /// An entry on one line.
    func line(_ entry: AuditEntry) -> String {
        let body = Self.body(entry)
        let request = RecordedRequest(entry)
        let head: [(String, JSON?)] = [
            (
                "id",
                body["id"].map {
                    .string(String(Self.distinct($0.text ?? "").prefix(Self.idDigits)))
                }
            ),
            ("method", body["method"]),
            ("client", body["client"]?["id"]?.text.map { .string(VisibleText.listed($0)) }),
            ("client_name", request?.client.flatMap { clients.name(of: $0) }.map { .string($0) }),
        ]
        let tail: [(String, JSON?)] = [
            ("decided_by", body["decided_by"]), ("outcome", body["outcome"]),
            ("reason", body["reason"]?["code"] ?? body["reason"]),
            ("key", body["name"]), ("form", body["form"]), ("what", body["what"]),
            ("tags", Self.tags(body)), ("name_before", Self.before(body, "name")),
            ("tags_before", Self.tags(body["before"] ?? .null)),
            (
                "policy",
                entry.kind == "attest"
                    ? body["policy"].map { .string(String(($0.text ?? "").prefix(16))) } : nil
            ),
        ]
        let rules = body["rules"]?.list?.compactMap(\.text).joined(separator: ",") ?? ""
        let signed = body["identifiers"]?.list?.compactMap(\.text) ?? []
        let parts =
            [entry.kind] + Self.shown(head) + (request.map(subject) ?? []) + Self.shown(tail)
            + (rules.isEmpty ? [] : ["rules=\(rules)"])
            + signed.prefix(1).map { "signed=\(Self.cell($0))" }
            + (signed.count > 1 ? ["and=\(signed.count - 1) more"] : [])
            + (writers.name(of: entry).map { ["hub=\(VisibleText.listed($0))"] } ?? [])
        return "\(entry.sequence)  \(entry.time.utcText)  \(parts.joined(separator: "  "))"
    }

    static func body(_ entry: AuditEntry) -> JSON {
        (try? JSON.parse(entry.body.utf8.span)) ?? .null
    }

    /// The old name of a key, if the entry changed it.
    private static func before(_ body: JSON, _ name: String) -> JSON? {
        body["before"]?[name].flatMap { $0 == body[name] ? nil : $0 }
    }

    /// The tags of a key, in one text.
    private static func tags(_ body: JSON) -> JSON? {
        body["tags"]?.list.map { tags in
            .string(tags.isEmpty ? "-" : tags.compactMap(\.text).joined(separator: ","))
        }
    }

    private static func shown(_ members: [(String, JSON?)]) -> [String] {
        members.compactMap { name, value in
            value?.text.map { "\(name)=\(cell($0))" }
        }
    }

    /// A value in a row, quoted if it could be mistaken for another member.
    private static func cell(_ text: String) -> String {
        let spaces = text.unicodeScalars.split { $0.properties.generalCategory != .spaceSeparator }
        let isPadded = spaces.contains { $0.count > 1 || $0.first != " " }
        return isPadded || text.contains("\"")
            ? "\"\(VisibleText.quotable(text, countMax: memberMax))\""
            : VisibleText.escaped(text, countMax: memberMax)
    }

    /// The key of a request and the facts of its first operation.
    private func subject(_ request: RecordedRequest) -> [String] {
        var keys: [String] = []
        for name in request.keys.map(keyName) where !keys.contains(name) { keys.append(name) }
        let facts = RequestSubject(words).facts(request).map { "\($0.name)=\(Self.cell($0.value))" }
        let more = request.facts.count > 1 ? ["and=\(request.facts.count - 1) more"] : []
        return (keys.isEmpty ? [] : ["key=\(keys.joined(separator: ","))"]) + facts + more
    }

    func shown(_ fact: Fact, _ request: RecordedRequest) -> String {
        words.shown(fact, in: request.protocolID)
    }

    /// All members of an entry, one line each.
    func lines(_ entry: AuditEntry) -> [String] {
        let body = Self.body(entry)
        var rows = [("entry", "\(entry.sequence), \(entry.kind), \(entry.time.utcText)")]
        if let request = RecordedRequest(entry) {
            rows += requestRows(request)
        }
        let labels = [
            ("what", "what"), ("decided", "decided_by"), ("outcome", "outcome"), ("key", "name"),
            ("form", "form"),
            ("id", "id"), ("request", "request"), ("policy", "policy"), ("text", "text_sha256"),
            ("network", "network"),
        ]
        rows += labels.compactMap { label, name in body[name]?.text.map { (label, $0) } }
        let lists = [
            ("rules", "rules"), ("grants", "grants"), ("sent", "broadcast"),
            ("signed", "identifiers"),
        ]
        for (label, name) in lists {
            let all = body[name]?.list?.compactMap(\.text) ?? []
            if !all.isEmpty { rows.append((label, all.joined(separator: ", "))) }
        }
        rows += (body["policies"]?.list ?? []).compactMap { text in
            guard let entry = text["entry"]?.integerValue, let digest = text["sha256"]?.text else {
                return nil
            }
            return ("text", "\(digest), of the policy of entry \(entry)")
        }
        // For a request, the facts show the outflow.
        if RecordedRequest(entry) == nil {
            rows += (body["approvers"]?["totals"]?.list ?? []).compactMap { total in
                total.text.map { ("approved", "to \($0)") }
            }
        }
        let tagged = [("tags", body), ("before", body["before"] ?? .null)]
        rows += tagged.compactMap { label, of in
            Self.tags(of)?.text.map { tags in
                (label, label == "tags" ? tags : "\(of["name"]?.text ?? ""), tags \(tags)")
            }
        }
        rows += Self.approvals(body)
        if let reason = body["reason"] {
            let text = reason["text"]?.text.map { ": \($0)" } ?? ""
            rows.append(("reason", (reason["code"]?.text ?? reason.text ?? "") + text))
        }
        return rows.map { label, text in
            let pad = String(repeating: " ", count: max(1, 10 - label.utf8.count))
            return label + pad + VisibleText.escaped(text)
        }
    }

    /// The approvers, with the key that signed and the signature.
    private static func approvals(_ body: JSON) -> [(String, String)] {
        guard let approvers = body["approvers"] else { return [] }
        let rows = (approvers["yes"]?.list ?? []).map { yes in
            let parts = ["name", "key", "signature"].compactMap { yes[$0]?.text }
            return ("approved", parts.joined(separator: " "))
        }
        return rows + (approvers["question"]?.text.map { [("question", $0)] } ?? [])
    }

    private func requestRows(_ request: RecordedRequest) -> [(String, String)] {
        var rows = [
            ("method", "\(request.protocolID) \(request.method), by \(request.adapter.name)")
        ]
        let client = request.client.map {
            "\(VisibleText.listed($0.id)) (\($0.proof.sentence))"
        }
        rows.append(("client", client ?? "(no name)"))
        let dangers = request.dangers.map(\.name)
        rows.append(("effects", request.effects.map(\.rawValue).joined(separator: ", ")))
        rows.append(("dangers", dangers.isEmpty ? "none" : dangers.joined(separator: ", ")))
        for (place, facts) in request.facts.enumerated() {
            let key = request.keys.indices.contains(place) ? keyName(request.keys[place]) : "-"
            rows.append(("operation", "\(place + 1), key \(key)"))
            rows += facts.map { ("  fact", "\($0.name) = \(shown($0, request))") }
        }
        return rows
    }

    /// The entry as JSON; the body has exactly the bytes that were hashed.
    static func json(_ entry: AuditEntry, writtenBy writers: EntryWriters) -> String {
        let hash = Hex.encode(entry.hash.span)
        let hub = writers.name(of: entry).map { name in
            #""hub":\#(String(decoding: JSON.string(name).write(), as: UTF8.self)),"#
        }
        return #"{"sequence":\#(entry.sequence),"time":"\#(entry.time.utcText)","#
            + #""kind":"\#(entry.kind)","hash":"\#(hash)",\#(hub ?? "")"body":\#(entry.body)}"#
    }

    /// Entries as one JSON array, one line each.
    static func json(_ entries: [AuditEntry], writtenBy writers: EntryWriters) -> String {
        "[\(entries.map { json($0, writtenBy: writers) }.joined(separator: ",\n"))]"
    }
}

/// The hubs that wrote the entries of a shared record.
struct EntryWriters {
    private let names: [Int64: String]

    init(of entries: [AuditEntry], in log: AuditLog) throws {
        let (hubs, numbers) = (try log.hubs(), try log.writers(of: entries))
        let called = Dictionary(
            hubs.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
        names = numbers.mapValues { called[$0] ?? String($0) }
    }

    /// The name of the hub; nil if the record belonged to one machine then.
    func name(of entry: AuditEntry) -> String? { names[entry.sequence] }
}
