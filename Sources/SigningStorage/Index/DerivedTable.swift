// SPDX-License-Identifier: Apache-2.0

/// A table whose rows follow from the entries of the record.
struct DerivedTable: Sendable {
    let name: String
    /// The definitions of the columns of the primary key.
    let key: [String]
    /// The definitions of the other columns that entries state.
    let stated: [String]
    /// The definitions of the columns whose values no entry states.
    let unstated: [String]
    /// An SQL expression that names a row in the user's terms; `$` is the row.
    let title: String
    /// An SQL expression for the text by which the entries of a row name it, without the quotation
    /// marks around it; nil if the row has the number of its entry.
    let mention: String?

    init(
        _ name: String, key: String, _ stated: String = "", unstated: String = "", title: String,
        mention: String? = nil
    ) {
        func columns(_ list: String) -> [String] {
            list.split(separator: ", ").map { String($0) }
        }
        self.name = name
        self.key = columns(key)
        self.stated = columns(stated)
        self.unstated = columns(unstated)
        self.title = title
        self.mention = mention
    }

    /// The names of all columns, as an SQL list.
    var columns: String { Self.names(key + stated + unstated).joined(separator: ", ") }

    /// The statement that makes an empty temporary table with the same columns.
    var definition: String {
        """
        CREATE TEMP TABLE \(name) (
            \((key + stated + unstated).joined(separator: ", ")),
            PRIMARY KEY (\(Self.names(key).joined(separator: ", ")))
        ) WITHOUT ROWID
        """
    }

    /// The names in definitions of columns.
    static func names(_ columns: [String]) -> [String] {
        columns.map { $0.split(separator: " ").first.map { String($0) } ?? $0 }
    }
}

extension DerivedTable {
    /// Every table whose rows follow from entries.
    static let all = [
        DerivedTable(
            "open_intents", key: "id BLOB", "sequence INTEGER, time INTEGER",
            title: "'request ' || lower(hex($.id))", mention: "lower(hex($.id))"),
        DerivedTable(
            "uses", key: "counter TEXT, time INTEGER, sequence INTEGER, position INTEGER",
            "intent_id BLOB, amount TEXT, total BLOB",
            title: "'a use of limit \"' || $.counter || '\"'"),
        DerivedTable(
            "replay_tokens", key: "hash BLOB, intent_id BLOB",
            title: "'the replay token of request ' || lower(hex($.intent_id))",
            mention: "lower(hex($.intent_id))"),
        DerivedTable(
            "serial_uses", key: "series TEXT, number INTEGER", "intent_id BLOB",
            title: "'number ' || $.number || ' of series \"' || $.series || '\"'",
            mention: "lower(hex($.intent_id))"),
        DerivedTable(
            "grants", key: "id BLOB",
            "sequence INTEGER, scope_hash BLOB, body TEXT, seal BLOB, revoked INTEGER",
            title: "'remembered answer ' || lower(hex($.id))", mention: "lower(hex($.id))"),
        DerivedTable(
            "sessions", key: "id BLOB",
            """
            sequence INTEGER, protocol TEXT, client TEXT, proof TEXT, network TEXT, key_id TEXT, \
            expires INTEGER
            """, unstated: "address TEXT, time INTEGER",
            title: "'the connection of client \"' || $.client || '\"'",
            mention: "lower(hex($.id))"),
        DerivedTable(
            "outbox", key: "id TEXT",
            """
            sequence INTEGER, protocol TEXT, network TEXT, state TEXT, place INTEGER, \
            time INTEGER
            """, unstated: "sender TEXT, bytes BLOB", title: "'transaction ' || $.id",
            mention: "$.id"),
        DerivedTable(
            "accepted", key: "mark BLOB", "time INTEGER",
            title: "'the accepted message ' || lower(hex($.mark))", mention: "lower(hex($.mark))"),
        DerivedTable(
            "segments", key: "number INTEGER",
            """
            first INTEGER, last INTEGER, head_hash BLOB, folded INTEGER, bytes INTEGER, \
            sha256 BLOB, signature BLOB
            """, title: "'archived part ' || $.number",
            mention: #"'number":' || $.number || ',"sha256'"#),
        DerivedTable(
            "hubs", key: "number INTEGER",
            """
            name TEXT, public_key BLOB, joined INTEGER, retired INTEGER, answers_only INTEGER
            """, title: "'hub \"' || $.name || '\"'", mention: "lower(hex($.public_key))"),
        DerivedTable(
            "retired_approvers", key: "public_key BLOB", "time INTEGER",
            title: "'the retired approver key ' || lower(hex($.public_key))",
            mention: "lower(hex($.public_key))"),
        DerivedTable("meta", key: "name TEXT", "value TEXT", title: valueTitle, mention: valueKind),
    ]

    private static let valueTitle = """
        CASE $.name WHEN 'frozen' THEN 'the freeze' WHEN 'policy' THEN 'the policy in force'
        WHEN 'floor' THEN 'the earliest time of entries'
        WHEN 'moved' THEN 'the hub that continues alone'
        WHEN 'own approvers' THEN 'the approver keys of hubs' ELSE 'value "' || $.name || '"' END
        """

    private static let valueKind = """
        'kind":"' || CASE $.name
        WHEN 'frozen' THEN iif(made.name IS NULL, 'thaw', 'freeze') WHEN 'policy' THEN 'attest'
        WHEN 'floor' THEN 'intent' WHEN 'moved' THEN 'hub' ELSE 'approver' END
        """
}
