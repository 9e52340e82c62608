// SPDX-License-Identifier: Apache-2.0

import Algorand
import BuiltInProtocols
import SigningCore
import SigningCrypto
import SigningService
import SigningVault
import TestHome
import Testing

@Suite("The built-in protocols of a home")
final class BuiltInWiresTests {
    private let folder = TemporaryFolder()
    private let passphrase = SecretBytes(copying: "correct horse".utf8.span)

    @Test("a new home has a provider id of its own, which later openings keep")
    func provider() throws {
        try OpenHome.create(at: folder.path, speaking: .builtIn, passphrase: passphrase)
        let id = try ProviderID.of(OpenHome(at: folder.path, speaking: .builtIn))
        #expect(id.utf8.count == 36)
        #expect(try ProviderID.of(OpenHome(at: folder.path, speaking: .builtIn)) == id)
        #expect(ProviderID.make() != id)
    }

    @Test("files about Algorand apps are settings of the vault; an unreadable one explains nothing")
    func abiFiles() throws {
        try OpenHome.create(at: folder.path, speaking: .builtIn, passphrase: passphrase)
        let home = try OpenHome(at: folder.path, speaking: .builtIn)
        let file = #"{"name":"Dex","methods":[{"name":"m","args":[],"returns":{"type":"void"}}]}"#
        var contract = try ABIContract(Array(file.utf8))
        contract.setApp(7, on: .testnet)
        try home.change(with: passphrase) { vault in
            try vault.setSetting(AlgorandABIs.setting("dex"), to: contract.text)
            try vault.setSetting(AlgorandABIs.setting("old"), to: "{}")
        }
        let again = try OpenHome(at: folder.path, speaking: .builtIn)
        #expect(try AlgorandABIs.files(in: again.vault).contracts == ["dex": contract])
        #expect(try AlgorandABIs.names(in: again.vault) == ["dex", "old"])
        for name in ["", "a b", "a/b", "\u{e4}", String(repeating: "a", count: 49)] {
            #expect(!AlgorandABIs.isName(name))
        }
    }

    @Test("the vault closes with its home")
    func closes() throws {
        try OpenHome.create(at: folder.path, speaking: .builtIn, passphrase: passphrase)
        weak var vault: Vault?
        do {
            let home = try OpenHome(at: folder.path, speaking: .builtIn)
            vault = home.vault
            #expect(try !home.inForce().adapters.adapters.isEmpty)
        }
        #expect(vault == nil)
    }

    @Test("what a program can do reaches the wires")
    func program() throws {
        func adapter(_ wires: BuiltInWires) throws -> any TakesEnclosures {
            let set = ProtocolSupport.builtIn.with(wires).adapters
            return try #require(set.adapter(named: "nip155") as? any TakesEnclosures)
        }
        #expect(try adapter(BuiltInWires()).enclosureBytesMax == 0)
        #expect(try adapter(BuiltInWires(takesDropBoxes: true)).enclosureBytesMax > 0)
    }

    @Test("settings of clients that cannot be read are an error, not a default")
    func unreadable() {
        for name in [NostrClients.setting, AlgorandClients.setting] {
            #expect(throws: ServiceError.self) {
                try BuiltInWires().adapters(under: HomeSettings([name: "{"]))
            }
        }
    }
}
