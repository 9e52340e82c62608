// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningFiles
import TestHome
import Testing

@testable import SigningVault

@Suite("The tables of the vault")
struct VaultSchemaTests {
    @Test("Released migrations are never edited")
    func migrationChecksums() {
        let found = Schema.vault.migrations.map { script in
            Digest.sha256(script.utf8.span).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                .joined()
        }
        #expect(
            found == [
                "5bed85e3363e3e1729b23e7edcfb2f302e94dc97345f9990385bf6d5a6ae688e",
                "339f1f0de122af585517353b1e47976ad8f87a4bc711a849c35df05e79fe932b",
                "00c1e7c839903c0a711cb3f9fcf2e2c87a2d6bb0c7f5dc1be2d7bad7c4e45e11",
                "40adb7537dd35b33450ea0c91d89a1571def1ee88773c13c72d53a98b4576ddb",
                "3e77880f9b28424a3e7725d0e2796a67f06793a681831ba680fdb92810dca3c1",
                "28671527e5fd34e9bae8b0a2452fa47838330d7b2717d2f9c4acd1f917e880d1",
                "0f9b5eba85e7d2eb257a09689196f7687327028ebe97424d987baf211afb303a",
                "7e83d642448801b2fe8e101592affc8f6915392af90995df8c65b0e916136699",
                "9b8a3caf29fb20e83d19bbef5cf0dd80a7680b382656ecdabcc8e16f412582dd",
                "1bd63ef4345c9a76b06a8fa35fbe76722a468671f9b04f05c819878d937d036f",
            ])
    }

    @Test("Keys of an older vault stay as they are, and may be shared from then on")
    func sharedKeys() throws {
        let temporary = try TemporaryHome()
        let home = temporary.home
        try home.makeFile(home.vaultPath)
        let old = Schema(
            file: Schema.vault.file, applicationID: Schema.vault.applicationID,
            migrations: Array(Schema.vault.migrations.prefix(3)))
        func insert(_ id: String, in database: Database<VaultError>) throws(VaultError) {
            try database.write { access throws(VaultError) in
                try access.run(
                    """
                    INSERT INTO keys (id, name, protocol, algorithm, public_key, address, sealed,
                        tags) VALUES (?, ?, 'near', 'ed25519', x'01', 'a.near', x'02', 'one two')
                    """, .text(id), .text("name-" + id))
            }
        }
        do {
            let database = try Database<VaultError>(path: home.vaultPath, schema: old, .new)
            try insert("a", in: database)
            #expect(throws: VaultError.self) { try insert("b", in: database) }
        }
        let database = try Database<VaultError>(
            path: home.vaultPath, schema: .vault, .upgrading)
        try insert("b", in: database)
        let list = try database.read { access throws(VaultError) in try AccountList(in: access) }
        #expect(list.accounts.map(\.name) == ["name-a", "name-b"])
        let first = try #require(list.accounts.first)
        #expect(first.publicKey == [1] && first.address == "a.near" && first.network == nil)
        #expect(first.tags == ["one", "two"] && first.protocolID == near)
    }
}
