// SPDX-License-Identifier: Apache-2.0

internal import SigningFiles

/// The step from a row for every intent and every result to rows for open intents alone.
extension Schema {
    /// Makes the tables of this format from those of the one before.
    static let openIntents = """
        CREATE TABLE open_intents (
            id BLOB NOT NULL PRIMARY KEY,
            sequence INTEGER NOT NULL,
            time INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        \(openIntentRows)
        -- The entry of an intent says what the intent used, so that no other tree has to.
        ALTER TABLE uses RENAME TO old_uses;
        CREATE TABLE uses (
            counter TEXT NOT NULL,
            time INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            position INTEGER NOT NULL,
            intent_id BLOB NOT NULL,
            amount TEXT NOT NULL,
            total BLOB NOT NULL,
            PRIMARY KEY (counter, time, sequence, position)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO uses SELECT counter, time, sequence, position, intent_id, amount, total
            FROM old_uses ORDER BY counter, time, sequence, position;
        DROP TABLE old_uses;
        ALTER TABLE serial_uses RENAME TO old_serial_uses;
        CREATE TABLE serial_uses (
            series TEXT NOT NULL,
            number INTEGER NOT NULL,
            intent_id BLOB NOT NULL,
            PRIMARY KEY (series, number)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO serial_uses SELECT series, number, intent_id FROM old_serial_uses;
        DROP TABLE old_serial_uses;
        DROP TABLE results;
        DROP TABLE intents;
        """

    private static let openIntentRows = """
        INSERT INTO open_intents SELECT id, sequence, time FROM intents JOIN audit USING (sequence);
        DELETE FROM open_intents WHERE id IN (SELECT intent_id FROM results);
        WITH repairs AS MATERIALIZED (
            SELECT sequence, time FROM audit WHERE sequence > 0 AND \(isClockRepair))
        UPDATE open_intents SET time = min(time, (
            SELECT min(time) FROM repairs WHERE repairs.sequence > open_intents.sequence))
        WHERE EXISTS (SELECT 1 FROM repairs WHERE repairs.sequence > open_intents.sequence);
        INSERT OR REPLACE INTO meta (name, value)
            SELECT 'floor', CAST(time AS TEXT) FROM (\(olderFloor));
        DELETE FROM meta WHERE name = 'clock';
        """

    /// The query for the earliest time of new entries, by the entries of any format.
    static let olderFloor = """
        SELECT time FROM audit
        WHERE sequence > 0 AND (kind = 'intent' OR \(isClockRepair))
        ORDER BY sequence DESC LIMIT 1
        """

    private static let isClockRepair = #"(kind = 'repair' AND instr(body, '"what":"clock"'))"#
}
