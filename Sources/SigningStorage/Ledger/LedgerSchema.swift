// SPDX-License-Identifier: Apache-2.0

package import SigningFiles

extension Schema {
    /// The format of the file with the audit chain, open intents, limits and replay tokens.
    ///
    /// Only `audit` contains the bodies of requests; the other tables refer to it.
    package static let ledger = Schema(
        file: "ledger.db",
        applicationID: 0x4353_6C67,  // "CSlg"
        migrations: [
            """
            CREATE TABLE meta (
                name TEXT NOT NULL PRIMARY KEY,
                value TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE audit (
                sequence INTEGER NOT NULL PRIMARY KEY,
                time INTEGER NOT NULL,
                kind TEXT NOT NULL,
                body TEXT NOT NULL,
                previous_hash BLOB NOT NULL,
                hash BLOB NOT NULL
            ) STRICT;
            CREATE TABLE intents (
                id BLOB NOT NULL PRIMARY KEY,
                sequence INTEGER NOT NULL UNIQUE REFERENCES audit
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE results (
                intent_id BLOB NOT NULL PRIMARY KEY REFERENCES intents,
                sequence INTEGER NOT NULL UNIQUE REFERENCES audit,
                outcome TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE uses (
                counter TEXT NOT NULL,
                time INTEGER NOT NULL,
                intent_id BLOB NOT NULL REFERENCES intents,
                position INTEGER NOT NULL,
                amount TEXT NOT NULL,
                PRIMARY KEY (counter, time, intent_id, position)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX uses_by_intent ON uses (intent_id, position);
            -- A row for every intent, so that one can be given back without the others.
            CREATE TABLE replay_tokens (
                intent_id BLOB NOT NULL PRIMARY KEY REFERENCES intents,
                hash BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX replay_tokens_by_hash ON replay_tokens (hash);
            CREATE TABLE checkpoints (
                sequence INTEGER NOT NULL PRIMARY KEY,
                head_hash BLOB NOT NULL,
                time INTEGER NOT NULL,
                signature BLOB NOT NULL
            ) STRICT;
            """,
            """
            -- What people said and want remembered; bodies stand in audit as well.
            CREATE TABLE grants (
                id BLOB NOT NULL PRIMARY KEY,
                sequence INTEGER NOT NULL REFERENCES audit,
                scope_hash BLOB NOT NULL,
                body TEXT NOT NULL,
                seal BLOB NOT NULL,
                revoked INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX grants_by_scope ON grants (scope_hash);
            """,
            """
            -- What finished requests leave behind: it raises flags and permits nothing.
            CREATE TABLE notes (
                subject TEXT NOT NULL,
                name TEXT NOT NULL,
                value INTEGER NOT NULL,
                PRIMARY KEY (subject, name)
            ) STRICT, WITHOUT ROWID;
            -- When people were asked, as long as it counts.
            CREATE TABLE questions (
                about BLOB NOT NULL,
                time INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX questions_by_subject ON questions (about, time);
            """,
            """
            -- Who is connected to which account; ended ones stand in audit alone.
            CREATE TABLE sessions (
                id BLOB NOT NULL PRIMARY KEY,
                sequence INTEGER NOT NULL REFERENCES audit,
                protocol TEXT NOT NULL,
                client TEXT NOT NULL,
                proof TEXT NOT NULL,
                network TEXT NOT NULL,
                key_id TEXT NOT NULL,
                address TEXT NOT NULL,
                time INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX sessions_by_client ON sessions (protocol, client, proof);
            -- The highest number drawn of each series, and each that was used.
            CREATE TABLE serials (
                series TEXT NOT NULL PRIMARY KEY,
                last INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE serial_uses (
                series TEXT NOT NULL,
                number INTEGER NOT NULL,
                intent_id BLOB NOT NULL REFERENCES intents,
                PRIMARY KEY (series, number)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX serial_uses_by_intent ON serial_uses (intent_id);
            -- What is signed for a network, until it is known what became of it.
            CREATE TABLE outbox (
                id TEXT NOT NULL PRIMARY KEY,
                sequence INTEGER NOT NULL REFERENCES audit,
                protocol TEXT NOT NULL,
                network TEXT NOT NULL,
                sender TEXT NOT NULL,
                bytes BLOB NOT NULL,
                state TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            -- Signed messages of others that were accepted here once.
            CREATE TABLE accepted (
                mark BLOB NOT NULL PRIMARY KEY,
                time INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            """,
            """
            -- Where an item stands among those of its request, which are sent in that order.
            ALTER TABLE outbox ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
            """,
            """
            -- From here on what the owner alone may write is signed, and what used no key may be
            -- followed by an earlier time: older versions would take either for damage.
            """,
            """
            -- What an adapter keeps with a note, in a form of its own.
            ALTER TABLE notes ADD COLUMN detail BLOB NOT NULL DEFAULT x'';
            """,
            """
            -- What a counter has used in all stands beside each use: a window is a difference.
            DROP INDEX uses_by_intent;
            ALTER TABLE uses RENAME TO old_uses;
            CREATE TABLE uses (
                counter TEXT NOT NULL,
                time INTEGER NOT NULL,
                sequence INTEGER NOT NULL,
                position INTEGER NOT NULL,
                intent_id BLOB NOT NULL REFERENCES intents,
                amount TEXT NOT NULL,
                total BLOB NOT NULL,
                PRIMARY KEY (counter, time, sequence, position)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX uses_by_intent ON uses (intent_id, position);
            -- Nobody looks for a result by its entry.
            ALTER TABLE results RENAME TO old_results;
            CREATE TABLE results (
                intent_id BLOB NOT NULL PRIMARY KEY REFERENCES intents,
                sequence INTEGER NOT NULL,
                outcome TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            INSERT INTO results SELECT intent_id, sequence, outcome FROM old_results;
            DROP TABLE old_results;
            """,
            """
            -- Entries that stand in files beside this one; rows may point to them.
            CREATE TABLE segments (
                number INTEGER NOT NULL PRIMARY KEY,
                first INTEGER NOT NULL,
                last INTEGER NOT NULL,
                head_hash BLOB NOT NULL,
                folded INTEGER NOT NULL,
                bytes INTEGER NOT NULL,
                sha256 BLOB NOT NULL,
                signature BLOB NOT NULL
            ) STRICT;
            ALTER TABLE outbox ADD COLUMN time INTEGER NOT NULL DEFAULT 0;
            UPDATE outbox SET time = (SELECT time FROM audit WHERE sequence = outbox.sequence);
            """,
            """
            -- When a connection is over by itself.
            ALTER TABLE sessions ADD COLUMN expires INTEGER;
            """,
            """
            -- What is this machine's own; all other tables but checkpoints may be shared.
            CREATE TABLE local (
                name TEXT NOT NULL PRIMARY KEY,
                value BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            INSERT INTO local SELECT name, CAST(value AS BLOB) FROM meta WHERE name = 'vault';
            DELETE FROM meta WHERE name = 'vault';
            -- Who shares this ledger: by whose key batches of the shared log are signed.
            CREATE TABLE hubs (
                number INTEGER NOT NULL PRIMARY KEY,
                name TEXT NOT NULL,
                public_key BLOB NOT NULL,
                joined INTEGER NOT NULL,
                retired INTEGER
            ) STRICT;
            -- From which entry on another hub has written.
            CREATE TABLE writers (
                first_sequence INTEGER NOT NULL PRIMARY KEY,
                hub INTEGER NOT NULL
            ) STRICT;
            -- Changes are only told of rows that have a key.
            ALTER TABLE questions RENAME TO old_questions;
            CREATE TABLE questions (
                number INTEGER NOT NULL PRIMARY KEY,
                about BLOB NOT NULL,
                time INTEGER NOT NULL
            ) STRICT;
            INSERT INTO questions (about, time) SELECT about, time FROM old_questions;
            DROP TABLE old_questions;
            CREATE INDEX questions_by_subject ON questions (about, time);
            """,
            """
            -- The policy in force, for other hubs that keep this record.
            CREATE TABLE policy_text (
                id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                sequence INTEGER NOT NULL,
                source BLOB NOT NULL
            ) STRICT;
            """,
            """
            -- Hashes of a shared log as it was seen here, to be held against what other hubs saw.
            CREATE TABLE log_places (
                sequence INTEGER NOT NULL PRIMARY KEY,
                hash BLOB NOT NULL
            ) STRICT;
            -- What each of them said of it.
            CREATE TABLE hub_statements (
                hub INTEGER NOT NULL PRIMARY KEY,
                sequence INTEGER NOT NULL,
                hash BLOB NOT NULL,
                time INTEGER NOT NULL
            ) STRICT;
            -- What several people are asked; the intent that their yes was used for, if any.
            CREATE TABLE joint_questions (
                digest BLOB NOT NULL PRIMARY KEY,
                body TEXT NOT NULL,
                expires INTEGER NOT NULL,
                intent_id BLOB
            ) STRICT, WITHOUT ROWID;
            -- What each of them said, once.
            CREATE TABLE joint_answers (
                digest BLOB NOT NULL,
                public_key BLOB NOT NULL,
                yes INTEGER NOT NULL,
                signature BLOB NOT NULL,
                PRIMARY KEY (digest, public_key)
            ) STRICT, WITHOUT ROWID;
            -- Keys of approvers that count for nothing any more.
            CREATE TABLE retired_approvers (
                public_key BLOB NOT NULL PRIMARY KEY,
                time INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            -- One tree instead of two for each request to write to: whoever gives a token back
            -- finds it in the intent's entry. What intents that were archived left stays.
            ALTER TABLE replay_tokens RENAME TO old_replay_tokens;
            CREATE TABLE replay_tokens (
                intent_id BLOB NOT NULL,
                hash BLOB NOT NULL,
                PRIMARY KEY (hash, intent_id)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO replay_tokens SELECT intent_id, hash FROM old_replay_tokens;
            DROP TABLE old_replay_tokens;
            """,
            """
            -- Hubs of people who approve answer questions, and write nothing else. From here on
            -- a key of an approver is retired by an entry.
            ALTER TABLE hubs ADD COLUMN answers_only INTEGER NOT NULL DEFAULT 0;
            """,
            openIntents,
            """
            -- Bytes that entries name by their SHA-256.
            CREATE TABLE blobs (
                sha256 BLOB NOT NULL PRIMARY KEY,
                bytes BLOB NOT NULL
            ) STRICT;
            -- The texts of policies, by the entries that put them in force.
            CREATE TABLE policies (
                sequence INTEGER NOT NULL PRIMARY KEY,
                sha256 BLOB NOT NULL
            ) STRICT;
            """,
            """
            -- From here on entries state notes, drawn numbers, questions to several people, and
            -- all of connections and of items for networks.
            """,
            """
            -- From here on a segment has the SHA-256 of the file with all that the entries up to
            -- its end lead to.
            """,
        ],
        conversions: [
            8: Schema.addTotals, 16: Schema.carryPolicyText, 17: Schema.carryRows,
            18: Schema.addState,
        ],
        remade: RemadeTables(version: DerivedTable.version, make: Schema.makeDerivedTables))
}
