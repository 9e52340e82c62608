// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite struct DatabaseTests {
    let temporary: TemporaryHome

    init() throws {
        temporary = try TemporaryHome()
        try SQLiteLedger.create(in: temporary.home)
    }

    @Test("Released migrations are never edited")
    func migrationChecksums() {
        let found = Schema.ledger.migrations.map { script in
            Digest.sha256(script.utf8.span).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                .joined()
        }
        #expect(
            found == [
                "6f7bda53f325c9c779089a80d497715a1fa65490e26a4cc5d68e0c0ea77f87ed",
                "e9700105d3429560a7cdbcc3a8dcce807fa1120311c9d68d7266f693215059b3",
                "8f8aa3dc2bd198344bacdfdc6508a76c28131ad2dff0bc2cb3989757c7af0b57",
                "f254cb58fa0aa6ea9776ccfc65db934ce7229ffcc10ba1229e521579ce41ca15",
                "fe831113f645600a4553b20a2d77661d50bf47ae76717bd600558e6d873bd849",
                "34550a9e5336a41123b010ee3dd46367b7cb121ed0b317478c0f5af43c0f7cff",
                "01da3e60a14d96861d9f9f6229be6d98ed58823c2171c707f72da6f53ee37b16",
                "14c10900ad1ac305a2ba2723c0e7d75cea940bfcbfc7164ee4498cf40613ef5c",
                "cb33c5acda152a1336e9f5500f3a9adb741615ae3780d8f2e8aec821cbef68d7",
                "9e8a8c46648e9f011fcea4f52f4313192f0934cabf2988b92ab97d0886327856",
                "f300d12b21072ad3844209f395aa33ebbdc48121a5d76bbbf3f17b2837690d91",
                "889a68bbb046d70d10fb1901532ac9a2ec3fc27fc13aac62d7b22d84cb38d96d",
                "2cb5dc56a266c30dd921d05e217b284fd819d9954024758a625d06cc8ff6a6cc",
                "2bebf1d5631ffbc823fae31b37afdc6aca71b33ed63772eab6e9f54228c809b8",
                "5d2a303ac70a428f8d9ebcdf73a93a2b07307e1eb36ad4d16c89740ff593236b",
                "e7684d0cf37366bede75960ece02e342fab0f19e554aa0bb384ab381b306125a",
                "afe2d7f8eb323054fd095f9e93c1d2db69f6db6c1c5f81e3216b03206c7fb12d",
                "50ebcbf50605de4b4962b83d39b74fd551f94fdc96038eadc7c19e55dca63ffd",
            ])
    }

    @Test("A freeze waits longer for a busy ledger than any other change")
    func patience() throws {
        let ledger = try SQLiteLedger.openPatiently(temporary.home)
        let timeout = try ledger.database.read { access throws(LedgerError) in
            try access.first("PRAGMA busy_timeout") { row throws(LedgerError) in
                try row.integer(0)
            }
        }
        #expect(timeout == 30_000)
    }

    @Test("Triggers that were planted in a file do not run")
    func plantedTrigger() throws {
        try temporary.editLedger(
            """
            CREATE TRIGGER refill AFTER INSERT ON uses BEGIN DELETE FROM uses; END
            """)
        let ledger = try SQLiteLedger.open(temporary.home)
        try ledger.reserve(makeIntent(claims: [.count()]))
        #expect(try ledger.used(.count(), at: 1_000) == 1)
    }

    @Test("A newer format and a file of another kind are refused")
    func otherFormats() throws {
        try temporary.editLedger("PRAGMA user_version = 19")
        #expect(
            throws: LedgerError.unavailable(
                "ledger.db has format 19, this version knows formats up to 18: "
                    + "install the newer version")
        ) { try SQLiteLedger.open(temporary.home) }
        let home = try TemporaryHome()
        try Vault.create(in: home.home, passphrase: secret("pass"), parameters: .floor)
        #expect(throws: LedgerError.corrupt("ledger.db is not a file of this kind")) {
            try Database<LedgerError>(path: home.home.vaultPath, schema: .ledger, .existing)
        }
    }

    @Test("All files of both databases are the owner's alone, under any umask")
    func databaseModes() throws {
        let vault = try temporary.makeVault()
        let ledger = try temporary.makeLedger()
        try ledger.record(makeRefusal())
        try vault.setSetting("a", to: "b")
        for file in [temporary.home.vaultPath, temporary.home.ledgerPath] {
            for suffix in ["", "-wal", "-shm"] {
                #expect(try Home.status(of: file + suffix)?.mode == 0o600)
            }
        }
        _ = try Home.open(at: temporary.home.path)
    }
}
