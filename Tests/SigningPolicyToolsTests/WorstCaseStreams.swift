// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningPolicy
import SigningTesting

@testable import SigningCore

/// Random policies about payments, and random streams of requests that use their limits up.
struct WorstCaseStreams {
    var generator: SeededGenerator

    /// The balance of an account, which closing or rekeying it takes.
    static let balance: Int128 = 1_000_000_000_000
    static let algo = AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo")
    static let near = AmountUnit(symbol: "NEAR", decimals: 24, smallest: "yoctoNEAR")

    /// An operation that was allowed without a question.
    struct Allowed {
        let time: Int64
        let key: String
        let network: String
        /// The amounts that left, by asset: `ALGO`, `NEAR`, or the id of a token.
        let left: [String: Int128]
        /// The rule that allowed it; nil for one of several operations.
        let rule: String?
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }

    private mutating func some(_ odds: Int) -> Bool {
        Int.random(in: 0..<odds, using: &generator) == 0
    }

    /// Loads a file with schemas in which fields and dangers are those of the chains.
    static func load(_ text: String) throws(PolicyLoadError) -> TOMLPolicy {
        let near = FactSchema(
            protocolID: ProtocolID("near"), methods: ["sign_transaction", "sign_message"],
            fields: FactSchema.near.fields, dangers: FactSchema.near.dangers)
        let algorand = FactSchema(
            protocolID: ProtocolID("algorand"), methods: FactSchema.algorand.methods,
            fields: FactSchema.algorand.fields,
            dangers: FactSchema.algorand.dangers
                + ["high_fee", "key_registration"].map { Danger($0) })
        return try TOMLPolicy.load(
            Array(text.utf8).span, fileName: "policy.toml",
            schemas: [FactSchema.nostr, near, algorand], at: Timestamp(seconds: 1_000),
            sha256: fakeDigest)
    }

    mutating func file() -> String {
        let rules = (0..<Int.random(in: 1...4, using: &generator)).map { rule($0) }
        let used = rules.joined()
        let budgets = (0..<3).filter { used.contains("\"b\($0)\"") }.map { budget($0) }
        return "version = 2\ndefault = \"ask\"\n" + Self.assets + budgets.joined() + used
    }

    private static let assets = [("ONE", "mainnet", 1, 2), ("TWO", "testnet", 2, 0)].map {
        "[asset.\($0.0)]\nprotocol = \"algorand\"\nnetwork = \"\($0.1)\"\nid = \($0.2)\n"
            + "decimals = \($0.3)\n"
    }.joined()

    private mutating func limit(_ isAlgorand: Bool) -> String {
        let window = pick([
            "1h", "90m", "1d", "5h", "7d", "hour", "day", "week", "month", "45d",
        ])
        let isCalendar = window.allSatisfy(\.isLetter)
        let zone = pick(["UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Havana"])
        let per =
            ", per = \"\(window)\"" + (isCalendar ? ", tz = \"\(zone)\"" : "")
            + (some(4) ? ", by = [\"key\"]" : "")
        let sums =
            isAlgorand
            ? [
                "amount = \"10 ALGO\", of = \"outflow\"", "amount = \"6 ALGO\", of = \"amount\"",
                "amount = \"0.05 ALGO\", of = \"fee\"", "amount = 700, of = \"asset.amount\"",
            ] : ["amount = \"9 NEAR\", of = \"outflow\""]
        if some(8) { return "{ uses = 5 }" }
        return "{ \(pick(["count = 2", "count = 5"] + sums + sums))\(per) }"
    }

    private mutating func rule(_ number: Int) -> String {
        let isAlgorand = !some(4)
        var lines = [
            "[[rule]]", "id = \"r\(number)\"", "effect = \"\(some(9) ? "ask" : "allow")\"",
            "protocol = \"\(isAlgorand ? "algorand" : "near")\"",
        ]
        var pool = [
            "key = \"alice\"", "key = [\"alice\", \"bob\"]", "network = \"mainnet\"",
            "network = { not_in = \"mainnet\" }", "outflow = { max = \"4 ALGO\" }",
            "amount = { max = \"3 ALGO\" }", "amount = [\"1 ALGO\", \"2 ALGO\"]",
            "fee = { max = \"0.01 ALGO\" }", "type = \"pay\"", "type = \"axfer\"", "asset = 1",
            "asset = [1, 2]", "\"asset.amount\" = { max = 300 }", "rekey_to = { exists = false }",
            "unless = { receiver = \"bb\" }",
        ]
        if !isAlgorand {
            pool = [pool[0], pool[1], pool[2], pool[3], "outflow = { max = \"4 NEAR\" }"]
        }
        var names: Set<Substring> = []
        let chosen = pool.shuffled(using: &generator).prefix(pick([1, 2, 3, 4]))
        lines += chosen.filter { names.insert($0.prefix { $0 != " " }).inserted }
        let dangers = ["rekey", "close_out", "high_fee"].filter { _ in some(8) }
        if isAlgorand, !dangers.isEmpty, lines[2].contains("allow") {
            lines.append("acknowledge = \(dangers)")
        }
        if !some(6), lines[2].contains("allow") {
            let limits = (0..<pick([1, 2, 3])).map { _ in limit(isAlgorand) }
            // A limit of an asset's amount is for one asset.
            if limits.contains(where: { $0.contains("asset.amount") }) {
                lines.removeAll { $0.hasPrefix("asset = ") }
                lines.append("asset = 1")
            }
            var seen: Set<String> = []
            lines.append(
                "limit = [\(limits.filter { seen.insert($0).inserted }.joined(separator: ", "))]")
        }
        if some(2) {
            let names = ["b0", "b1", "b2"].shuffled(using: &generator).prefix(pick([1, 1, 2]))
            lines.append("budget = \(Array(names))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private mutating func budget(_ number: Int) -> String {
        let window = pick(["1h", "1d", "3d"])
        let by = some(4) ? ", by = [\"key\"]" : ""
        var lines = ["[budget.b\(number)]"]
        let tokens = pick([
            "", ", \"ONE@algorand\" = \"\(pick(["1", "0.007"]))\"",
            ", \"ONE@algorand\" = \"0.03\", \"TWO@algorand\" = \"3\"",
        ])
        if number == 0 {
            lines += [
                "limit = [{ amount = \"20 USD\", of = \"outflow\", per = \"\(window)\"\(by) }]",
                "unit = \"USD\"",
                "rate = { ALGO = \"\(pick(["2.5", "3", "0.7"]))\", NEAR = \"3.3\"\(tokens) }",
            ]
        } else {
            lines.append("limit = [{ count = \(pick([2, 4])), per = \"\(window)\"\(by) }]")
        }
        if some(3) { lines.append("final = true") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Operations of one protocol, with what each takes from the account.
    mutating func operations() -> (ProtocolID, [(RequestedOperation, String, [String: Int128])]) {
        let isAlgorand = !some(4)
        let name = isAlgorand ? "algorand" : "near"
        let network = pick(["mainnet", "testnet"])
        let operations = (0..<pick([1, 1, 1, 2, 3])).map { _ in
            isAlgorand ? algorand(network) : near(network)
        }
        return (ProtocolID(name), operations.map { ($0.0, network, $0.1) })
    }

    private mutating func algorand(_ network: String) -> (RequestedOperation, [String: Int128]) {
        let fee: Int128 = pick([1_000, 10_000, 10_001, 50_000])
        var facts = [Fact("fee", .integer(fee)), Fact("network", .text(network))]
        var left = ["ALGO": fee]
        var outflow = fee
        var dangers: [Danger] = fee > 25_000 ? [Danger("high_fee")] : []
        var tokens: [Outflow] = []
        switch pick(["pay", "pay", "pay", "axfer", "axfer", "appl"]) {
        case "pay":
            let amount: Int128 = pick([1, 1_000_000, 2_000_000, 3_000_000, 3_000_001, 9_000_000])
            facts += [Fact("type", .text("pay")), Fact("amount", .integer(amount))]
            facts.append(Fact("receiver", .text(pick(["aa", "bb"]))))
            left["ALGO"] = fee + amount
            outflow += amount
            if some(6) {
                dangers.append(Danger("close_out"))
                left["ALGO"] = Self.balance
                outflow = .max
            }
        case "axfer":
            let (asset, amount): (Int128, Int128) = (pick([1, 2, 3]), pick([10, 300, 301, 600]))
            facts += [
                Fact("type", .text("axfer")), Fact("asset", .integer(asset)),
                Fact("asset.amount", .integer(amount)),
            ]
            left["\(asset)"] = amount
            tokens.append(
                Outflow(
                    Asset(
                        id: "algorand/\(network)/asset/\(asset)", network: network, name: "",
                        unit: nil),
                    amount))
        default: facts.append(Fact("type", .text("appl")))
        }
        if some(9) {
            dangers.append(Danger("rekey"))
            facts.append(Fact("rekey_to", .text("cc")))
            left["ALGO"] = Self.balance
        }
        let coin = Asset(
            id: "algorand/\(network)/algo", network: network, name: "", unit: Self.algo)
        return (operation(facts, dangers, [Outflow(coin, outflow)] + tokens), left)
    }

    private mutating func near(_ network: String) -> (RequestedOperation, [String: Int128]) {
        let one: Int128 = 1_000_000_000_000_000_000_000_000
        let amount = one * pick([1, 2, 3, 4, 5]) + pick([0, 1])
        let coin = Asset(id: "near/\(network)/near", network: network, name: "", unit: Self.near)
        return (
            operation([Fact("network", .text(network))], [], [Outflow(coin, amount)]),
            ["NEAR": amount]
        )
    }

    private mutating func operation(
        _ facts: [Fact], _ dangers: [Danger], _ outflows: [Outflow]
    ) -> RequestedOperation {
        RequestedOperation(
            account: .named(pick(["alice", "bob", "carol"])), operation: .publicKey, facts: facts,
            effects: [.spends], dangers: dangers, outflows: outflows)
    }

    /// Judges a stream of requests by the engine, with uses on record in a ledger; people approve
    /// some of the questions.
    mutating func allowed(by policy: TOMLPolicy, from start: Int64, count: Int) throws -> [Allowed]
    {
        let ledger = MemoryLedger()
        var time = start
        var allowed: [Allowed] = []
        for _ in 0..<count {
            time += pick([0, 1, 59, 600, 1_799, 1_800, 3_599, 3_600, 20_000, 86_399, 86_400])
            let (protocolID, operations) = operations()
            let request = FakeRequest(
                protocolID: protocolID,
                method: protocolID.name == "near" ? "sign_transaction" : "sign_transactions",
                operations: operations.map { $0.0 }
            ).judged(at: time)
            let judgement = try policy.judge(request, usage: ledger)
            let isAllowed = judgement.verdict.name == "allow"
            let isApproved = judgement.verdict.name == "ask" && some(3)
            guard isAllowed || isApproved else { continue }
            do throws(LedgerError) {
                try ledger.reserve(
                    Self.intent(at: time, judgement), currentPolicyHash: policy.hash)
            } catch {
                continue
            }
            guard isAllowed else { continue }
            for (operation, network, left) in operations {
                allowed.append(
                    Allowed(
                        time: time, key: operation.account.name, network: network, left: left,
                        rule: operations.count == 1 ? judgement.verdict.reasons.first?.rule : nil))
            }
        }
        return allowed
    }

    private static func intent(at seconds: Int64, _ judgement: Judgement) -> Intent {
        Intent(
            id: (0..<16).map { _ in UInt8.random(in: 0...255) }, time: Timestamp(seconds: seconds),
            adapter: AdapterID("a"), protocolID: ProtocolID("p"), method: "sign", client: nil,
            channel: "cli", login: nil, keys: [], requestDigest: [],
            policyHash: judgement.policyHash, decidedBy: "policy", grants: [], scopes: [],
            facts: [[]], decoding: .full, frameBytes: 10, rules: [], effects: [], dangers: [],
            claims: judgement.claims, replayToken: nil, serials: [], tokenWasSeen: nil)
    }
}
