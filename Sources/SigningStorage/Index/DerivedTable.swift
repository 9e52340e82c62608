// SPDX-License-Identifier: Apache-2.0

/// A table whose rows follow from the entries of the record.
struct DerivedTable: Sendable {
    let name: String
    /// The names of its columns, in the order of the table.
    let columns: [String]
    /// The names of the columns of the primary key.
    let key: [String]
    /// The names of the other columns.
    let stated: [String]
    /// An SQL expression that names a row in the user's terms; `$` is the row.
    let title: String
    /// An SQL expression for the text by which the entries of a row name it, without the quotation
    /// marks around it; nil if the row has the number of its entry.
    let mention: String?
    /// The name of the column with bytes that entries name by their SHA-256; nil if there is none.
    let bytes: String?
    /// Its columns with their types and constraints, in the order of the table.
    let definitions: [String]
    private let index: String?

    /// Makes a table.
    ///
    /// `columns` are names and types, with `?` after a type whose values may be NULL. `index` is
    /// the statement that makes the table's index, without its first words.
    init(
        _ name: String, _ columns: String, key: String, bytes: String? = nil,
        index: String? = nil, title: String, mention: String? = nil
    ) {
        func list(_ text: String) -> [String] { text.split(separator: ", ").map { String($0) } }
        self.name = name
        definitions = list(columns).map { column in
            column.hasSuffix("?") ? String(column.dropLast()) : column + " NOT NULL"
        }
        let names = list(columns).map { $0.split(separator: " ").first.map { String($0) } ?? $0 }
        self.columns = names
        let keys = list(key)
        self.key = keys
        stated = names.filter { !keys.contains($0) }
        self.bytes = bytes
        self.index = index
        self.title = title
        self.mention = mention
    }

    /// The names of all columns, as an SQL list.
    var columnList: String { columns.joined(separator: ", ") }

    /// The statement that makes the empty table in a database, `main` or `temp`.
    ///
    /// Named bytes may have any type in `temp`.
    func definition(in database: String) -> String {
        let columns = zip(columns, definitions).map { name, definition in
            name == bytes && database == "temp" ? "\(name) ANY NOT NULL" : definition
        }
        return """
            CREATE TABLE \(database).\(name) (
                \(columns.joined(separator: ", ")),
                PRIMARY KEY (\(key.joined(separator: ", ")))
            ) STRICT, WITHOUT ROWID
            """
    }

    /// The name of the table's index; nil if it has none.
    var indexName: String? { index?.split(separator: " ").first.map { String($0) } }

    /// The statement that makes the table's index in the ledger; nil if it has none.
    var indexDefinition: String? {
        index.map { "CREATE INDEX main.\($0)" }
    }
}

extension DerivedTable {
    /// The version of the form of these tables; raise it with each change.
    ///
    /// A ledger with tables of another version gets them anew from its entries. If columns of
    /// shared tables change, `Schema.sharedVersion` rises too.
    static let version = 0

    /// Every table whose rows follow from entries.
    static let all = [
        DerivedTable(
            "open_intents", "id BLOB, sequence INTEGER, time INTEGER", key: "id",
            title: "'request ' || lower(hex($.id))", mention: "lower(hex($.id))"),
        DerivedTable(
            "uses",
            """
            counter TEXT, time INTEGER, sequence INTEGER, position INTEGER, intent_id BLOB, \
            amount TEXT, total BLOB
            """, key: "counter, time, sequence, position",
            title: "'a use of limit \"' || $.counter || '\"'"),
        DerivedTable(
            "replay_tokens", "intent_id BLOB, hash BLOB", key: "hash, intent_id",
            title: "'the replay token of request ' || lower(hex($.intent_id))",
            mention: "lower(hex($.intent_id))"),
        DerivedTable(
            "serial_uses", "series TEXT, number INTEGER, intent_id BLOB", key: "series, number",
            title: "'number ' || $.number || ' of series \"' || $.series || '\"'",
            mention: "lower(hex($.intent_id))"),
        DerivedTable(
            "grants",
            """
            id BLOB, sequence INTEGER, scope_hash BLOB, body TEXT, seal BLOB, revoked INTEGER?
            """, key: "id", index: "grants_by_scope ON grants (scope_hash)",
            title: "'remembered answer ' || lower(hex($.id))", mention: "lower(hex($.id))"),
        DerivedTable(
            "sessions",
            """
            id BLOB, sequence INTEGER, protocol TEXT, client TEXT, proof TEXT, network TEXT, \
            key_id TEXT, address TEXT, time INTEGER, expires INTEGER?
            """, key: "id",
            index: "sessions_by_client ON sessions (protocol, client, proof)",
            title: "'the connection of client \"' || $.client || '\"'",
            mention: "lower(hex($.id))"),
        DerivedTable(
            "outbox",
            """
            id TEXT, sequence INTEGER, protocol TEXT, network TEXT, sender TEXT, bytes BLOB, \
            state TEXT, place INTEGER, time INTEGER
            """, key: "id", bytes: "bytes", title: "'transaction ' || $.id",
            mention: "$.id"),
        DerivedTable(
            "accepted", "mark BLOB, time INTEGER", key: "mark",
            title: "'the accepted message ' || lower(hex($.mark))", mention: "lower(hex($.mark))"),
        DerivedTable(
            "segments",
            """
            number INTEGER, first INTEGER, last INTEGER, head_hash BLOB, folded INTEGER, \
            bytes INTEGER, sha256 BLOB, signature BLOB, state BLOB?
            """, key: "number", title: "'archived part ' || $.number",
            mention: #"'number":' || $.number || ',"sha256'"#),
        DerivedTable(
            "hubs",
            """
            number INTEGER, name TEXT, public_key BLOB, joined INTEGER, retired INTEGER?, \
            answers_only INTEGER
            """, key: "number", title: "'hub \"' || $.name || '\"'",
            mention: "lower(hex($.public_key))"),
        DerivedTable(
            "retired_approvers", "public_key BLOB, time INTEGER", key: "public_key",
            title: "'the retired approver key ' || lower(hex($.public_key))",
            mention: "lower(hex($.public_key))"),
        DerivedTable(
            "policies", "sequence INTEGER, sha256 BLOB", key: "sequence",
            title: "'the text of the policy that entry ' || $.sequence || ' put in force'"),
        DerivedTable(
            "notes", "subject TEXT, name TEXT, value INTEGER, detail BLOB", key: "subject, name",
            bytes: "detail", title: "'the note \"' || $.name || '\" about ' || $.subject",
            mention: "$.name"),
        DerivedTable(
            "serials", "series TEXT, last INTEGER", key: "series",
            title: "'the last number of series \"' || $.series || '\"'", mention: "$.series"),
        DerivedTable(
            "joint_questions", "digest BLOB, body TEXT, expires INTEGER, intent_id BLOB?",
            key: "digest", bytes: "body",
            title: "'the question to several people ' || lower(hex($.digest))",
            mention: "lower(hex($.digest))"),
        DerivedTable(
            "joint_answers", "digest BLOB, public_key BLOB, yes INTEGER, signature BLOB",
            key: "digest, public_key",
            title: "'an answer to question ' || lower(hex($.digest))",
            mention: "lower(hex($.signature))"),
        DerivedTable(
            "meta", "name TEXT, value TEXT", key: "name", title: valueTitle, mention: valueKind),
    ]

    private static let valueTitle = """
        CASE $.name WHEN 'frozen' THEN 'the freeze' WHEN 'policy' THEN 'the policy in force'
        WHEN 'floor' THEN 'the earliest time of entries'
        WHEN 'moved' THEN 'the hub that continues alone'
        WHEN 'carried' THEN 'the content that entries carry'
        WHEN 'own approvers' THEN 'the approver keys of hubs' ELSE 'value "' || $.name || '"' END
        """

    private static let valueKind = """
        'kind":"' || CASE $.name
        WHEN 'frozen' THEN iif(made.name IS NULL, 'thaw', 'freeze') WHEN 'policy' THEN 'attest'
        WHEN 'floor' THEN 'intent' WHEN 'carried' THEN 'carry' WHEN 'moved' THEN 'hub'
        ELSE 'approver' END
        """
}
