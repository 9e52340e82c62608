// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import SigningCore
package import SigningCrypto
package import SigningStorage

/// The name of a folder that goes away with this; nothing is made there yet.
package final class TemporaryFolder: Sendable {
    package let path =
        FileManager.default.temporaryDirectory.path + "/countersign-test-\(UUID().uuidString)"

    package init() {}

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A home in a temporary folder that is deleted with it; the folder is still empty.
package final class TemporaryHome: Sendable {
    package let home: Home
    private let folder: TemporaryFolder

    package init(in folder: TemporaryFolder = TemporaryFolder()) throws {
        self.folder = folder
        home = try Home.create(at: folder.path)
    }

    package func makeVault(
        _ domains: DomainRegistry, passphrase: String = "pass"
    ) throws -> Vault {
        try .made(in: home, domains, passphrase: passphrase)
    }

    package func makeLedger() throws -> SQLiteLedger { try .made(in: home) }
}

extension Vault {
    /// Makes the vault of a home, at the least cost where no other is named, and unlocks it.
    package static func made(
        in home: Home, _ domains: DomainRegistry, passphrase: String,
        parameters: Argon2Parameters = .floor
    ) throws -> Vault {
        let passphrase = SecretBytes(copying: passphrase.utf8.span)
        try create(in: home, passphrase: passphrase, parameters: parameters)
        let vault = try open(home, domains: domains)
        try vault.unlock(passphrase: passphrase)
        return vault
    }
}

extension SQLiteLedger {
    /// Makes the ledger of a home, and opens it.
    package static func made(in home: Home) throws -> SQLiteLedger {
        try create(in: home)
        return try open(home)
    }
}
