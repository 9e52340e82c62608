// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCore
import SigningCrypto
import SigningFiles
import SigningPolicy
import SigningVault
import TestHome

extension TestHome {
    /// A home with one key per protocol.
    static func ofSamples() throws -> TestHome {
        let home = try TestHome(Samples.adapters.domains)
        for account in Set(try Samples.names.map(Samples.account)) {
            try home.vault.add(
                name: account.name, protocolID: account.protocolID, algorithm: account.algorithm,
                address: account.address, network: nil,
                secret: Samples.secret(account.protocolID.name))
        }
        return home
    }

    /// A hub whose policy is this TOML text.
    func hub(
        _ policy: String, version: Int = 1, fallback: String = "deny",
        approval: any Approval = NoApproval(),
        environment: any HubEnvironment = SystemEnvironment()
    ) throws -> SigningHub {
        let text = Array("version = \(version)\ndefault = \"\(fallback)\"\n\(policy)".utf8)
        let loaded = try TOMLPolicy.load(
            text.span, fileName: "policy.toml", schemas: Samples.adapters.schemas,
            at: SystemEnvironment().now(), sha256: { Digest.sha256($0) })
        return hub(loaded, approval: approval, environment: environment)
    }
}

extension Frame {
    /// A frame of the client of these tests.
    static func sent(_ bytes: [UInt8]) -> Frame { Frame(bytes, from: "tester") }
}
