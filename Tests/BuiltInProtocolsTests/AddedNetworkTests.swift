// SPDX-License-Identifier: Apache-2.0

import Algorand
import NEAR
import SigningCore
import SigningCrypto
import SigningService
import SigningVault
import TestHome
import Testing

@testable import BuiltInProtocols

@Suite("Added networks")
final class AddedNetworkTests {
    private let folder = TemporaryFolder()
    private let passphrase = SecretBytes(copying: "correct horse".utf8.span)
    private static let hash = [UInt8](repeating: 7, count: 32)
    private static let url = "http://127.0.0.1:4001"

    private static func algorand(
        _ name: String = "localnet", _ hash: [UInt8] = hash, id: String = "dockernet-v1",
        url: String = url
    ) throws(ServiceError) -> AddedNetwork {
        try AddedNetwork(name: name, .algorand(id: id, hash: hash), url: url, token: "sesame")
    }

    private static func near(
        _ name: String = "sandbox", _ hash: [UInt8] = hash, id: String = "localnet"
    ) throws(ServiceError) -> AddedNetwork {
        try AddedNetwork(name: name, .near(NEARGenesis(chainID: id, hash: hash)), url: url)
    }

    private static func settings(_ networks: AddedNetwork...) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: networks.map {
                (AddedNetwork.setting($0.name), $0.settingText)
            })
    }

    @Test(
        "no name can be taken for another network or for a genesis id",
        arguments: [
            "", "x", "mainnet", "testnet", "mainnet2", "test-net", "Localnet", "-net", "net-",
            "2net", "a b", "a_b", "a.b", "fnet-v1", "n\u{E9}t", String(repeating: "n", count: 33),
        ])
    func names(name: String) {
        #expect(throws: ServiceError.self) { try Self.algorand(name) }
    }

    @Test("a network is read from its setting as it was stored")
    func stored() throws {
        let all = [try Self.algorand(), try Self.near()]
        let read = AddedNetworks(Self.settings(all[0], all[1]))
        #expect(read.list == all)
        #expect(read.unreadable.isEmpty)
        #expect(read.algorand.map(\.policyName) == ["localnet"])
        #expect(read.near == ["sandbox"])
        #expect(throws: ServiceError.self) { try Self.algorand(url: "http://a\tb") }
    }

    @Test(
        "a setting that cannot be read is no network, but keeps its name",
        arguments: [
            "", "algorand", "algorand\tid\tAAAA\turl\t", "near\tid\t11\turl\t",
            "nostr\tid\t\turl\t", "algorand\tid\t" + String(repeating: "A", count: 43) + "=\turl",
        ])
    func unreadable(text: String) {
        let read = AddedNetworks(["network.localnet": text, "network.mainnet": "", "other": ""])
        #expect(read.list.isEmpty)
        #expect(read.unreadable == ["localnet", "mainnet"])
        #expect(throws: ServiceError.self) { try read.checkName("localnet") }
    }

    @Test("one genesis has one name, and built-in networks have none but their own")
    func room() throws {
        let added = AddedNetworks(Self.settings(try Self.algorand(), try Self.near()))
        let other = [UInt8](repeating: 8, count: 32)
        try added.checkRoom(for: Self.algorand("othernet", other))
        try added.checkRoom(for: Self.near("othernet", other))
        for refused in [
            try Self.algorand("localnet", other), try Self.near("localnet", other),
            try Self.algorand("othernet"), try Self.algorand("othernet", id: "x-v1"),
            try Self.near("othernet", id: "another"),
            try Self.algorand("othernet", AlgorandNetwork.mainnet.genesisHash),
            try Self.algorand("othernet", AlgorandNetwork.testnet.genesisHash, id: "x-v1"),
            try Self.near("othernet", other, id: "mainnet"),
        ] {
            #expect(throws: ServiceError.self) { try added.checkRoom(for: refused) }
        }
        let many = (0..<AddedNetworks.countMax).map { ("network.n\($0)x", "") }
        let full = AddedNetworks(Dictionary(uniqueKeysWithValues: many))
        #expect(throws: ServiceError.self) { try full.checkName("onemore") }
    }

    @Test("a policy that names a network stays in force without the network")
    func policy() throws {
        try OpenHome.create(at: folder.path, speaking: .builtIn, passphrase: passphrase)
        func home() throws -> OpenHome { try OpenHome(at: folder.path, speaking: .builtIn) }
        let before = try home().inForce().policy.hash
        try home().change(with: passphrase) { vault in try vault.add(Self.algorand()) }
        #expect(try AddedNetworks(in: home().vault).list == [Self.algorand()])
        #expect(try home().inForce().policy.hash == before)
        try home().change(with: passphrase) { vault in
            try vault.removeNetwork(named: "localnet")
        }
        #expect(try AddedNetworks(in: home().vault).list.isEmpty)
    }
}
