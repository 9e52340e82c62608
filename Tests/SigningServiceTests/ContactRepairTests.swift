// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningCore
import SigningCrypto
import SigningService
import SigningStorage
import SigningVault
import TestHome
import Testing

@Suite("A repair of the vault, and contacts")
struct ContactRepairTests {
    @Test("contacts whose seal is broken are removed, and named with all their parts")
    func named() throws {
        let passphrase = SecretBytes(copying: "correct horse".utf8.span)
        let folder = TemporaryFolder()
        let made = try TemporaryHome(in: folder)
        try made.makeVault(DomainRegistry([]), passphrase: "correct horse")
            .setSetting(ProviderID.setting, to: ProviderID.make())
        _ = try made.makeLedger()
        let contact = try Contact(
            name: "Acme", address: try ContactAddress("acme.near"), note: "the bakery")
        try OpenHome(at: folder.path, speaking: .builtIn).change(with: passphrase) { vault in
            try vault.add([contact])
        }
        try made.editVault(
            "UPDATE settings SET value = 'x' WHERE name = '\(ProviderID.setting)'")
        let home = try OpenHome(at: folder.path, speaking: .builtIn)
        try home.vault.unlockDespiteDamage(passphrase: passphrase)
        let repair = try HomeRepair(vault: home.vault, ledger: home.openLedger())
            .repairVault(at: Timestamp(seconds: 1_900_000_000))
        #expect(repair.damaged == ["settings"])
        #expect(Contacts.found(in: repair.lostSettings) == [contact])
        #expect(try Contacts(in: home.vault).list.isEmpty)
    }
}
