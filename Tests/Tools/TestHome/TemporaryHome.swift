// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import SigningCore
package import SigningCrypto
package import SigningFiles
package import SigningStorage
package import SigningVault
package import Synchronization

/// The name of a temporary folder, which is deleted with this object; the folder is not created.
package final class TemporaryFolder: Sendable {
    package let path =
        FileManager.default.temporaryDirectory.path + "/countersign-test-\(UUID().uuidString)"

    package init() {}

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A home in a temporary folder that is deleted with this object; it is empty at first.
package final class TemporaryHome: Sendable {
    package let home: Home
    private let folder: TemporaryFolder

    package init(in folder: TemporaryFolder = TemporaryFolder()) throws {
        self.folder = folder
        home = try Home.create(at: folder.path)
    }

    /// Called with the home of each test before it is removed.
    package static let atEnd = Mutex<@Sendable (Home) -> Void>({ _ in })

    deinit { Self.atEnd.withLock { $0 }(home) }

    package func makeVault(
        _ domains: DomainRegistry = TestDomains.registry, passphrase: String = "pass"
    ) throws -> Vault {
        try .made(in: home, domains, passphrase: passphrase)
    }

    /// Opens the vault again and unlocks it.
    package func openVault(_ passphrase: String = "pass") throws -> Vault {
        let vault = try Vault.open(home, domains: TestDomains.registry)
        try vault.unlock(passphrase: secret(passphrase))
        return vault
    }

    /// Changes the vault as a person with a database editor would.
    package func editVault(_ statement: String, _ value: SQLiteValue? = nil) throws {
        let database = try Database<VaultError>(path: home.vaultPath, schema: .vault, .asFound)
        try database.write { access throws(VaultError) in
            if let value { try access.run(statement, value) } else { try access.run(statement) }
        }
    }

    package func makeLedger() throws -> SQLiteLedger { try .made(in: home) }
}

extension Vault {
    /// Creates and unlocks the vault of a home, at the lowest cost of the passphrase hash by
    /// default.
    package static func made(
        in home: Home, _ domains: DomainRegistry, passphrase: String,
        parameters: Argon2Parameters = .floor
    ) throws -> Vault {
        let passphrase = secret(passphrase)
        try create(in: home, passphrase: passphrase, parameters: parameters)
        let vault = try open(home, domains: domains)
        try vault.unlock(passphrase: passphrase)
        return vault
    }
}

extension SQLiteLedger {
    /// Creates and opens the ledger of a home.
    package static func made(in home: Home) throws -> SQLiteLedger {
        try create(in: home)
        return try open(home)
    }
}
