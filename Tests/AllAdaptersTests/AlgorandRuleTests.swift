// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningPolicy
import Testing

/// Additions to a transaction by which a client could pass a rule and still do more than it allows.
@Suite("Rules for Algorand against clients that ask for more") struct AlgorandRuleTests {
    typealias Members = [String: MessagePack]

    private static let stranger = [UInt8](repeating: 7, count: 32)

    private static func keyB() throws -> [UInt8] {
        let seed = SecretBytes(count: 32) { bytes in
            for index in bytes.indices { bytes[index] = 9 }
        }
        let key = try Ed25519Key(seed: seed)
        return key.publicKey
    }

    /// The sample account and B, both held here.
    private static func accounts() throws -> [Account] {
        let key = try keyB()
        let addressB = try address(key)
        let sample = try Samples.account("arc27")
        let b = Account(
            id: KeyID("b"), name: "b", protocolID: ProtocolID("algorand"), algorithm: .ed25519,
            publicKey: key, address: addressB, network: nil)
        return [sample, b]
    }

    private static func address(_ key: [UInt8]) throws -> String {
        let checksum = Digest.sha512_256(key.span).suffix(4)
        let bytes = key + checksum
        return Base32.encode(bytes.span)
    }

    private static func encoded(_ type: String, _ members: Members) throws -> [UInt8] {
        let testnet = try Base64.decode("SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=")
        let sender = try Samples.account("arc27").publicKey
        var all: Members = [
            "fee": .unsigned(1000), "fv": .unsigned(10), "gh": .binary(testnet),
            "lv": .unsigned(1010), "snd": .binary(sender),
            "type": .text(type),
        ]
        all.merge(members) { $1 }
        return MessagePack.map(all.map { .init(name: $0.key, value: $0.value) }).encode()
    }

    private static func judge(
        _ rule: String, _ transactions: [(String, Members)]
    ) throws -> Verdict {
        let source = Array(
            """
            version = 1
            default = "ask"
            [[rule]]
            id = "small"
            effect = "allow"
            protocol = "algorand"
            operation = "sign_transactions"
            \(rule)
            """.utf8)
        let policy = try TOMLPolicy.load(
            source.span, fileName: "policy.toml", schemas: Samples.adapters.schemas,
            at: Timestamp(seconds: 1_790_000_000), sha256: { Digest.sha256($0) })
        var items: [String] = []
        for (type, members) in transactions {
            let bytes = try encoded(type, members)
            items.append("{\"txn\":\"\(Base64.encode(bytes.span))\"}")
        }
        let text =
            "{\"id\":\"1\",\"reference\":\"arc0027:sign_transactions:request\","
            + "\"params\":{\"txns\":[\(items.joined(separator: ","))]}}"
        let peer = Peer(channel: "test")
        let frame = Frame(bytes: Array(text.utf8), peer: peer)
        let adapter = try #require(Samples.adapters.adapter(named: "arc27"))
        let request = try judged(by: adapter, frame)
        return try policy.judge(request, usage: NothingUsed()).verdict
    }

    private static func judged(
        by adapter: some ProtocolAdapter, _ frame: Frame
    ) throws -> JudgedRequest {
        let accounts = try accounts()
        let now = Timestamp(seconds: 1_790_000_000)
        let context = DecodingContext(
            accounts: accounts, peer: frame.peer, now: now,
            freshID: [UInt8](repeating: 7, count: 16), wasSeen: { _ in nil })
        let request = try adapter.decode(frame.bytes.span, in: context)
        return JudgedRequest(request, by: adapter.id, frame: frame, at: now, accounts: accounts)
    }

    private static func isAllowed(
        _ rule: String, _ type: String, _ members: Members
    ) throws -> Bool {
        let verdict = try judge(rule, [(type, members)])
        guard case .allow = verdict else { return false }
        return true
    }

    @Test("a bound on payments covers a payment and nothing that goes along with it")
    func payments() throws {
        let to = try Self.keyB()
        let address = try Self.address(to)
        let rule = """
            receiver = "\(address)"
            amount = { max = "5 ALGO" }
            fee = { max = "0.01 ALGO" }
            """
        let payment: Members = ["amt": .unsigned(5_000_000), "rcv": .binary(to)]
        #expect(try Self.isAllowed(rule, "pay", payment))
        // The rule limits the receiver; `close` and `rekey` are refused even if their target is
        // held here.
        for target in [Self.stranger, to] {
            for field in ["close", "rekey"] {
                let more = payment.merging([field: .binary(target)]) { $1 }
                #expect(try !Self.isAllowed(rule, "pay", more))
            }
        }
        for (field, value) in [
            ("amt", MessagePack.unsigned(5_000_001)), ("fee", .unsigned(10_001)),
            ("rcv", .binary(Self.stranger)),
        ] {
            let more = payment.merging([field: value]) { $1 }
            #expect(try !Self.isAllowed(rule, "pay", more))
        }
        for type in ["acfg", "afrz", "appl", "keyreg"] {
            #expect(try !Self.isAllowed(rule, type, [:]))
        }
        #expect(try !Self.isAllowed(rule, "axfer", ["arcv": .binary(to)]))
        let second: (String, Members) = ("appl", ["apid": .unsigned(5)])
        let both = try Self.judge(rule, [("pay", payment), second])
        guard case .ask = both else {
            Issue.record("the second transaction is covered by no rule")
            return
        }
    }

    @Test("a bound on an asset covers no clawback, close-out, freeze or reconfiguration")
    func assets() throws {
        let to = try Self.keyB()
        let address = try Self.address(to)
        let rule = """
            asset = 77
            receiver = "\(address)"
            "asset.amount" = { max = 5 }
            """
        let transfer: Members = [
            "xaid": .unsigned(77), "aamt": .unsigned(5), "arcv": .binary(to),
        ]
        #expect(try Self.isAllowed(rule, "axfer", transfer))
        for field in ["asnd", "aclose", "rekey"] {
            for target in [Self.stranger, to] {
                let more = transfer.merging([field: .binary(target)]) { $1 }
                #expect(try !Self.isAllowed(rule, "axfer", more))
            }
        }
        #expect(
            try !Self.isAllowed(rule, "axfer", transfer.merging(["xaid": .unsigned(78)]) { $1 }))
        #expect(try !Self.isAllowed(rule, "afrz", ["faid": .unsigned(77)]))
        #expect(try !Self.isAllowed(rule, "acfg", ["caid": .unsigned(77)]))
        #expect(try !Self.isAllowed(rule, "appl", ["apas": .array([.unsigned(77)])]))
    }

    @Test("no limit of an amount has room for the balance of a closed account or holding")
    func balances() throws {
        let to = MessagePack.binary(try Self.keyB())
        let holding: Members = ["xaid": .unsigned(77), "arcv": to, "aclose": to]
        let account: Members = ["rcv": to, "close": to]
        for (type, members, danger, amount) in [
            ("axfer", holding, "asset_close", #"amount = 5, of = "asset.amount""#),
            ("pay", account, "close_out", #"amount = "5 ALGO", of = "amount""#),
            ("pay", account, "close_out", #"amount = "5 ALGO", of = "outflow""#),
        ] {
            let limit = "{ \(amount), per = \"1d\" }"
            let rule =
                "type = \"\(type)\"\nacknowledge = [\"\(danger)\", \"new_client\"]\n"
                + (type == "axfer" ? "asset = 77\n" : "")
            #expect(try !Self.isAllowed(rule + "limit = [\(limit)]", type, members))
            let counted = rule + "limit = [{ count = 1, per = \"1d\" }]"
            #expect(try Self.isAllowed(counted, type, members))
        }
    }

    @Test("opt_in distinguishes an opt-in from an empty transfer to oneself")
    func optIn() throws {
        let key = try Samples.account("arc27").publicKey
        let own = MessagePack.binary(key)
        let optIn: Members = ["xaid": .unsigned(77), "arcv": own]
        let rule = "type = \"axfer\"\nopt_in = false"
        #expect(try !Self.isAllowed(rule, "axfer", optIn))
        #expect(try Self.isAllowed(rule, "axfer", optIn.merging(["aamt": .unsigned(1)]) { $1 }))
        let only = "type = \"axfer\"\nopt_in = true\nasset = 77"
        #expect(try Self.isAllowed(only, "axfer", optIn))
        for (field, value) in [
            ("aamt", MessagePack.unsigned(1)), ("arcv", .binary(Self.stranger)),
            ("aclose", own), ("asnd", own), ("rekey", .binary(Self.stranger)),
            ("xaid", .unsigned(78)),
        ] {
            #expect(try !Self.isAllowed(only, "axfer", optIn.merging([field: value]) { $1 }))
        }
    }

    @Test(
        "a rule for one application covers neither its code nor its deletion, nor another one"
    )
    func applications() throws {
        let rule = "app_id = 5\non_complete = [\"noop\", \"optin\"]\nfee = { max = \"0.01 ALGO\" }"
        let call: Members = ["apid": .unsigned(5)]
        #expect(try Self.isAllowed(rule, "appl", call))
        #expect(try Self.isAllowed(rule, "appl", call.merging(["apan": .unsigned(1)]) { $1 }))
        for completion: UInt64 in 2...5 {
            let more = call.merging(["apan": .unsigned(completion)]) { $1 }
            #expect(try !Self.isAllowed(rule, "appl", more))
            // Without a condition on the completion, the rule refuses only the dangerous ones.
            #expect(try Self.isAllowed("app_id = 5", "appl", more) == (completion < 4))
        }
        #expect(try !Self.isAllowed(rule, "appl", [:]))
        #expect(try !Self.isAllowed(rule, "appl", ["apid": .unsigned(6)]))
        let rekey = call.merging(["rekey": .binary(Self.stranger)]) { $1 }
        #expect(try !Self.isAllowed(rule, "appl", rekey))
        // A reference to another application is not a call of it.
        let other: Members = ["apid": .unsigned(6), "apfa": .array([.unsigned(5)])]
        #expect(try !Self.isAllowed(rule, "appl", other))
    }

    @Test("the resources of a call are bounded however they are listed")
    func references() throws {
        let rule = "app_id = 5\n\"app.assets\" = { in = [77] }"
        func listed(_ id: UInt64) -> [Members] {
            [
                ["apid": .unsigned(5), "apas": .array([.unsigned(id)])],
                [
                    "apid": .unsigned(5),
                    "al": .array([.map([.init(name: "s", value: .unsigned(id))])]),
                ],
            ]
        }
        for members in listed(77) { #expect(try Self.isAllowed(rule, "appl", members)) }
        for members in listed(78) { #expect(try !Self.isAllowed(rule, "appl", members)) }
    }

    @Test("a rule that only bounds fees covers nothing that is flagged")
    func wildcard() throws {
        let rule = "fee = { max = \"3 ALGO\" }"
        let id = MessagePack.unsigned(5)
        let key = try Samples.account("arc27").publicKey
        let manager = MessagePack.map([.init(name: "m", value: .binary(key))])
        let flagged: [(String, Members)] = [
            ("acfg", ["caid": id]), ("acfg", ["caid": id, "apar": manager]), ("keyreg", [:]),
            ("keyreg", ["nonpart": .bool(true)]), ("appl", ["apid": id, "apan": .unsigned(4)]),
            ("appl", ["apid": id, "apan": .unsigned(5)]), ("pay", ["fee": .unsigned(10_001)]),
            ("pay", ["rekey": .binary(Self.stranger)]),
        ]
        for (type, members) in flagged { #expect(try !Self.isAllowed(rule, type, members)) }
        #expect(try Self.isAllowed(rule, "pay", [:]))
        #expect(try Self.isAllowed(rule + "\nacknowledge = [\"key_registration\"]", "keyreg", [:]))
        #expect(
            try !Self.isAllowed(
                rule + "\nacknowledge = [\"key_registration\"]", "keyreg",
                ["nonpart": .bool(true)]))
    }
}

/// A day on which no limit was used.
private struct NothingUsed: LimitUsage {
    func firstUse(of _: Counterparty) throws(LedgerError) -> FirstUse { .never }

    func usedByName(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

    func used(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }
}
