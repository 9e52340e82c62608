// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import Foundation
import SigningCore
import SigningCrypto
import SigningPolicy
import SigningStorage

/// A real home on disk with one key per protocol, thrown away at the end.
final class RealHome {
    let home: Home
    let vault: Vault
    let ledger: SQLiteLedger

    init() throws {
        let path = FileManager.default.temporaryDirectory.path + "/home-\(UUID().uuidString)"
        home = try Home.create(at: path)
        let passphrase = SecretBytes.random(count: 32)
        try Vault.create(in: home, passphrase: passphrase, parameters: .floor)
        try SQLiteLedger.create(in: home)
        vault = try Vault.open(home, domains: DomainRegistry(Samples.adapters.domains))
        ledger = try SQLiteLedger.open(home)
        try vault.unlock(passphrase: passphrase)
        for name in Samples.names {
            let account = try Samples.account(name)
            try vault.add(
                name: account.name, protocolID: account.protocolID, algorithm: account.algorithm,
                address: account.address, network: nil,
                secret: Samples.secret(account.protocolID.name))
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: home.path) }

    /// A hub whose policy is this TOML text.
    func hub(
        _ policy: String, fallback: String = "deny", approval: any Approval = NoApproval(),
        environment: any HubEnvironment = SystemEnvironment()
    ) throws -> SigningHub {
        let text = Array("version = 1\ndefault = \"\(fallback)\"\n\(policy)".utf8)
        let loaded = try TOMLPolicy.load(
            text.span, fileName: "policy.toml", schemas: Samples.adapters.schemas,
            at: SystemEnvironment().now(), sha256: { Digest.sha256($0) })
        return SigningHub(
            policy: loaded, keyStore: vault, ledger: ledger, approval: approval,
            environment: environment)
    }

    static func frame(_ bytes: [UInt8]) -> Frame {
        Frame(
            bytes: bytes,
            peer: Peer(door: "test", claim: "tester"))
    }
}
