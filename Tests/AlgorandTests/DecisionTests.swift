// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningDigests
import Testing

@testable import Algorand

@Suite("The signer of a transaction, by the table of ARC-1") struct DecisionTests {
    private static func ring(_ watched: Account...) throws -> KeyRing {
        let accounts = try SampleKeys.accounts(Parties().seeds) + watched
        return KeyRing(accounts: accounts, keptAccounts: accounts)
    }

    /// The signed transactions; nil for each that no key here has to sign.
    private func answer(_ items: JSON..., with keys: KeyRing? = nil) throws -> [[UInt8]?] {
        let p = try Parties()
        return try SigningItem.all(items, with: keys ?? Self.ring()).map { item in
            if let problem = item.problem { throw problem }
            let signatures = try item.decision.signers.map { account in
                try SampleKeys.sign(
                    Transaction.prefix + item.wire.bytes,
                    seed: p.seeds[account.publicKey == p.keyA ? 0 : 1])
            }
            return item.signed(signatures)
        }
    }

    private func signed(_ answer: [[UInt8]?]) throws -> SignedTransaction {
        let bytes = try #require(answer.first ?? nil)
        return try SignedTransaction(canonical: bytes.span)
    }

    /// The signer that the only signed transaction names; the signature must be of `key`.
    private func signer(_ answer: [[UInt8]?], sender: [UInt8], key: [UInt8]) throws -> [UInt8]? {
        let signed = try signed(answer)
        guard case .signature(let signature) = signed.proof else { return nil }
        let preimage = Transaction.prefix + signed.transaction
        let isValid = Signatures.isValidEd25519(
            signature: signature.span, message: preimage.span, publicKey: key.span)
        #expect(isValid)
        return signed.signer
    }

    @Test("the sender signs, the authAddr signs, sgnr names only another key")
    func signs() throws {
        let p = try Parties()
        let plain = try answer(p.item(from: p.keyA))
        #expect(try signer(plain, sender: p.keyA, key: p.keyA) == nil)
        let named = try answer(p.item(from: p.keyB, ["signers": [p.b]]))
        #expect(try signer(named, sender: p.keyB, key: p.keyB) == nil)
        let same = try answer(p.item(from: p.keyA, ["authAddr": p.a]))
        #expect(try signer(same, sender: p.keyA, key: p.keyA) == nil)
        let rekeyed = try answer(p.item(from: p.keyC, ["authAddr": p.b]))
        #expect(try signer(rekeyed, sender: p.keyC, key: p.keyB) == p.keyB)
        let both = try answer(p.item(from: p.keyA, ["authAddr": p.b, "signers": [p.b]]))
        #expect(try signer(both, sender: p.keyA, key: p.keyB) == p.keyB)
    }

    @Test("an account that only the client calls rekeyed to our key is flagged")
    func foreign() throws {
        let p = try Parties()
        let rows: [(JSON, Bool)] = [
            (p.item(from: p.keyC, ["authAddr": p.b]), true),
            (p.item(from: p.keyA, ["authAddr": p.b]), false),
            (p.item(from: p.keyA), false), (p.item(from: p.keyA, ["authAddr": p.a]), false),
            (p.item(from: p.keyC, ["authAddr": p.b, "signers": []]), false),
        ]
        for (item, isForeign) in rows {
            let judged = try SigningItem.all([item], with: Self.ring())
            let dangers = judged.flatMap { $0.operations() }.flatMap(\.dangers)
            #expect(dangers.contains(.foreignSender) == isForeign)
            let warnings = judged.filter { !$0.decision.signers.isEmpty }.flatMap(\.warnings)
            #expect(warnings.contains { $0.contains("only the client") } == isForeign)
        }
    }

    @Test("members of other wallets and messages do not matter")
    func extras() throws {
        let p = try Parties()
        let item = p.item(
            from: p.keyA,
            ["_other": ["x": 1], "message": "for you", "groupMessage": "for all"])
        #expect(try answer(item)[0] != nil)
    }

    @Test("an empty list of signers leaves it alone, with msig as well")
    func leaves() throws {
        let p = try Parties()
        let multisig = p.multisig(2, p.a, p.c)
        let key = try Multisig(multisig).publicKey()
        let answer = try answer(
            p.item(from: p.keyC, ["signers": []]),
            p.item(from: p.keyC, ["signers": [], "authAddr": p.a]),
            p.item(from: key, ["signers": [], "msig": multisig]))
        #expect(answer == [nil, nil, nil])
    }

    /// A multisignature account: its description, key and address.
    private func account(_ multisig: JSON) throws -> (key: [UInt8], address: JSON) {
        let key = try Multisig(multisig).publicKey()
        let text = AlgorandAddress.text(publicKey: key.span)
        return (key, .string(text))
    }

    /// The one signed transaction of an answer, whose multisignature must be there.
    private func share(_ answer: [[UInt8]?]) throws -> (signed: SignedTransaction, SignedMultisig) {
        let signed = try signed(answer)
        guard case .multisig(let multisig) = signed.proof else { throw NoMultisig() }
        return (signed, multisig)
    }

    private struct NoMultisig: Error {}

    @Test("the named signers sign, in all their places; sgnr names the key of a rekeyed sender")
    func multisig() throws {
        let p = try Parties()
        let multisig = p.multisig(3, p.a, p.c, p.a, p.b)
        let (key, address) = try account(multisig)
        let both = try share(answer(p.item(from: key, ["msig": multisig]))).1
        #expect(both.signatures.map { $0 != nil } == [true, false, true, true])
        let one = try share(
            answer(p.item(from: key, ["msig": multisig, "signers": [p.a, p.a]])))
        #expect(one.1.signatures.map { $0 != nil } == [true, false, true, false])
        #expect(one.1.signatures[0] == one.1.signatures[2] && one.signed.signer == nil)
        let rekeyed = try share(
            answer(
                p.item(
                    from: p.keyC, ["msig": multisig, "authAddr": address, "signers": [p.b]])))
        #expect(rekeyed.signed.signer == key)
        #expect(rekeyed.1.signatures.map { $0 != nil } == [false, false, false, true])
        let less = p.multisig(1, p.b, p.a)
        let first = try share(answer(p.item(from: try account(less).key, ["msig": less]))).1
        #expect(first.signatures.map { $0 != nil } == [true, false])
    }

    @Test("a signer of a multisig that is not held is named, and nothing is signed")
    func refusesShares() throws {
        let p = try Parties()
        let multisig = p.multisig(2, p.a, p.c, p.b)
        let (key, _) = try account(multisig)
        let foreign = p.multisig(1, p.c)
        let (foreignKey, foreignAddress) = try account(foreign)
        let rows: [(JSON, JSON)] = [
            (p.item(from: key, ["msig": multisig, "signers": [p.c]]), p.c),
            (p.item(from: key, ["msig": multisig, "signers": [p.a, p.c]]), p.c),
            (p.item(from: foreignKey, ["msig": foreign]), foreignAddress),
        ]
        for (item, signer) in rows {
            let refusal = try #require(throws: AlgorandRefusal.self) { try answer(item) }
            #expect(refusal.kind == .unauthorizedSigner)
            #expect(refusal.data?["signer"] == signer)
        }
    }

    @Test("an account kept with its members is signed for where the keys held are enough")
    func watched() throws {
        let p = try Parties()
        for (threshold, isEnough) in [(Int64(2), true), (3, false)] {
            let multisig = p.multisig(threshold, p.a, p.c, p.b)
            let (key, address) = try account(multisig)
            let keys = try Self.ring(
                Account(
                    id: KeyID("watched"), name: "treasury", protocolID: .algorand,
                    algorithm: .multisig, publicKey: key, address: address.text ?? "",
                    network: nil,
                    multisig: MultisigMembers(
                        version: 1, threshold: UInt8(threshold), keys: [p.keyA, p.keyC, p.keyB])))
            if isEnough {
                #expect(try share(answer(p.item(from: key), with: keys)).1.isComplete)
            } else {
                let refusal = try #require(throws: AlgorandRefusal.self) {
                    try answer(p.item(from: key), with: keys)
                }
                #expect(refusal.kind == .unauthorizedSigner)
                #expect(refusal.data?["signer"] == address)
            }
            let named = try #require(throws: AlgorandRefusal.self) {
                try answer(p.item(from: key, ["signers": [address]]), with: keys)
            }
            #expect(named.kind == .unauthorizedSigner)
            let part = try share(answer(p.item(from: key, ["msig": multisig]), with: keys))
            #expect(part.1.signedCount == 2)
        }
    }

    @Test("an item that breaks the table is refused with its own text")
    func refuses() throws {
        let p = try Parties()
        let rows: [(JSON, String)] = [
            (p.item(from: p.keyA, ["signers": [p.a, p.b]]), "several signers need msig"),
            (
                p.item(from: p.keyA, ["signers": [p.b]]),
                "the signer is neither the sender nor named in authAddr"
            ),
            (
                p.item(from: p.keyA, ["signers": [p.a], "authAddr": p.b]),
                "the signer differs from authAddr"
            ),
            (p.item(from: p.keyA, ["signers": "x"]), "signers is not a list"),
            (p.item(from: p.keyA, ["signers": [1]]), "signers is not text"),
            (p.item(from: p.keyA, ["authAddr": 1]), "authAddr is not text"),
            (p.item(from: p.keyA, ["message": 1]), "message is not text"),
            (p.item(from: p.keyA, ["stxn": 1]), "stxn is not text"),
            (p.item(from: p.keyA, ["stxn": "!"]), "stxn is not base64: unexpected end"),
            (
                p.item(from: p.keyA, ["stxn": "gA=="]),
                "stxn is only for items with an empty list of signers"
            ),
            (
                p.item(from: p.keyA, ["stxn": "gA==", "signers": [p.a]]),
                "stxn is only for items with an empty list of signers"
            ),
            (p.item(from: p.keyA, ["stxn": "gA==", "signers": []]), "stxn: txn is missing"),
            (
                p.item(from: p.keyA, ["foo": 1]),
                "unknown member; only names that begin with _ are free"
            ),
            (["signers": []], "txn is missing"),
            ([], "not an object"),
            (["txn": .null], "txn is missing"),
        ]
        for (item, message) in rows { try expect(item, message, p) }
    }

    @Test("a wrong multisig is refused with its own text")
    func refusesMultisig() throws {
        let p = try Parties()
        let rows: [(JSON, String)] = [
            (p.item(from: p.keyA, ["msig": 1]), "msig is not an object"),
            (
                p.item(from: p.keyA, ["msig": p.multisig(1, p.a)]),
                "msig is not the account that must sign"
            ),
            (
                p.item(from: p.keyA, ["msig": p.multisig(2, p.a)]),
                "msig.threshold must be 1 to the number of addresses"
            ),
            (
                p.item(from: p.keyA, ["msig": p.multisig(1)]),
                "msig.addrs is not a list of 1 to 255 addresses"
            ),
            (
                p.item(from: p.keyA, ["msig": ["version": 2, "threshold": 1, "addrs": [p.a]]]),
                "msig.version is not 1"
            ),
            (
                p.item(from: p.keyA, ["msig": ["version": 1, "threshold": 1]]),
                "msig has exactly the members version, threshold and addrs"
            ),
        ]
        for (item, message) in rows { try expect(item, message, p) }
    }

    private func expect(_ item: JSON, _ message: String, _ p: Parties) throws {
        #expect(throws: AlgorandRefusal.invalid(message)) {
            try answer(p.item(from: p.keyA), item)
        }
    }
}
