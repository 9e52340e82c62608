// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

extension WorstCase {
    /// The requests of one kind that one rule, or one remembered answer, allows.
    package struct Act: Sendable {
        /// A kind of act, in the order in which kinds are listed.
        package enum Kind: String, CaseIterable, Sendable {
            case authority = "give others power"
            case connection = "open a connection or session"
            case decryption = "decrypt"
            case publication = "publish"
            case identity = "log in or prove an identity"
            case transaction = "sign transactions"
            case posting = "post transactions that are signed already (not counted above)"
            case encryption = "encrypt"
            case other = "answer other requests"

            /// The kind of a method's requests.
            init(of method: String) {
                self =
                    switch method {
                    case "connect", "sign_in", "enable", "liquid_introduce", "liquid_register":
                        .connection
                    case "sign_event": .publication
                    case "sign_message", "liquid_login": .identity
                    case "post_transactions": .posting
                    case "sign_transactions", "sign_and_post_transactions", "sign_transaction",
                        "sign_delegate_action":
                        .transaction
                    case _ where method.contains("decrypt"): .decryption
                    case _ where method.contains("encrypt"): .encryption
                    default: .other
                    }
            }
        }

        package let kind: Kind
        /// The id of the rule, or the name of the remembered answer.
        package let rule: String
        /// The methods, each once, sorted.
        package let methods: [String]
        /// The restrictions and dangers that matter, for people.
        package let detail: [String]
        /// The most requests of each period; nil without a bound.
        package let most: [Int128?]
    }
}

extension WorstCaseFinder {
    /// Dangers of requests that give another party power over an account or what it owns.
    private static let authority = [
        "rekey", "asset_reconfigure", "app_update", "key_registration", "full_access_key",
        "adds_key", "changes_control", "deploys_code", "delegates", "remote_signing",
    ]

    /// The acts that can happen without a question, by kind and rule.
    mutating func acts() -> [WorstCase.Act] {
        let schemas = policy.vocabulary.schemas
        let members = rulesOf.mapValues { Set($0.map(\.id)) }
        var acts: [WorstCase.Act] = []
        for rule in rules {
            let protocols = members.filter { $0.value.contains(rule.id) }.map(\.key)
            var methods: [WorstCase.Act.Kind: Set<String>] = [:]
            for schema in schemas where protocols.contains(schema.protocolID) {
                for method in schema.methods
                where rule.mayCover(schema.protocolID, method, in: policy.vocabulary) {
                    methods[.init(of: method), default: []].insert(method)
                }
            }
            guard !methods.isEmpty else { continue }
            let most = WorstCase.periods.map { operations(of: rule, protocols, in: $0.seconds) }
            let dangers = rule.acknowledged.map(\.name)
            let given = dangers.filter { Self.authority.contains($0) && rule.acknowledges($0) }
            let kinds = rule.conditions.first { $0.field.name == "kind" }.map {
                "kind \($0.wanted(.every))"
            }
            for (kind, names) in methods
            where kind != .decryption || rule.acknowledges("decrypt") {
                let detail = kind == .publication ? [kinds].compactMap { $0 } : []
                acts.append(
                    .init(
                        kind: kind, rule: rule.id, methods: names.sorted(),
                        detail: detail + dangers.map { "with \($0)" }, most: most))
            }
            if !given.isEmpty {
                acts.append(
                    .init(
                        kind: .authority, rule: rule.id,
                        methods: Set(methods.values.flatMap { $0 }).sorted(),
                        detail: given.map { "with \($0)" }, most: most))
            }
        }
        acts += remembered.map { act(of: $0) }
        let order = WorstCase.Act.Kind.allCases
        return acts.sorted { left, right in
            let (one, other) = (
                order.firstIndex(of: left.kind) ?? 0, order.firstIndex(of: right.kind) ?? 0
            )
            return one == other ? left.rule < right.rule : one < other
        }
    }

    private func act(of answer: WorstCase.Remembered) -> WorstCase.Act {
        let grant = answer.grant
        let most = WorstCase.periods.map { period in
            grant.usesMax.map { grant.most(Int128($0), in: period.seconds) }
        }
        return .init(
            kind: .init(of: grant.scope.method), rule: "remembered answer \(grant.idText)",
            methods: [grant.scope.method],
            detail: ["for \(VisibleText.escaped(grant.scope.client))"]
                + grant.dangers.map { "with \($0.name)" },
            most: most)
    }

    /// The most operations that a rule allows in a period; nil without a bound.
    private mutating func operations(
        of rule: PolicyRule, _ protocols: [ProtocolID], in seconds: Int64
    ) -> Int128? {
        let schemas = policy.vocabulary.schemas
        var places = protocols.map { protocolID in
            ValuePlace(
                vocabulary: policy.vocabulary, protocolID: protocolID,
                schemas: schemas.filter { $0.protocolID == protocolID },
                model: ValueModel(), asset: .everything, network: nil, named: [])
        }
        // Without "by", requests of all protocols share one counter.
        if rule.limits.allSatisfy(\.scope.isEmpty) { places = Array(places.prefix(1)) }
        var sum: Int128 = 0
        for place in places {
            let bound = ValueBound(
                place: place, keys: keys, assets: policy.document.assets,
                seconds: seconds)
            guard let count = bound.count([rule], rule.limits, &windows) else { return nil }
            let (total, hasOverflown) = sum.addingReportingOverflow(count)
            if hasOverflown { return nil }
            sum = total
        }
        return sum
    }
}
