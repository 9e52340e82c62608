// SPDX-License-Identifier: Apache-2.0

package import SigningFiles

extension Schema {
    /// The format of the file with sealed keys and small public settings.
    package static let vault = Schema(
        file: "vault.db",
        applicationID: 0x4353_7674,  // "CSvt"
        migrations: [
            """
            CREATE TABLE vault_key (
                id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                salt BLOB NOT NULL,
                memory_kib INTEGER NOT NULL,
                passes INTEGER NOT NULL,
                sealed BLOB NOT NULL,
                checksum BLOB NOT NULL
            ) STRICT;
            CREATE TABLE log_key (
                id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                public_key BLOB NOT NULL,
                sealed BLOB NOT NULL
            ) STRICT;
            CREATE TABLE keys (
                id TEXT NOT NULL PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                protocol TEXT NOT NULL,
                algorithm TEXT NOT NULL,
                public_key BLOB NOT NULL,
                address TEXT NOT NULL,
                network TEXT,
                sealed BLOB NOT NULL,
                UNIQUE (algorithm, public_key)
            ) STRICT;
            CREATE TABLE settings (
                name TEXT NOT NULL PRIMARY KEY,
                value TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE last_checkpoint (
                id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                sequence INTEGER NOT NULL,
                head_hash BLOB NOT NULL,
                time INTEGER NOT NULL,
                signature BLOB NOT NULL
            ) STRICT;
            CREATE TABLE account_list (
                id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                seal BLOB NOT NULL
            ) STRICT;
            """,
            """
            ALTER TABLE keys ADD COLUMN tags TEXT NOT NULL DEFAULT '';
            -- The policy in force, as its owner attested it.
            CREATE TABLE policy (
                id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                source BLOB NOT NULL,
                hash BLOB NOT NULL,
                time INTEGER NOT NULL,
                seal BLOB NOT NULL
            ) STRICT;
            """,
            """
            -- The words that keys were made from, for those that were.
            CREATE TABLE phrases (
                key_id TEXT NOT NULL PRIMARY KEY,
                sealed BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            """,
            """
            -- One key may serve several accounts: a public key is no longer unique.
            CREATE TABLE shared_keys (
                id TEXT NOT NULL PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                protocol TEXT NOT NULL,
                algorithm TEXT NOT NULL,
                public_key BLOB NOT NULL,
                address TEXT NOT NULL,
                network TEXT,
                sealed BLOB NOT NULL,
                tags TEXT NOT NULL DEFAULT ''
            ) STRICT;
            INSERT INTO shared_keys
                SELECT id, name, protocol, algorithm, public_key, address, network, sealed, tags
                FROM keys;
            DROP TABLE keys;
            ALTER TABLE shared_keys RENAME TO keys;
            CREATE INDEX keys_by_public_key ON keys (algorithm, public_key);
            """,
            """
            -- The members of an account without a key, for which nothing is sealed.
            ALTER TABLE keys ADD COLUMN members BLOB;
            """,
            """
            -- What the vault says in the open, sealed as one.
            CREATE TABLE state (
                id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                generation INTEGER NOT NULL,
                digests TEXT NOT NULL,
                seal BLOB NOT NULL
            ) STRICT;
            -- Remembered answers that were taken back, up to the last checkpoint.
            CREATE TABLE revoked (
                id BLOB NOT NULL PRIMARY KEY
            ) STRICT, WITHOUT ROWID;
            -- Records that a repair took out of the list, because nothing vouched for them.
            CREATE TABLE set_aside (
                id TEXT NOT NULL,
                name TEXT NOT NULL,
                protocol TEXT NOT NULL,
                algorithm TEXT NOT NULL,
                public_key BLOB NOT NULL,
                address TEXT NOT NULL,
                network TEXT,
                sealed BLOB NOT NULL,
                tags TEXT NOT NULL,
                members BLOB
            ) STRICT;
            -- The entry of the audit chain that put the policy in force.
            ALTER TABLE policy ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE policy ADD COLUMN entry_hash BLOB NOT NULL DEFAULT x'';
            """,
            """
            -- When an answer that was taken back was given; beside no id, until when all count
            -- as taken back.
            ALTER TABLE revoked ADD COLUMN created INTEGER;
            """,
            """
            -- The keys by which transports are known to their peers, one for each connection.
            CREATE TABLE transport_keys (
                transport TEXT NOT NULL,
                public_key BLOB NOT NULL PRIMARY KEY,
                body BLOB NOT NULL,
                sealed BLOB NOT NULL
            ) STRICT;
            """,
            """
            -- Keys by which accounts are known to hosts (WebAuthn), one for each of both.
            CREATE TABLE passkeys (
                credential BLOB NOT NULL PRIMARY KEY,
                public_key BLOB NOT NULL,
                host TEXT NOT NULL,
                protocol TEXT NOT NULL,
                address TEXT NOT NULL,
                name TEXT NOT NULL UNIQUE,
                created INTEGER NOT NULL,
                sealed BLOB NOT NULL,
                UNIQUE (host, protocol, address)
            ) STRICT;
            """,
            """
            -- A new passkey stands beside the one before it until its host knows it.
            CREATE TABLE new_passkeys (
                credential BLOB NOT NULL PRIMARY KEY,
                public_key BLOB NOT NULL,
                host TEXT NOT NULL,
                protocol TEXT NOT NULL,
                address TEXT NOT NULL,
                name TEXT NOT NULL UNIQUE,
                created INTEGER NOT NULL,
                sealed BLOB NOT NULL
            ) STRICT;
            INSERT INTO new_passkeys
                SELECT credential, public_key, host, protocol, address, name, created, sealed
                FROM passkeys ORDER BY rowid;
            DROP TABLE passkeys;
            ALTER TABLE new_passkeys RENAME TO passkeys;
            """,
        ])
}
