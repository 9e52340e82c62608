// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("The worst case in words")
struct WorstCaseTextTests {
    @Test("an asset that the policy names has its unit, on its network only")
    func units() throws {
        let asset =
            "[asset.GOLD]\nprotocol = \"algorand\"\nnetwork = \"mainnet\"\nid = 7\ndecimals = 2\n"
        let limit = "amount = \"1.5 GOLD\", of = \"asset.amount\", per = \"1d\""
        let rule = payRule("limit = [{ \(limit) }]")
        let other = payRule(
            "network = \"testnet\"\nasset = 7\n"
                + "limit = [{ amount = 9, of = \"asset.amount\", per = \"1d\" }]", id: "other")
        let text = WorstCaseTests.worstCase(
            try policy(asset + rule + other, version: 2), keys: nil
        ).text
        #expect(
            text.contains(
                "asset 7 on mainnet\n  in all: 1.5 GOLD an hour, 1.5 GOLD a day, "
                    + "45 GOLD in 30 days\n"))
        #expect(
            text.contains(
                "asset 7 on testnet, in smallest units\n  in all: 9 an hour, 9 a day, 270 in"))
    }

    @Test("a budget in a common unit has a row for each field that it adds up")
    func fields() throws {
        let rules =
            "[budget.b]\nlimit = [{ amount = \"50 USD\", of = \"outflow\", per = \"1d\" }, "
            + "{ amount = \"1 USD\", of = \"fee\", per = \"1d\" }]\n"
            + "unit = \"USD\"\nrate = { ALGO = \"0.2\" }\n" + payRule("budget = \"b\"")
        let policy = try WorstCaseStreams.load("version = 2\ndefault = \"ask\"\n" + rules)
        let rows = WorstCaseTests.worstCase(policy, keys: nil).budgets
        #expect(rows.map(\.field) == ["outflow", "fee"])
        #expect(rows.map { $0.most.first?.number } == [50_000_000_000, 1_000_000_000])
    }

    @Test("a total bounds its token on the network of the token, not on others")
    func totals() throws {
        func text(_ rest: String) throws -> String {
            let policy = try WorstCaseStreams.load(
                "version = 2\ndefault = \"ask\"\n[asset.GOLD]\nprotocol = \"algorand\"\n"
                    + "network = \"mainnet\"\nid = 7\ndecimals = 0\n"
                    + payRule(
                        "type = \"axfer\"\nasset = 7\nlimit = [{ count = 3, per = \"1d\" }]\n"
                            + "request.total.GOLD = { max = \"1 GOLD\" }\n\(rest)"))
            return WorstCaseTests.worstCase(policy, keys: nil).text
        }
        #expect(try text("network = \"mainnet\"").contains("3 GOLD an hour"))
        #expect(try text("").contains("asset 7\n  in all: unbounded"))
    }

    @Test("a budget in a common unit bounds tokens with a rate; others do not leave by it")
    func rates() throws {
        let rules =
            "[asset.GOLD]\nprotocol = \"algorand\"\nnetwork = \"mainnet\"\nid = 7\ndecimals = 2\n"
            + "[budget.all]\nlimit = [{ amount = \"50 USD\", of = \"outflow\", per = \"1d\" }]\n"
            + "unit = \"USD\"\nrate = { ALGO = \"0.2\", NEAR = \"3\", \"GOLD@algorand\" = \"8\" }\n"
            + payRule("network = [\"mainnet\", \"testnet\"]\nbudget = \"all\"")
            + "[[rule]]\nid = \"near\"\neffect = \"allow\"\nprotocol = \"near\"\nbudget = \"all\"\n"
        let policy = try WorstCaseStreams.load("version = 2\ndefault = \"ask\"\n" + rules)
        let text = WorstCaseTests.worstCase(policy, keys: nil).text
        for part in [
            "asset 7 on mainnet\n  in all: 6.25 GOLD an hour, 6.25 GOLD a day, 187.5 GOLD in 30",
            "asset 7 on testnet, in smallest units\n  in all: nothing\n",
            "every other token of algorand on mainnet, in smallest units\n  in all: nothing\n",
            "every other token of near\n  in all: unbounded\n    unbounded, by near:\n"
                + "      it allows calls whose tokens are not counted; "
                + "list the calls in \"method\"\n",
        ] { #expect(text.contains(part), "\(part)\n\(text)") }
    }

    @Test("bounds, reasons, budgets and acts are told in lines of at most 80 columns")
    func text() throws {
        let rules =
            "[budget.cap]\nlimit = [{ amount = \"50 USD\", of = \"outflow\", per = \"1d\" }]\n"
            + "unit = \"USD\"\nrate = { ALGO = \"0.2\" }\nfinal = true\n"
            + payRule("type = \"pay\"\nbudget = \"cap\"")
            + payRule(
                "asset = 7\nlimit = [{ amount = 9, of = \"asset.amount\", per = \"1d\" }]",
                id: "token")
        let text = WorstCaseTests.worstCase(try policy(rules, version: 2), keys: nil).text
        #expect(
            text == """
                the most that can leave without a question to a person:
                ALGO
                  in all: unbounded
                    unbounded, by token:
                      its limit counts "asset.amount", not all that leaves; count "outflow"
                asset 7, in smallest units
                  in all: 9 an hour, 9 a day, 270 in 30 days
                NEAR
                  in all: nothing
                budget cap, in USD of "outflow"
                  in all: 50 USD an hour, 50 USD a day, 1500 USD in 30 days
                  amounts that people approve are within this: the budget is final
                without a question, these can sign transactions:
                  pay: sign_transactions
                    any number of times
                  token: sign_transactions
                    any number of times
                What people approve comes on top, unless a final budget counts it.
                Periods begin at any moment; bounds hold while policy and keys stay the same.
                """)
    }
}
