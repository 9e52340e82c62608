// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningPolicy
import Testing

@testable import SigningCore
@testable import SigningPolicyTools

@Suite("The worst case of single rules")
struct WorstCaseRuleTests {
    /// The bounds of all keys for an asset, as text; `-` without a bound.
    static func most(
        _ rules: String, _ asset: String = "ALGO", key: String? = nil,
        keys: [WorstCase.Key]? = WorstCaseTests.keys, remembered: [WorstCase.Remembered] = []
    ) throws -> String {
        let found = WorstCaseTests.worstCase(
            try policy(rules, version: 2), keys: keys, remembered: remembered)
        let row = found.assets.first { $0.asset == asset && $0.key == key }
        return row.map { $0.most.map { $0.number.map { "\($0)" } ?? "-" }.joined(separator: " ") }
            ?? "no row"
    }

    static func reason(_ rules: String, _ asset: String = "ALGO") throws -> String {
        let found = WorstCaseTests.worstCase(try policy(rules, version: 2))
        guard
            case .unbounded(let openings)? = found.assets.first(where: { $0.asset == asset })?
                .most.last
        else { return "bounded" }
        return openings.map { "\($0.rule): \($0.reason)" }.joined(separator: "; ")
    }

    @Test("a table of maxima lets all of its values have theirs")
    func tables() throws {
        let rule = payRule(
            "type = \"pay\"\nlimit = [{ amount = { ann = \"5 ALGO\", bob = \"2 ALGO\" }, "
                + "of = \"outflow\", by = [\"receiver\"], per = \"1d\" }]")
        #expect(try Self.most(rule) == "7000000 7000000 210000000")
    }

    @Test("the smallest limit of a rule counts, window by window")
    func windows() throws {
        let sum = "{ amount = \"10 ALGO\", of = \"outflow\", per = \"1d\" }"
        #expect(try Self.most(payRule("limit = [\(sum)]")) == "10000000 10000000 300000000")
        let count = "{ count = 2, per = \"1h\" }"
        #expect(
            try Self.most(payRule("outflow = { max = \"1 ALGO\" }\nlimit = [\(sum), \(count)]"))
                == "2000000 10000000 300000000")
        #expect(
            try Self.most(payRule("outflow = { max = \"1 ALGO\" }\nlimit = [{ uses = 3 }]"))
                == "3000000 3000000 3000000")
        #expect(
            try Self.most(
                payRule("request.total.ALGO = { max = \"1 ALGO\" }\nlimit = [{ uses = 3 }]"))
                == "3000000 3000000 3000000")
        let daily = "{ amount = \"10 ALGO\", of = \"outflow\", per = \"day\", tz = \"UTC\" }"
        #expect(try Self.most(payRule("limit = [\(daily)]")) == "20000000 20000000 310000000")
    }

    @Test("without a bound the rule and the reason are named")
    func unbounded() throws {
        #expect(try Self.reason(payRule("")) == "pay: it has no limit")
        #expect(
            try Self.reason(payRule("limit = [{ count = 2, per = \"1h\" }]"))
                == "pay: its limit counts requests, and nothing bounds \"outflow\" of one")
        let amount = "{ amount = \"10 ALGO\", of = \"amount\", per = \"1d\" }"
        #expect(
            try Self.reason(payRule("limit = [\(amount)]"))
                == "pay: its limit counts \"amount\", not all that leaves; count \"outflow\"")
        #expect(
            try Self.reason(payRule("limit = [\(amount)]\nacknowledge = [\"rekey\"]"))
                == "pay: it acknowledges \"rekey\": others may then control the account")
        let own = "acknowledge = [\"rekey\"]\nrekey_to = \"@own\"\nlimit = [{ uses = 1 }]\n"
        #expect(
            try Self.most(payRule(own + "outflow = { max = \"1 ALGO\" }"))
                == "1000000 1000000 1000000")
    }

    @Test("parts of an amount are added, and a payment rule moves no asset")
    func parts() throws {
        let rule = payRule(
            "type = \"pay\"\namount = { max = \"1 ALGO\" }\nfee = { max = \"0.01 ALGO\" }\n"
                + "limit = [{ count = 2, per = \"1h\" }]")
        #expect(try Self.most(rule) == "2020000 48480000 1454400000")
        #expect(try Self.most(rule, "every other token of algorand") == "no row")
        let asset = payRule(
            "asset = 7\nfee = { max = \"0.01 ALGO\" }\n"
                + "limit = [{ amount = 50, of = \"asset.amount\", per = \"1d\" }]")
        #expect(try Self.most(asset, "asset 7") == "50 50 1500")
        #expect(try Self.most(asset, "every other token of algorand") == "no row")
    }

    @Test("limits by key count once for each key of the home")
    func keys() throws {
        let rule = payRule(
            "limit = [{ amount = \"1 ALGO\", of = \"outflow\", per = \"30d\", by = [\"key\"] }]")
        #expect(try Self.most(rule) == "3000000 3000000 3000000")
        #expect(try Self.most(rule, key: "bob") == "1000000 1000000 1000000")
        #expect(try Self.most(rule, keys: nil) == "- - -")
        #expect(
            try Self.most(rule + "key = [\"alice\", \"bob\"]\n", keys: nil)
                == "2000000 2000000 2000000")
    }

    @Test("rules that share a budget share it")
    func budgets() throws {
        let budget =
            "[budget.cap]\nlimit = [{ amount = \"10 ALGO\", of = \"outflow\", per = \"1d\" }]\n"
        let rules =
            payRule("budget = \"cap\"", id: "a") + payRule("budget = \"cap\"", id: "b")
        #expect(try Self.most(budget + rules) == "10000000 10000000 300000000")
        let more = payRule(
            "limit = [{ amount = \"1 ALGO\", of = \"outflow\", per = \"1h\" }]", id: "c")
        #expect(try Self.most(budget + rules + more) == "11000000 34000000 1020000000")
    }

    @Test("a rule about one network leaves the others apart")
    func networks() throws {
        let rule = payRule("network = \"testnet\"")
        #expect(try Self.most(rule, "ALGO on testnet") == "- - -")
        #expect(try Self.most(rule, "ALGO on other networks") == "no row")
        #expect(
            try Self.most(
                rule + payRule("limit = [{ uses = 1 }]\noutflow = { max = \"1 ALGO\" }", id: "b"),
                "ALGO on other networks") == "1000000 1000000 1000000")
    }

    @Test("remembered answers add what is left of their totals, each total once")
    func remembered() throws {
        let asset = Asset(
            id: "algorand/mainnet/algo", network: "mainnet", name: "", unit: WorstCaseStreams.algo)
        let grants = ["alice", "bob"].map { key in
            let total = Grant.Total(Outflow(asset, 9), counter: "shared")
            let scope = Grant.Scope(
                client: "c", proof: .token, key: KeyID(key), protocolID: ProtocolID("algorand"),
                method: "sign_transactions", facts: [])
            let grant = Grant(
                id: [1], answer: .yes, scope: scope, dangers: [], created: Timestamp(seconds: 0),
                expires: nil, login: nil, usesMax: nil, totals: [total])
            return WorstCase.Remembered(grant, keyName: key, left: [(total, 5)])
        }
        #expect(try Self.most("", remembered: grants) == "5 5 5")
        #expect(try Self.most("", key: "bob", remembered: grants) == "5 5 5")
        let rule = payRule("limit = [{ amount = \"1 ALGO\", of = \"outflow\", per = \"1d\" }]")
        #expect(try Self.most(rule, remembered: grants) == "1000005 1000005 30000005")
    }

    @Test("a remembered answer with an amount a day adds it for each day of the period")
    func rememberedDaily() throws {
        let asset = Asset(
            id: "algorand/mainnet/algo", network: "mainnet", name: "", unit: WorstCaseStreams.algo)
        let total = Grant.Total(Outflow(asset, 9), counter: "shared")
        let scope = Grant.Scope(
            client: "c", proof: .token, key: KeyID("alice"), protocolID: ProtocolID("algorand"),
            method: "sign_transactions", facts: [])
        let grant = Grant(
            id: [1], answer: .yes, scope: scope, dangers: [], created: Timestamp(seconds: 0),
            expires: nil, login: nil, usesMax: nil, totals: [total], per: .day)
        let given = WorstCase.Remembered(grant, keyName: "alice", left: [(total, 2)])
        #expect(try Self.most("", remembered: [given]) == "9 9 270")
    }

    @Test("acts are listed by kind, with their number; a decryption needs its danger")
    func acts() throws {
        let rules =
            "[[rule]]\nid = \"notes\"\neffect = \"allow\"\nprotocol = \"nostr\"\n"
            + "operation = \"sign_event\"\nkind = [1, 6]\n"
            + "limit = [{ count = 60, per = \"1h\" }]\n"
            + "[[rule]]\nid = \"read\"\neffect = \"allow\"\nprotocol = \"nostr\"\n"
            + "operation = \"nip44_decrypt\"\nacknowledge = [\"decrypt\"]\n"
            + "[[rule]]\nid = \"blind\"\neffect = \"allow\"\nprotocol = \"nostr\"\n"
            + "operation = \"nip44_decrypt\"\n"
        let acts = WorstCaseTests.worstCase(try policy(rules, version: 2)).acts
        #expect(acts.map(\.rule) == ["read", "notes"])
        #expect(acts.map(\.kind) == [.decryption, .publication])
        #expect(acts.last?.most == [60, 1_440, 43_200])
        #expect(acts.last?.detail == ["kind 1 or 6"])
    }

    @Test("100 budgets bound 1,000 rules that draw on them")
    func many() throws {
        let budgets = (0..<100).map { number in
            "[budget.b\(number)]\n"
                + "limit = [{ amount = \"10 ALGO\", of = \"outflow\", per = \"1d\" }]\n"
        }
        let rules = (0..<1_000).map { number in
            let lines = [
                "receiver = \"r\(number)\"", "amount = { max = \"1 ALGO\" }",
                "fee = { max = \"0.1 ALGO\" }", "budget = \"b\(number % 100)\"",
                "limit = [{ count = 3, per = \"day\", tz = \"Europe/Berlin\" }]",
            ]
            return payRule(lines.joined(separator: "\n"), id: "r\(number)")
        }
        let most = try Self.most((budgets + rules).joined())
        #expect(most == "1000000000 1000000000 30000000000")
    }
}

@Suite("Windows in a period")
struct WindowCountTests {
    @Test("no stream gets more of a sliding window than the count says, and one reaches it")
    func sliding() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let length = Int64.random(in: 1...12, using: &generator)
            let period = Int64.random(in: 1...40, using: &generator)
            var counter = WindowCount(now: Timestamp(seconds: 0))
            let most = counter.most(of: .sliding(seconds: length), in: period)
            for isGreedy in [true, false] {
                // As much as the window leaves at each moment, or a random part of it.
                var uses: [(time: Int64, amount: Int128)] = []
                for time in Int64(0)..<100 {
                    let window = LimitWindow.sliding(seconds: length)
                    let last = window.lastUncounted(before: Timestamp(seconds: time))
                    let used = uses.filter { $0.time > last }.reduce(0) { $0 + $1.amount }
                    let part = isGreedy ? 3 - used : Int128.random(in: 0...(3 - used))
                    uses.append((time, part))
                }
                let found = WorstCaseTests.most(uses, in: period)
                #expect(found <= 3 * most)
                if isGreedy { #expect(found == 3 * most) }
            }
        }
    }

    @Test(
        "a period meets no more calendar windows than the count says",
        arguments: [
            "UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Havana", "Asia/Kathmandu",
        ])
    func calendar(_ zone: String) throws {
        var generator = SystemRandomNumberGenerator()
        for unit in ["hour", "day", "week", "month", "year"] {
            let rule = payRule("limit = [{ count = 1, per = \"\(unit)\", tz = \"\(zone)\" }]")
            let limit = try #require(try policy(rule, version: 2).limits.first?.limit.limit)
            let start: Int64 = 1_774_000_000
            var counter = WindowCount(now: Timestamp(seconds: start))
            for period in WorstCase.periods {
                let most = counter.most(of: limit.window, in: period.seconds)
                for _ in 0..<20 {
                    // Uses one unit at the first moment of each window, from some moment on.
                    let first = start + Int64.random(in: 0..<30_000_000, using: &generator)
                    var (time, count) = (first, Int128(0))
                    while time < first + period.seconds {
                        count += 1
                        time = try #require(limit.window.end(at: Timestamp(seconds: time))).seconds
                    }
                    #expect(count <= most, "\(unit) in a \(period.name)")
                }
            }
        }
    }
}
