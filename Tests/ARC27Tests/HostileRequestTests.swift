// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Requests that mean to be misread") struct HostileRequestTests {
    private func item(
        _ draft: Draft, _ members: KeyValuePairs<String, JSON> = [:]
    ) throws -> JSON {
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        let bytes = draft.with("snd", .binary(key)).bytes
        var item = JSONObject([.init(name: "txn", value: .string(Base64.encode(bytes.span)))])
        for (name, value) in members { item.members.append(.init(name: name, value: value)) }
        return .object(item)
    }

    @Test("the title says the gravest loss of several transactions, in any order")
    func gravestLoss() throws {
        let close = try item(
            Draft(type: "axfer").with("xaid", .unsigned(7)).with("aclose", Draft.bytes(32)))
        let rekey = try item(Draft().with("rekey", Draft.bytes(32)))
        for items in [[close, rekey], [rekey, close]] {
            let title = try TestProvider().decode(Wire.signing(items)).summary.title
            #expect(
                title == "Give the account to another key: sign 2 of 2 Algorand transactions on "
                    + "testnet")
        }
    }

    @Test("a payment on another network is refused among those of one, signed here or not")
    func networks() throws {
        let provider = try TestProvider(networks: [.testnet, .mainnet])
        let hash = AlgorandNetwork.mainnet.genesisHash
        let few = Draft()
        let many = Draft().with("gh", .binary(hash)).with("amt", .unsigned(5_000_000_000_000))
        for members in [[:], ["signers": []]] as [KeyValuePairs<String, JSON>] {
            let frame = Wire.signing([try item(few), try item(few), try item(many, members)])
            let error = try Wire.error(provider.answer(frame))
            #expect(error["code"] == 4200)
            #expect(
                error["message"]
                    == "txns[2]: all transactions of a request must be for one network"
            )
        }
        #expect(
            try Wire.json(provider.answer(Wire.signing([try item(many)])))?["result"] != nil)
    }

    @Test("zeros are not a signature, alone or in a multisignature")
    func zeros() throws {
        let zero = [UInt8](repeating: 0, count: 64)
        let transaction = Draft().bytes
        let alone = SignedTransaction.encode(
            transaction: transaction, signature: zero, signer: nil)
        #expect(throws: AlgorandRefusal.invalid("sig is zero and must be left out")) {
            try SignedTransaction(canonical: alone.span)
        }
        let keys = [Draft.key(1), Draft.key(2)]
        let shared = SignedTransaction.encode(
            transaction: transaction,
            multisig: try Multisig(version: 1, threshold: 2, keys: keys),
            signatures: [keys[0]: zero, keys[1]: zero], signer: nil)
        #expect(throws: AlgorandRefusal.invalid("a signature in msig is zero and must be left out"))
        {
            try SignedTransaction(canonical: shared.span)
        }
        let text = JSON.string(Base64.encode(shared.span))
        let provider = try TestProvider(postingNetworks: [.testnet])
        let error = try Wire.error(
            provider.answer(
                Wire.request(
                    "post_transactions",
                    ["providerId": .string(TestProvider.providerID), "stxns": [text]])))
        #expect(error["code"] == 4200)
    }

    @Test(
        "a part that completes another account's multisignature is flagged as that"
    )
    func wholeShares() throws {
        let p = try Parties()
        for (threshold, expected) in [(Int64(1), Danger.foreignSender), (2, .partialMultisig)] {
            let multisig = p.multisig(threshold, p.a, p.c)
            let key = try Multisig(multisig).publicKey()
            var provider = try TestProvider(seeds: p.seeds)
            let frame = Wire.signing([p.item(from: key, ["msig": multisig])])
            let request = try provider.decode(frame)
            #expect(request.operations.map(\.dangers) == [[expected]])
            #expect(
                request.summary.warnings.contains { $0.contains("is not kept here") }
                    == (threshold == 1))
            provider.accounts.append(
                Account(
                    id: KeyID("kept"), name: "kept", protocolID: ProtocolID("algorand"),
                    algorithm: .multisig, publicKey: key, address: "", network: nil,
                    multisig: MultisigMembers(
                        version: 1, threshold: UInt8(threshold), keys: [p.keyA, p.keyC])))
            #expect(
                try provider.decode(frame).operations.map(\.dangers)
                    == [threshold == 1 ? [] : [.partialMultisig]])
        }
    }

    @Test("an answer that fits no frame is refused before a key is used", arguments: [true, false])
    func size(_ isCBOR: Bool) throws {
        func frame(_ noteBytes: Int) throws -> String {
            let note = [UInt8](repeating: 1, count: noteBytes)
            let one = try item(Draft().with("note", .binary(note)))
            let json = Wire.signing([JSON](repeating: one, count: 64))
            guard isCBOR else { return json }
            let cbor = CBOR(try JSON.parse([UInt8](json.utf8).span)).encode()
            return Base64.encode(cbor.span)
        }
        let provider = try TestProvider()
        // The request is shorter than its answer, so the largest frame asks for too much.
        var count = 3_000
        while try frame(count).utf8.count > ARC27Wire.frameBytesMax { count -= 12 }
        let error = try Wire.error(provider.answer(frame(count)))
        #expect(error["code"] == 4200)
        #expect(
            error["message"] == "the answer would be larger than one frame; ask for less at a time")
        #expect(try Wire.json(provider.answer(frame(count - 120)))?["result"] != nil)
    }

    @Test("white space before JSON is skipped, a byte order mark is an error")
    func beginnings() throws {
        let provider = try TestProvider()
        for space in [" ", "\n", "\t \r\n"] {
            let reply = try provider.answer(space + Wire.request("discover"))
            #expect(try Wire.json(reply)?["result"] != nil)
        }
        let error = try Wire.error(provider.answer("\u{feff}" + Wire.request("discover")))
        #expect(error["code"] == 4200)
        #expect(error["message"] == "the frame begins with a byte order mark")
    }

    @Test("a note of bytes never looks like one of text")
    func notes() throws {
        let text = try TestProvider().decode(
            Wire.signing([try item(Draft().with("note", .binary(Array("hex ff00".utf8))))]))
        let bytes = try TestProvider().decode(
            Wire.signing([try item(Draft().with("note", .binary([0xff, 0])))]))
        #expect(text.summary.lines.contains(.init("note", "hex ff00", by: .client)))
        #expect(bytes.summary.lines.contains(.init("note bytes", "hex ff00")))
        #expect(text.summary.text != bytes.summary.text)
    }

    @Test("holdings and local state of the one list are shown apart")
    func access() throws {
        func lines(_ entry: MessagePack) throws -> [Summary.Line] {
            let list: MessagePack = .array([
                Draft.map(["d": .binary(Draft.key(3))]),
                Draft.map(["s": .unsigned(9)]), Draft.map(["p": .unsigned(8)]),
                entry,
            ])
            let draft = Draft(type: "appl").with("apid", .unsigned(5)).with("al", list)
            return try TestProvider().decode(Wire.signing([try item(draft)])).summary.lines
        }
        func place(_ name: String, _ members: KeyValuePairs<String, MessagePack>) -> MessagePack {
            Draft.map([name: Draft.map(members)])
        }
        let address = AlgorandAddress.text(
            publicKey: Draft.key(3).span)
        let rows: [(MessagePack, Summary.Line)] = [
            (place("h", ["s": .unsigned(2)]), .init("may use holding", "asset 9 of the sender")),
            (
                place("h", ["d": .unsigned(1), "s": .unsigned(2)]),
                .init("may use holding", "asset 9 of \(address)")
            ),
            (
                place("l", ["p": .unsigned(3)]),
                .init("may use local state", "app 8 of the sender")
            ),
            (
                place("l", ["d": .unsigned(1)]),
                .init("may use local state", "this app of \(address)")
            ),
        ]
        for (entry, line) in rows { #expect(try lines(entry).contains(line)) }
    }

    @Test("a total and decimals that a reconfiguration brings along are shown")
    func ignored() throws {
        func lines(_ members: KeyValuePairs<String, MessagePack>) throws -> [Summary.Line] {
            let draft = Draft(type: "acfg").with("caid", .unsigned(7))
                .with("apar", Draft.map(members))
            return try TestProvider().decode(Wire.signing([try item(draft)])).summary.lines
        }
        #expect(
            try lines(["t": .unsigned(5), "m": .binary(Draft.key(1))])
                .contains(.init("total", "5, which changes nothing")))
        #expect(
            try lines(["dc": .unsigned(5), "m": .binary(Draft.key(1))])
                .contains(.init("decimals", "5, which changes nothing")))
    }
}
