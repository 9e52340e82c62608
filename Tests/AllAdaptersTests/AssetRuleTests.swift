// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import PolicyReference
import SigningCore
import SigningCrypto
import SigningPolicy
import SigningPolicyTools
import Testing

@Suite("Assets of the chains in rules")
struct AssetRuleTests {
    private static func loaded(_ text: String) throws(PolicyLoadError) -> TOMLPolicy {
        try RuleValueTests.load("version = 2\ndefault = \"ask\"\n\(text)")
    }

    private static func errors(_ text: String) -> [String] {
        do throws(PolicyLoadError) {
            _ = try loaded(text)
            return []
        } catch {
            return error.diagnostics.filter { $0.severity == .error }.map(\.headline)
        }
    }

    private static let dai = """
        [asset.DAI]
        protocol = "near"
        network = "mainnet"
        contract = "dai.near"
        decimals = 18

        """

    private static func rule(_ rest: String, _ protocolName: String = "near") -> String {
        "[[rule]]\nid = \"a\"\neffect = \"allow\"\nprotocol = \"\(protocolName)\"\nkey = \"k\"\n"
            + "\(rest)\n"
    }

    private static let cap = "token.amount = { max = \"50.5 DAI\" }\n"
    private static let plain = "token.amount = { max = \"50500000000000000000\" }\n"
    private static let pins = "network = \"mainnet\"\nreceiver = \"dai.near\"\n"

    @Test("a token of near is its contract, its network and no token with an id")
    func near() throws {
        let whole = Self.pins + "token.ids = { exists = false }\n"
        let calls = "method = { in = [\"ft_transfer\", \"ft_transfer_call\"] }\n"
        let limit = "limit = [{ amount = \"50.5 DAI\", of = \"token.amount\", per = \"1d\" }]"
        let integers =
            "limit = [{ amount = \"50500000000000000000\", of = \"token.amount\", per = \"1d\" }]"
        for (decimals, written) in [
            (Self.cap, whole + Self.plain),
            // Other calls have tokens with ids, so these need no condition on them.
            (calls + Self.cap, calls + Self.pins + Self.plain),
            (limit, whole + integers),
            (calls + limit, calls + Self.pins + integers),
        ] {
            let policies = try [decimals, written].map { text in
                try Self.loaded(Self.dai + Self.rule(text))
            }
            #expect(policies[0].document.canonicalJSON == policies[1].document.canonicalJSON)
        }
    }

    @Test(
        "that are not of the chain's form are refused",
        arguments: [
            (dai.replacing("dai.near", with: "Dai.Near"), "p:6:12: error[P0128]: \"contract\""),
            (dai.replacing("dai.near", with: "d"), "p:6:12: error[P0128]: \"contract\" takes"),
            (dai.replacing("mainnet", with: "mainet"), "p:5:11: error[P0128]: \"network\" is"),
            (dai.replacing("\"dai.near\"", with: "5"), "p:6:12: error[P0128]: \"contract\""),
            (
                dai.replacing("contract = \"dai.near\"", with: "id = 5"),
                "p:3:8: error[P0112]: the asset"
            ),
            (dai.replacing("near\"\nnet", with: "nostr\"\nnet"), "p:4:12: error[P0125]: unknown"),
            (
                dai.replacing("protocol = \"near\"", with: "protocol = \"algorand\""),
                "p:3:8: error[P0112]: the asset \"DAI\" has no id"
            ),
            (dai.replacing("DAI", with: "yoctoNEAR"), "looks like \"yoctoNEAR\""),
            (
                dai + rule("token.amount = \"5 NEAR\""),
                "takes an integer, or an amount such as"
            ),
            (dai + rule("deposit = \"5 DAI\""), "is written in NEAR or yoctoNEAR, not in DAI"),
            (
                dai + rule("\"asset.amount\" = \"5 DAI\"", "algorand"),
                "with a table [asset.NAME] for algorand"
            ),
            (
                dai + rule("\(cap)token.ids = { has = \"a\" }"),
                "\"token.ids\" does not fit amounts in DAI, for which it is absent"
            ),
        ])
    func refused(_ text: String, _ message: String) {
        #expect(Self.errors(text).contains { $0.contains(message) }, "\(Self.errors(text))")
    }

    @Test("have the ids that the adapters give to outflows, so that budgets count them")
    func ids() throws {
        let gold = """
            [asset.GOLD]
            protocol = "algorand"
            network = "testnet"
            id = "18446744073709551615"
            decimals = 0

            """
        let budget =
            "[budget.all]\nunit = \"USD\"\nlimit = [{ amount = \"5 USD\", of = \"outflow\", "
            + "per = \"1d\" }]\nrate = { NEAR = \"3\", ALGO = \"1\", \"DAI@near\" = \"1\", "
            + "\"GOLD@algorand\" = \"2\" }\n"
        let policy = try Self.loaded(Self.dai + gold + budget + Self.rule("budget = \"all\""))
        #expect(
            policy.document.assets.map(\.id.text)
                == ["near/mainnet/token/dai.near", "algorand/testnet/asset/18446744073709551615"])
        let limit = try #require(policy.document.budgets.first?.limits.first)
        // As in the tests of outflows of both chains.
        for (id, isPriced) in [
            ("near/mainnet/token/dai.near", true), ("near/testnet/token/dai.near", false),
            ("near/mainnet/token/dai.near/dai.near", false),
        ] {
            let asset = Asset(id: id, network: "mainnet", name: "", unit: nil)
            #expect((limit.rate(of: asset, in: "near") != nil) == isPriced)
        }
    }

    /// The methods and dangers of a NEAR transaction, and whether its outflows show all tokens.
    private static let calls: [(methods: [String], dangers: [String], isShown: Bool)] = [
        ([], [], true), (["ft_transfer"], ["token_transfer"], true),
        (["ft_transfer", "ft_transfer_call"], ["token_transfer"], true),
        (["withdraw_all"], [], false), (["ft_transfer", "withdraw_all"], [], false),
        (["nft_approve"], ["token_transfer"], false), (["ft_transfer"], ["opaque"], false),
        ([], ["delegates"], false),
    ]

    @Test("the total of a token is unknown if a call may move it unseen", arguments: calls.indices)
    func unseen(row: Int) throws {
        let (methods, dangers, isShown) = Self.calls[row]
        let gas = Asset(
            id: "near/mainnet/near", network: "mainnet", name: "",
            unit: AmountUnit(symbol: "NEAR", decimals: 24, smallest: "yoctoNEAR"))
        let facts = methods.isEmpty ? [] : [Fact("method", .list(methods.map { .text($0) }))]
        let request = FakeRequest(
            protocolID: ProtocolID("near"), method: "sign_transaction",
            operations: [
                .fake(key: "k", facts, dangers: dangers, outflows: [Outflow(gas, 1)])
            ]
        ).judged()
        let known = "acknowledge = [\"opaque\", \"token_transfer\", \"delegates\"]\n"
        let allowed = Self.rule(known + "request.total.DAI = { max = \"1 DAI\" }")
        let denied = Self.rule("request.total.DAI = { min = \"1 DAI\" }")
            .replacing("\"allow\"", with: "\"deny\"")
        let coin = Self.rule(known + "request.total.NEAR = { max = \"1 NEAR\" }")
        for (rule, verdict) in [
            (allowed, isShown ? "allow" : "ask"), (denied, isShown ? "ask" : "deny"),
            (coin, "allow"),
        ] {
            let judgement = try Self.loaded(Self.dai + rule).judge(request, usage: FakeUsage())
            #expect(judgement.verdict.name == verdict, "\(rule)")
        }
    }

    @Test("a rule about a token is warned about if other actions of a transaction pass")
    func besides() throws {
        let method = "method = { in = [\"ft_transfer\"] }\n"
        let deposit = "deposit = { max = \"1 yoctoNEAR\" }\n"
        let budget = Self.limited("outflow", "\"1 NEAR\"")
        let text = "the rule \"a\" allows other"
        let ofMethod = "method = { in = [\"ft_transfer\"] }"
        let ofDeposit = "deposit = { max = \"1 yoctoNEAR\" }"
        let rows: [(rest: String, warning: String?)] = [
            (
                Self.cap,
                "\(text) calls and payments beside the tokens: add \(ofMethod) and \(ofDeposit)"
            ),
            (Self.cap + method, "\(text) payments beside the tokens: add \(ofDeposit)"),
            (Self.cap + deposit, "\(text) calls beside the tokens: add \(ofMethod)"),
            (Self.cap + budget, "\(text) calls beside the tokens: add \(ofMethod)"),
            (Self.cap + "method = { has = \"ft_transfer\" }\n" + deposit, "\(text) calls beside"),
            (Self.limited("token.amount", "\"5 DAI\""), "\(text) calls and payments beside"),
            (Self.pins + "token.ids = { exists = false }\n" + Self.plain, "\(text) calls and pay"),
            (Self.cap + method + deposit, nil), (Self.cap + method + budget, nil),
            (Self.cap + method + "actions = { in = [\"FunctionCall\"] }\n", nil),
            (Self.pins, nil), ("token.amount = { exists = false }\n", nil),
        ]
        for row in rows {
            let found = PolicyFindings.find(in: try Self.loaded(Self.dai + Self.rule(row.rest)))
                .filter { $0.code == "P0221" }.map(\.message)
            #expect(found.count == (row.warning == nil ? 0 : 1), "\(row) \(found)")
            #expect(row.warning.map { found.first?.hasPrefix($0) ?? false } ?? true, "\(found)")
        }
        let asked = Self.rule(Self.cap).replacing("\"allow\"", with: "\"ask\"")
        #expect(
            !PolicyFindings.find(in: try Self.loaded(Self.dai + asked)).contains {
                $0.code == "P0221"
            })
    }

    @Test("a total of a token without a network is warned about: elsewhere nothing of it leaves")
    func elsewhere() throws {
        let total = "request.total.DAI = { max = \"5 DAI\" }\n"
        for (rest, isWarned) in [
            (total, true), (total + "network = \"mainnet\"\n", false), (total + Self.cap, false),
            ("all = { request.total.DAI = { max = \"5 DAI\" } }\n", true),
            (total + "all = { network = \"mainnet\" }\n", false),
            ("request.total.DAI = { min = \"1 DAI\", max = \"5 DAI\" }\n", false),
            ("request.total.NEAR = { max = \"5 NEAR\" }\n", false),
        ] {
            let found = PolicyFindings.find(in: try Self.loaded(Self.dai + Self.rule(rest)))
                .filter { $0.code == "P0222" }.map(\.message)
            let text =
                "the rule \"a\" also allows requests on other networks, where no DAI leaves: add "
                + "network = \"mainnet\""
            #expect(found == (isWarned ? [text] : []), "\(rest)")
        }
        let denied = Self.rule(total).replacing("\"allow\"", with: "\"deny\"")
        #expect(
            !PolicyFindings.find(in: try Self.loaded(Self.dai + denied)).contains {
                $0.code == "P0222"
            })
    }

    private static func limited(_ field: String, _ amount: String) -> String {
        "limit = [{ amount = \(amount), of = \"\(field)\", per = \"1d\" }]\n"
    }

    @Test("limits of tokens in integers need one contract, and no tokens with ids")
    func integers() {
        let limit = "limit = [{ amount = 5, of = \"token.amount\", per = \"1d\" }]\n"
        for rest in [
            "receiver = \"dai.near\"\nmethod = { in = [\"ft_transfer\"] }",
            "receiver = \"dai.near\"\ntoken.ids = { exists = false }",
            "receiver = \"multi.near\"\ntoken.ids = { in = [\"gold\"] }",
        ] {
            #expect(Self.errors(Self.rule(limit + rest)) == [])
        }
        for rest in [
            "", "receiver = \"dai.near\"", "method = { in = [\"ft_transfer\"] }",
            "receiver = \"dai.near\"\nmethod = { in = [\"ft_transfer\", \"mt_transfer\"] }",
            "receiver = \"dai.near\"\nmethod = { has = \"ft_transfer\" }",
            "receiver = [\"dai.near\", \"usdt.near\"]\ntoken.ids = { exists = false }",
            "receiver = { suffix = \"near\" }\ntoken.ids = { exists = false }",
            "receiver = \"multi.near\"\ntoken.ids = { in = [\"gold\", \"dust\"] }",
        ] {
            let errors = Self.errors(Self.rule(limit + rest))
            #expect(errors.count == 1 && errors[0].contains("P0138"), "\(errors)")
        }
        let coins = "limit = [{ amount = \"5 NEAR\", of = \"deposit\", per = \"1d\" }]\n"
        #expect(Self.errors(Self.rule(coins)) == [])
    }
}
