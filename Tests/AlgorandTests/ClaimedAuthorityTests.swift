// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

/// A signature covers only the transaction; only the network knows the other signers it needs.
@Suite("An authority that only the client names") struct ClaimedAuthorityTests {
    private func account(_ multisig: JSON) throws -> (key: [UInt8], address: JSON) {
        let key = try Multisig(multisig).publicKey()
        let text = AlgorandAddress.text(publicKey: key.span)
        return (key, .string(text))
    }

    private func judged(_ item: JSON, kept: Account...) throws -> SigningItem {
        let accounts = try SampleKeys.accounts(Parties().seeds)
        let keys = KeyRing(accounts: accounts, keptAccounts: accounts + kept)
        return try #require(try SigningItem.all([item], with: keys).first)
    }

    private func names(_ item: SigningItem) -> [String] {
        item.operations().flatMap(\.facts).map(\.name).filter { $0.hasPrefix("multisig.") }
    }

    @Test("no rule learns of members of an account that only the client brings in")
    func facts() throws {
        let p = try Parties()
        let multisig = p.multisig(2, p.a, p.c)
        let (key, address) = try account(multisig)
        let own = try judged(p.item(from: key, ["msig": multisig]))
        #expect(names(own) == ["multisig.threshold", "multisig.signatures"])
        // As a member, A signs for the multisignature; the signature also moves A's own account.
        let rekeyed = try judged(
            p.item(from: p.keyA, ["msig": multisig, "authAddr": address]))
        #expect(names(rekeyed).isEmpty)
        #expect(rekeyed.operations().map(\.dangers) == [[.partialMultisig]])
        #expect(rekeyed.warnings.contains { $0.hasPrefix("only the client says") })
        #expect(!own.warnings.contains { $0.hasPrefix("only the client says") })
    }

    @Test(
        "a member's signature for an account kept here is a part, also beside a named key"
    )
    func parts() throws {
        let p = try Parties()
        let (key, address) = try account(p.multisig(2, p.a, p.c))
        // The client has no connection to the account, but its key is a member.
        let watched = Account(
            id: KeyID("watched"), name: "treasury", protocolID: .algorand,
            algorithm: .multisig, publicKey: key, address: address.text ?? "", network: nil,
            multisig: MultisigMembers(version: 1, threshold: 2, keys: [p.keyA, p.keyC]))
        let single = p.multisig(1, p.a)
        let rows: [(JSON, [Danger])] = [
            (p.item(from: key, ["authAddr": p.a]), [.partialMultisig]),
            (
                p.item(from: key, ["authAddr": try account(single).address, "msig": single]),
                [.partialMultisig]
            ),
            // B is not a member, so its signature adds nothing here, but it may move B's account.
            (p.item(from: key, ["authAddr": p.b]), [.rekeyedAccount]),
            (p.item(from: p.keyA), []),
        ]
        for (item, dangers) in rows {
            #expect(try judged(item, kept: watched).operations().map(\.dangers) == [dangers])
        }
    }
}
