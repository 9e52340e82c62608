// SPDX-License-Identifier: Apache-2.0
@testable import SigningCore
@testable import SigningPolicy

/// Makes small policies and requests that often have to do with each other.
struct RandomPolicies {
    var generator: SeededGenerator

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
        ["peer = \"@own\"", "peer = { not_in = \"@own\" }", "peer = [\"aa\", \"@friends\"]"],
        ["content.contains = { has = \"b\" }", "content.contains = { suffix = [\"b\", \"aa\"] }"],
        ["pubkey_mismatch = false"],
    ]

    static let algorandConditions: [[String]] = [
        ["amount = { max = \"5 ALGO\" }", "amount = { min = \"0.000002 ALGO\" }"],
        ["rekey_to = \"@own\"", "rekey_to = { exists = false }", "rekey_to = \"@mine\""],
        ["receiver = \"@friends\"", "receiver = { not_in = [\"bb\", \"@mine\"] }"],
    ]

    static let head = """
        version = 1

        [set.friends]
        accounts = ["aa", "bb"]
        [set.mine]
        accounts = ["@own", "@friends"]
        [set.kinds]
        values = [1, 4]

        """

    func file(_ rules: [String], fallback: String) -> String {
        "default = \"\(fallback)\"\n" + Self.head + rules.joined()
    }

    mutating func rule(_ id: String, effect: String? = nil) -> String {
        let effect = effect ?? pick(["allow", "allow", "allow", "ask", "deny"])
        var pool = Self.engineConditions
        var lines = ["id = \"\(id)\"", "effect = \"\(effect)\""]
        var dangers = ["opaque", "oversize"]
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: break
        case 1:
            pool += Self.algorandConditions
            lines.append("protocol = \"algorand\"")
            dangers.append("rekey")
        default:
            pool += Self.nostrConditions
            lines.append("protocol = \"nostr\"")
            dangers.append("decrypt")
        }
        lines += conditions(pool, countMax: 2)
        if effect == "allow" {
            let names = dangers.filter { _ in Bool.random(using: &generator) }
            if !names.isEmpty { lines.append("acknowledge = \(names)") }
            if Int.random(in: 0..<3, using: &generator) == 0 {
                let count = Int.random(in: 1...3, using: &generator)
                lines.append("limit = [{ count = \(count), per = \"1h\" }]")
                if Bool.random(using: &generator) { lines.append("on_exceed = \"ask\"") }
            }
        }
        if Int.random(in: 0..<12, using: &generator) == 0 {
            lines.append("expires = 1970-01-01T00:0\(pick(["1", "9"])):00Z")
        }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let exception = conditions(pool, countMax: 1)
            lines += exception.map { "unless.\($0)" }
        }
        return "[[rule]]\n" + lines.joined(separator: "\n") + "\n"
    }

    mutating func request() -> JudgedRequest {
        var request = FakeRequest()
        request.protocolID = ProtocolID(pick(["nostr", "nostr", "nostr", "algorand", "near"]))
        request.method =
            switch request.protocolID.name {
            case "nostr": pick(["sign_event", "nip44_decrypt", "unheard_of"])
            case "algorand": "sign_transactions"
            default: "sign_message"
            }
        if Bool.random(using: &generator) {
            request.client = Client(id: pick(["c1", "c2"]), name: nil, proof: .claimed)
        }
        request.decoding = pick([.full, .full, .full, .partial, .opaque])
        request.facts = facts()
        request.effects = pick([[], [.spends], [.publishes], [.encrypts]])
        request.dangers = dangers()
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            request.operations.append(
                RequestedOperation(
                    account: .named(pick(["alice", "bob"])), operation: .publicKey, facts: facts(),
                    effects: pick([[], [.spends], [.decrypts]]), dangers: dangers()))
        }
        return request.judged(at: pick([100, 1_000]), bytes: pick([9, 10, 11]))
    }

    mutating func counts(_ ids: [String]) -> [String: Int128] {
        var counts: [String: Int128] = [:]
        for id in ids { counts["\(id)#count"] = pick([0, 0, 1, 2]) }
        return counts
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &generator)]
    }

    private mutating func conditions(_ pool: [[String]], countMax: Int) -> [String] {
        let count = Int.random(in: 0...countMax, using: &generator)
        return pool.shuffled(using: &generator).prefix(count).map { pick($0) }
    }

    private mutating func dangers() -> [Danger] {
        let names = pick([[], [], [], ["opaque"], ["decrypt"], ["rekey"], ["opaque", "decrypt"]])
        return names.map { Danger($0) }
    }

    /// A few facts, sometimes of a type that the schema does not promise.
    private mutating func facts() -> [Fact] {
        let texts: [FactValue] = [.text("aa"), .text("bb"), .text("own1"), .text("cc")]
        let lists: [FactValue] = [
            .list([]), .list([.text("aa")]), .list([.text("bb"), .text("aa")]),
            .list([.text("cc")]), .list([.integer(1), .text("aa")]), .list([.integer(1)]),
        ]
        let numbers: [FactValue] = [.integer(1), .integer(4), .integer(6), .integer(6_000_000)]
        let domains: [(String, [FactValue])] = [
            ("kind", numbers), ("tag.p", lists), ("peer", texts), ("content.contains", texts),
            ("pubkey_mismatch", [.bool(true), .bool(false)]), ("amount", numbers),
            ("rekey_to", texts), ("receiver", texts),
        ]
        var facts: [Fact] = []
        for (name, values) in domains where Int.random(in: 0..<3, using: &generator) > 0 {
            let isOdd = Int.random(in: 0..<12, using: &generator) == 0
            facts.append(Fact(name, isOdd ? .bytes([1]) : pick(values)))
        }
        return facts
    }
}
