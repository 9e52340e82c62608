// SPDX-License-Identifier: Apache-2.0

internal import SigningFiles

extension Schema {
    /// Upgrades a ledger of a version that did not store totals: computes them for all uses.
    static func addTotals(_ connection: SQLiteConnection) throws(SQLiteError) {
        try copyUses(connection)
        try connection.execute("DROP TABLE old_uses")
    }

    /// Adds the column for the state after a segment, unless a program set the format back.
    static func addState(_ connection: SQLiteConnection) throws(SQLiteError) {
        let found = try connection.statement(
            "SELECT 1 FROM pragma_table_info('segments') WHERE name = 'state'")
        defer { found.reset() }
        guard try !found.step() else { return }
        try connection.execute("ALTER TABLE segments ADD COLUMN state BLOB")
    }

    private static func copyUses(_ connection: SQLiteConnection) throws(SQLiteError) {
        let select = try connection.statement(
            """
            SELECT counter, time, intents.sequence, intent_id, position, amount
            FROM old_uses JOIN intents ON intents.id = intent_id
            ORDER BY counter, time, intents.sequence, position
            """)
        let insert = try connection.statement(
            """
            INSERT INTO uses (counter, time, sequence, intent_id, position, amount, total)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        defer { select.reset() }
        var counter = ""
        var total = RunningTotal.zero
        while try select.step() {
            let next = try select.text(0)
            if next != counter { total = .zero }
            counter = next
            let text = try select.text(5)
            guard let amount = Int128(text), amount >= 0 else {
                throw .unexpectedValue(statement: select.sql)
            }
            total = total.adding(amount)
            try insert.bind([
                .text(counter), .integer(try select.integer(1)), .integer(try select.integer(2)),
                .bytes(try select.bytes(3)), .integer(try select.integer(4)), .text(text),
                .bytes(total.bytes),
            ])
            _ = try insert.step()
            insert.reset()
        }
    }
}
