// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27
@testable import Algorand

/// A signature is over the transaction alone: who else must sign, only the network knows.
@Suite("An authority that only the client names") struct ClaimedAuthorityTests {
    private typealias Parties = DecisionTests.Parties

    private func account(_ multisig: JSON) throws -> (key: [UInt8], address: JSON) {
        let key = try Multisig(multisig).publicKey()
        let text = AlgorandAddress.text(publicKey: key.span)
        return (key, .string(text))
    }

    private func decode(_ item: JSON, _ provider: TestProvider? = nil) throws -> ARC27Request {
        let p = try Parties()
        let usual = try TestProvider(seeds: p.seeds)
        return try (provider ?? usual).decode(Wire.signing([item]))
    }

    private func names(_ request: ARC27Request) -> [String] {
        request.operations.flatMap(\.facts).map(\.name).filter { $0.hasPrefix("multisig.") }
    }

    @Test("no rule learns of members of an account that only the client brings in")
    func facts() throws {
        let p = try Parties()
        let multisig = p.multisig(2, p.a, p.c)
        let (key, address) = try account(multisig)
        let own = try decode(p.item(from: key, ["msig": multisig]))
        #expect(names(own) == ["multisig.threshold", "multisig.signatures"])
        // A's signature as a member is the one that moves A's own account.
        let rekeyed = try decode(
            p.item(from: p.keyA, ["msig": multisig, "authAddr": address]))
        #expect(names(rekeyed).isEmpty)
        #expect(rekeyed.operations.map(\.dangers) == [[.partialMultisig]])
        #expect(rekeyed.summary.warnings.contains { $0.hasPrefix("only the client says") })
        #expect(!own.summary.warnings.contains { $0.hasPrefix("only the client says") })
    }

    @Test("a member's signature for an account kept here is a part, whoever is named for it")
    func parts() throws {
        let p = try Parties()
        let (key, address) = try account(p.multisig(2, p.a, p.c))
        // The client does not see the account itself, and its key is a member all the same.
        var provider = try TestProvider(
            seeds: p.seeds, clients: ["dapp": ARC27ClientSettings(accounts: ["a", "key 1"])])
        provider.client = "dapp"
        provider.accounts.append(
            Account(
                id: KeyID("watched"), name: "treasury", protocolID: ProtocolID("algorand"),
                algorithm: .multisig, publicKey: key, address: address.text ?? "", network: nil,
                multisig: MultisigMembers(version: 1, threshold: 2, keys: [p.keyA, p.keyC])))
        let single = p.multisig(1, p.a)
        let rows: [(JSON, [Danger])] = [
            (p.item(from: key, ["authAddr": p.a]), [.partialMultisig]),
            (
                p.item(from: key, ["authAddr": try account(single).address, "msig": single]),
                [.partialMultisig]
            ),
            // B is no member: its signature says nothing for these.
            (p.item(from: key, ["authAddr": p.b]), []),
            (p.item(from: p.keyA), []),
        ]
        for (item, dangers) in rows {
            #expect(try decode(item, provider).operations.map(\.dangers) == [dangers])
        }
    }
}
