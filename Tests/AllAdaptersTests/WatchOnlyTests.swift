// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningPolicy
import SigningVault
import TestHome
import Testing
import VectorFiles

/// The hub holds the key of the first member of a multisignature account and watches the account.
@Suite("Accounts that are only watched, through everything that is real")
struct WatchOnlyTests {
    let home: TestHome
    let joint: Account
    let transaction: String

    init() throws {
        let vectors = try VectorFile.load("Vectors/algorand/multisig.json")
        transaction = try #require(vectors["signing"]?["txn_b64"]?.text)
        let addresses = try #require(vectors["signing"]?["msig"]?["addrs"]?.list)
        var keys: [[UInt8]] = []
        for address in addresses {
            let bytes = try Base32.decode(try #require(address.text))
            keys.append(Array(bytes.prefix(32)))
        }
        home = try TestHome.ofSamples()
        let held = try Samples.account("arc27").publicKey
        #expect(keys.first == held)
        let address = "DFTC73RS6W6SSJWTDUZAGJMSHGXXNSYXLXESMJW6JMCS7USTZBFVRCIFFU"
        let own = try Base32.decode(address)
        joint = try home.vault.watch(
            name: "joint", protocolID: ProtocolID("algorand"), address: address,
            publicKey: Array(own.prefix(32)), network: nil,
            members: MultisigMembers(version: 1, threshold: 2, keys: keys))
        try home.vault.tag("joint", with: ["cold"])
    }

    private func answer(_ method: String, _ params: String, _ rule: String) async throws -> String {
        let adapter = try #require(Samples.adapters.adapter(named: "arc27"))
        let text =
            #"{"id":"1","reference":"arc0027:\#(method):request","params":{"providerId":"#
            + #""85533948-4d0b-4727-904e-dd35305d49aa",\#(params)}}"#
        let policy =
            "[[rule]]\nid = \"r\"\neffect = \"allow\"\nprotocol = \"algorand\"\n"
            + "acknowledge = [\"new_client\"]\n\(rule)"
        let hub = try home.hub(policy)
        let answer = await hub.answer(.sent(Array(text.utf8)), with: adapter)
        guard case .message(let bytes) = answer.reply else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let testnet = #""genesisHash":"SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=""#

    @Test("nothing is signed by it, although everything is allowed")
    func signing() async throws {
        let reply = try await answer(
            "sign_transactions", #""txns":[{"txn":"\#(transaction)"}]"#, "")
        #expect(reply.contains("4100") && reply.contains(joint.address))
        #expect(!reply.contains("stxns"))
    }

    @Test("the keys beside it are used as before")
    func others() async throws {
        for name in Samples.names {
            let family = try Samples.account(name).protocolID.name
            let rule =
                "[[rule]]\nid = \"r\"\neffect = \"allow\"\nprotocol = \"\(family)\"\n"
                + "acknowledge = [\"new_client\"]\n"
            let adapter = try #require(Samples.adapters.adapter(named: name))
            let hub = try home.hub(rule)
            let answer = await hub.answer(.sent(Samples.frame(name)), with: adapter)
            guard case .outcome(.done) = answer.ending else {
                Issue.record("\(name): \(answer)")
                continue
            }
        }
    }

    @Test("rules can name it, and it does not clash with the hub's own facts")
    func rules() throws {
        let tagged = try #require(try home.vault.accounts().first { $0.name == "joint" })
        let sample = try Samples.account("arc27")
        let request = JudgedRequest(
            adapter: AdapterID("arc27"), protocolID: ProtocolID("algorand"), method: "enable",
            client: nil, peer: Peer(channel: "test"),
            time: Timestamp(seconds: 1_790_000_000), frameBytes: 1, decoding: .full, facts: [],
            effects: [], dangers: [],
            operations: [
                RequestedOperation(
                    account: tagged, operation: .publicKey,
                    facts: [Fact("receiver", .text(tagged.address))], effects: [], dangers: [])
            ], ownAddresses: [tagged, sample].ownAddresses)
        #expect(request.ownAddresses == [sample.address])
        for (rule, isAllowed) in [
            ("key = \"joint\"", true), ("key.tags = { has = \"cold\" }", true),
            ("key = \"algorand\"", false), ("key.tags = { has = \"hot\" }", false),
            ("receiver = \"\(tagged.address)\"", true), ("receiver = \"@own\"", false),
        ] {
            let text = Array(
                ("version = 1\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"allow\"\n"
                    + "protocol = \"algorand\"\n\(rule)\n").utf8)
            let policy = try TOMLPolicy.load(
                text.span, fileName: "policy.toml", schemas: Samples.adapters.schemas,
                at: Timestamp(seconds: 1_790_000_000), sha256: { _ in [] })
            guard case .allow = try policy.judge(request, usage: NothingUsed()).verdict else {
                #expect(!isAllowed, "\(rule)")
                continue
            }
            #expect(isAllowed, "\(rule)")
        }
    }
}

private struct NothingUsed: LimitUsage {
    func firstUse(of _: Counterparty) throws(LedgerError) -> FirstUse { .never }

    func usedByName(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

    func used(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }
}
