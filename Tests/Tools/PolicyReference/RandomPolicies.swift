// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// Creates small policies, and requests that often match them.
package struct RandomPolicies {
    package var generator: SeededGenerator
    private var version = 1
    /// The budgets of the file: counts of all protocols, and one of payments.
    private var budgets: [String] = []

    package init(generator: SeededGenerator) { self.generator = generator }

    static let engineConditions: [[String]] = [
        ["key = \"alice\"", "key = { not_in = \"bob\" }"],
        ["client = \"c1\"", "client = { not_in = [\"c2\"] }", "client = { exists = true }"],
        ["effects = { has = \"spends\" }", "effects = { in = [\"spends\", \"publishes\"] }"],
        [
            "danger = { has = \"opaque\" }", "danger = { not_in = \"opaque\" }",
            "danger = { count = { max = 1 } }",
        ],
        ["decoded = \"full\"", "decoded = { not_in = \"opaque\" }"],
        ["size = { max = 10 }", "size = { min = 10 }"],
        ["request.operations = { max = 1 }", "request.operations = { not_in = [0, 2] }"],
        [
            "\"client.proof\" = \"claimed\"", "\"client.name\" = { glob = \"N*\" }",
            "\"client.proof\" = [\"token\", \"browser\"]", "\"client.profile\" = \"p1\"",
            "\"client.callback\" = { exists = true }",
        ],
        ["\"key.tags\" = { has = \"t1\" }", "\"key.tags\" = { not_in = [\"t1\", \"t2\"] }"],
        [
            "\"client.process.uid\" = { max = 1000 }", "\"client.process.unit\" = \"bot.service\"",
            "\"client.process.exe\" = { regex = '/usr/.*' }",
        ],
        ["time = { min = 2018-11-04T03:00:00Z }", "time = { max = 2026-03-29T00:59:59Z }"],
    ]

    static let nostrConditions: [[String]] = [
        ["operation = \"sign_event\"", "operation = { not_in = \"sign_event\" }"],
        [
            "kind = 1", "kind = [1, 6]", "kind = { min = 1, max = 6 }", "kind = \"@kinds\"",
            "kind = { not_in = [1, 4] }", "kind = { exists = false }", "kind = { exists = true }",
        ],
        [
            "tag.p = { has = \"aa\" }", "tag.p = { in = [\"aa\", \"bb\"] }",
            "tag.p = { not_in = \"aa\" }", "tag.p = { count = { min = 1, max = 1 } }",
            "tag.p = { prefix = \"a\" }", "tag.p = { has = \"@friends\", count = { max = 1 } }",
        ],
        peerFirstUses,
        ["peer = \"@own\"", "peer = { not_in = \"@own\" }", "peer = [\"aa\", \"@friends\"]"],
        ["content.contains = { has = \"b\" }", "content.contains = { suffix = [\"b\", \"aa\"] }"],
        ["pubkey_mismatch = false"],
        [
            "url = { glob = [\"https://*.x/**\", \"a?\"] }", "url = { regex = '(a|b)+' }",
            "url = { glob = \"*\" }",
        ],
    ]

    static let algorandConditions: [[String]] = [
        ["amount = { max = \"5 ALGO\" }", "amount = { min = \"0.000002 ALGO\" }"],
        ["rekey_to = \"@own\"", "rekey_to = { exists = false }", "rekey_to = \"@mine\""],
        receiverFirstUses,
        ["receiver = \"@friends\"", "receiver = { not_in = [\"bb\", \"@mine\"] }"],
        ["outflow = { max = \"2 ALGO\" }", "outflow = { min = \"0.001 ALGO\" }"],
        ["request.total.ALGO = { max = \"2 ALGO\" }", "request.total.ALGO = \"0.002 ALGO\""],
    ]

    /// The conditions of a rule about one asset: an amount in its unit names it as they do.
    static let assetConditions: [String: [[String]]] = [
        "GOLD": [
            [
                "\"asset.amount\" = { max = \"6 GOLD\" }", "\"asset.amount\" = \"0.000004 GOLD\"",
                "\"asset.amount\" = { min = 2, max = \"0.000006 GOLD\" }",
                "\"asset.amount\" = { not_in = [\"0.000004 GOLD\", 1] }",
            ],
            ["asset = 1"], ["network = \"mainnet\""],
        ],
        "DUST": [
            ["\"asset.amount\" = { max = \"4 DUST\" }", "\"asset.amount\" = { min = \"4 DUST\" }"],
            ["asset = { in = [4] }"],
        ],
    ]
    static let assets = """
        [asset.GOLD]
        protocol = "algorand"
        network = "mainnet"
        id = 1
        decimals = 6
        [asset.DUST]
        protocol = "algorand"
        network = "testnet"
        id = 4
        decimals = 0

        """

    /// Early times, the edges of days, weeks and months in several zones, and clock changes.
    static let times: [Int64] = [
        100, 1_000, 1_541_300_399, 1_541_300_400, 1_518_919_200, 1_518_922_799, 1_774_738_799,
        1_774_738_800, 1_774_746_000, 1_795_219_200, 1_795_219_199, 1_795_302_000, 1_798_761_599,
        1_798_758_000, 1_795_203_900, 1_795_294_800,
    ]

    static let head = """

        [set.friends]
        accounts = ["aa", "bb"]
        [set.mine]
        accounts = ["@own", "@friends"]
        [set.kinds]
        values = [1, 4]

        """

    static let people = "[approvers]\nbob = \"ed25519:\(String(repeating: "ab", count: 32))\"\n"

    package func file(_ rules: [String], fallback: String) -> String {
        "version = \(version)\ndefault = \"\(fallback)\"\n" + Self.head
            + (version == 1 ? "" : Self.people + Self.assets + budgets.joined()) + rules.joined()
    }

    package mutating func rule(_ id: String, effect: String? = nil) -> String {
        let effect =
            effect
            ?? pick(
                version == 1
                    ? ["allow", "allow", "allow", "allow", "allow", "allow", "ask", "deny"]
                    : ["allow", "allow", "allow", "allow", "ask", "ask", "deny"])
        var pool = Self.engineConditions
        var lines = ["id = \"\(id)\"", "effect = \"\(effect)\""]
        var dangers = ["opaque", "oversize"]
        var asset: String?
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: break
        case 1:
            pool += Self.algorandConditions + (version > 1 ? [Self.assetTotals] : [])
            if version > 1 { asset = pick(["GOLD", "DUST", nil]) }
            pool += asset.flatMap { Self.assetConditions[$0] } ?? []
            lines.append("protocol = \"algorand\"")
            dangers.append("rekey")
        default:
            pool += Self.nostrConditions
            lines.append("protocol = \"nostr\"")
            dangers.append("decrypt")
        }
        lines += conditions(pool, countMax: 2)
        if effect == "allow" {
            let names = dangers.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
            if !names.isEmpty { lines.append("acknowledge = \(names)") }
            pick([nil, nil, nil, "1s", "1h", "2h"]).map { lines.append("delay = \"\($0)\"") }
            if Int.random(in: 0..<2, using: &generator) == 0 {
                let isAlgorand = lines.contains("protocol = \"algorand\"")
                let isOpen = !lines.contains { $0.hasPrefix("receiver") }
                lines.append("limit = [\(limits(isAlgorand, asset, isOpen: isOpen))]")
                if version == 1, Bool.random(using: &generator) {
                    lines.append("on_exceed = \"ask\"")
                }
            }
        }
        if version > 1, effect != "deny", Bool.random(using: &generator) {
            var names = ["b0", "b1", "b2"]
            if lines.contains("protocol = \"algorand\"") { names += ["b3", "b5"] }
            // An ask rule has to name the asset of a budget.
            let isAbout = lines.contains { $0.contains("GOLD") && !$0.contains("total") }
            if asset == "GOLD", effect == "allow" || isAbout { names.append("b4") }
            names.shuffle(using: &generator)
            lines.append("budget = \(Array(names.prefix(pick([1, 2, 3]))))")
        }
        if Int.random(in: 0..<12, using: &generator) == 0 {
            lines.append("expires = 1970-01-01T00:0\(pick(["1", "9"])):00Z")
        }
        if Int.random(in: 0..<6, using: &generator) == 0 {
            lines.append(pick(Self.schedules))
            if !lines.contains(where: { $0.hasPrefix("tz = ") }) {
                lines.append("tz = \"\(pick(Self.zones))\"")
            }
        }
        lines += exceptions(pool) + batches(pool)
        return "[[rule]]\n" + lines.joined(separator: "\n") + "\n"
    }

    package mutating func request() -> JudgedRequest {
        var request = FakeRequest()
        request.protocolID = ProtocolID(pick(["nostr", "nostr", "nostr", "algorand", "near"]))
        request.method =
            switch request.protocolID.name {
            case "nostr": pick(["sign_event", "nip44_decrypt", "unheard_of"])
            case "algorand": pick(["sign_transactions", "sign_transactions", "disable"])
            default: "sign_message"
            }
        if Bool.random(using: &generator) {
            request.client = Client(
                id: pick(["c1", "c2", "c[1]=%"]), name: pick([nil, "N1", "M"]),
                proof: pick([
                    .claimed, .callback, .token, .page, .browser(profile: "p1"),
                    .browser(profile: "p2"),
                ]), party: pick([nil, "c1", "c"]), callback: pick([nil, "c1"]))
        }
        request.decoding = pick([.full, .full, .full, .partial, .opaque])
        request.facts = facts()
        request.effects = pick([[], [.spends], [.publishes], [.encrypts]])
        request.dangers = dangers()
        let operationsMax = request.method == "disable" ? 0 : 3
        for _ in 0..<Int.random(in: 0...operationsMax, using: &generator) {
            request.operations.append(
                RequestedOperation(
                    account: .named(
                        pick(["alice", "bob"]), tags: pick([[], [], ["t1"], ["t2", "t3"]])),
                    operation: .publicKey, facts: facts(),
                    effects: pick([[], [.spends], [.decrypts]]), dangers: dangers(),
                    outflows: pick(Self.outflows), isCosigning: pick([false, false, false, true])))
        }
        let time = pick(Self.times)
        let isBehind = Int.random(in: 0..<10, using: &generator) == 0
        return request.judged(
            at: time, clock: isBehind ? time - pick([1, 3_600, 600_000]) : nil,
            bytes: pick([9, 10, 11]),
            peer: pick([
                Peer(channel: "cli", opensCallbacks: true),
                Peer(
                    channel: "cli", provedUserID: pick([1_000, 1_001]), executable: "/usr/bin/bot",
                    unit: pick([nil, "bot.service"]), opensCallbacks: true),
            ]))
    }

    /// Uses of every counter of a policy, near its maximum.
    package mutating func usage(_ document: PolicyDocument) -> FakeUsage {
        var counts: [String: Int128] = [:]
        let owned =
            document.rules.map { ($0.id, $0.ownLimits) }
            + document.budgets.map { ($0.name, $0.limits) }
        for (owner, limits) in owned {
            for limit in limits {
                let near: [Int128] =
                    [0, 0, 1, 2, limit.maximum - 1, limit.maximum]
                    + (limit.table?.entries.map(\.maximum) ?? [])
                var counter = "\(owner)#count"
                if case .sum(let field) = limit.measure {
                    let unit = limit.rates.isEmpty ? "" : " in USD"
                    counter = "\(owner)#sum(\(field.name)\(unit))"
                }
                if case .sliding(let seconds) = limit.window, Bool.random(using: &generator) {
                    counter += "/\(seconds)"
                }
                counts[counter] = pick(near)
            }
        }
        return FakeUsage(counts: counts, firstUses: firstUses())
    }

    /// A whole file, sometimes with so many rules that the engine indexes them.
    package mutating func file(version chosen: Int? = nil) -> String {
        version = chosen ?? pick([1, 2])
        budgets = version == 1 ? [] : (0..<6).map { budget($0) }
        let isLarge = Int.random(in: 0..<8, using: &generator) == 0
        let count = Int.random(in: isLarge ? 20...50 : 0...8, using: &generator)
        let rules = (0..<count).map { number in
            isLarge && Bool.random(using: &generator)
                ? narrowRule("r\(number)") : rule("r\(number)")
        }
        return file(rules, fallback: pick(["ask", "deny"]))
    }

    /// A rule that demands one of few values, which makes it eligible for the index.
    private mutating func narrowRule(_ id: String) -> String {
        let effect = pick(["allow", "allow", "allow", "allow", "allow", "ask", "deny"])
        let demand = pick([
            "kind = \(pick([1, 4, 6, 7, 9]))", "peer = \"\(pick(["aa", "bb", "cc"]))\"",
            "client = \"\(pick(["c1", "c2", "c3"]))\"", "kind = [\(pick([1, 4])), \(pick([6, 7]))]",
            "url = \"\(pick(["ab", "x"]))\"", "kind = { in = [1, 4, 6], max = 4 }",
        ])
        return "[[rule]]\nid = \"\(id)\"\neffect = \"\(effect)\"\nprotocol = \"nostr\"\n"
            + "operation = \"sign_event\"\n\(demand)\n"
    }

    private mutating func budget(_ number: Int) -> String {
        let counts = [
            "{ uses = 3 }", "{ count = 2, per = \"1h\" }", "{ count = 3, per = \"1d\" }",
            "{ count = 2, per = \"day\", tz = \"\(pick(Self.zones))\" }",
            "{ count = 1, per = \"2h\", by = [\"key\"] }",
            "{ amount = 30, of = \"size\", per = \"1h\" }",
        ]
        let sums = [
            "{ amount = \"6 ALGO\", of = \"amount\", per = \"1d\" }",
            "{ amount = \"17.5 USD\", of = \"amount\", per = \"1d\" }",
        ]
        let tokens = ["{ amount = \"6.000001 GOLD\", of = \"asset.amount\", per = \"1d\" }"]
        let outflows = [
            "{ amount = \"6 ALGO\", of = \"outflow\", per = \"1d\" }",
            "{ amount = \"17.5 USD\", of = \"outflow\", per = \"1d\" }",
            "{ amount = \"0.002501 USD\", of = \"outflow\", per = \"2d\" }",
        ]
        let pools = [3: sums, 4: tokens, 5: outflows]
        let pool = (pools[number] ?? counts).shuffled(using: &generator)
        let limits = pool.prefix(pick([1, 2]))
        var lines = ["[budget.b\(number)]", "limit = [\(limits.joined(separator: ", "))]"]
        lines += pick([
            [], [], ["final = true"], ["final = true"], ["escalate = true"],
            ["escalate = { approvers = { min = 1, of = \"bob\" } }"],
        ])
        if limits.contains(where: { $0.contains("USD") }) {
            var rates = ["ALGO = \"2.50\""]
            if number == 5 {
                let gold = pick(["2", "0.3", "0.000000000000001"])
                rates += pick([
                    [], ["\"GOLD@algorand\" = \"\(gold)\""],
                    ["\"DUST@algorand\" = \"2\"", "\"GOLD@algorand\" = \"\(gold)\""],
                ])
            }
            lines += ["unit = \"USD\"", "rate = { \(rates.joined(separator: ", ")) }"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static let zones = ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu"]
    static let schedules = [
        "hours = \"09:00-18:00\"", "hours = [\"22:00-06:00\", \"12:00-13:00\"]",
        "days = [\"sat\", \"sun\"]", "hours = \"23:00-01:30\"\ndays = [\"sat\", \"mon\"]",
    ]

    private mutating func limits(
        _ isAlgorand: Bool, _ asset: String?, isOpen: Bool
    ) -> String {
        var pool = [
            "{ uses = 3 }", "{ count = 2, per = \"1h\" }", "{ count = 3, per = \"1d\" }",
            "{ count = 2, per = \"\(pick(["hour", "day", "week", "month", "year"]))\", "
                + "tz = \"\(pick(Self.zones))\" }",
            // On New Year's Eve in UTC, all these windows begin at the same moment in this zone.
            ["day", "week", "month", "year"].shuffled(using: &generator).prefix(3).map {
                "{ count = 4, per = \"\($0)\", tz = \"Pacific/Chatham\" }"
            }.joined(separator: ", "),
            "{ count = 1, per = \"2h\", by = [\"key\"] }",
            "{ amount = 30, of = \"size\", per = \"1h\" }",
        ]
        if version == 1 {
            // Only version 1 lets a limit count by what a client chooses, beside another limit.
            pool += [
                "{ count = 2, per = \"1h\", by = [\"client\", \"size\"] }, "
                    + "{ count = 9, per = \"3h\" }",
                "{ count = 2, per = \"1h\", by = [\"client.party\"] }, "
                    + "{ count = 9, per = \"4h\" }",
            ]
        }
        if isAlgorand {
            pool += [
                "{ amount = \"6 ALGO\", of = \"amount\", per = \"1d\" }",
                "{ amount = \"7000001 microAlgo\", of = \"amount\", per = \"2d\""
                    + (version == 1 ? ", by = [\"receiver\"]" : "") + " }, "
                    + "{ amount = \"50 ALGO\", of = \"amount\", per = \"3d\" }",
                "{ amount = \"12 ALGO\", of = \"amount\", per = \"day\", "
                    + "tz = \"\(pick(Self.zones))\" }",
            ]
        }
        if isAlgorand, isOpen, version > 1 {
            let table = pick([
                "{ aa = \"6 ALGO\", bb = \"0.000004 ALGO\" }",
                "{ aa = \"0.000005 ALGO\", cc = \"6 ALGO\" }",
            ])
            pool.append(
                "{ amount = \(table), of = \"amount\", by = [\"receiver\"], per = \"1d\" }")
        }
        if let asset {
            let amount = asset == "GOLD" ? "6.00001 GOLD" : "9 DUST"
            pool += ["{ amount = \"\(amount)\", of = \"asset.amount\", per = \"1d\" }"]
        }
        let count = Int.random(in: 1...3, using: &generator)
        return pool.shuffled(using: &generator).prefix(count).joined(separator: ", ")
    }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }

    mutating func conditions(_ pool: [[String]], countMax: Int) -> [String] {
        let count = max(0, Int.random(in: -1...countMax, using: &generator))
        return pool.shuffled(using: &generator).prefix(count).map { pick($0) }
    }
}
