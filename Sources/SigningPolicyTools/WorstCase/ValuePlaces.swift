// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

extension WorstCaseFinder {
    /// All parts of the value that the policy guards, by protocol.
    func places() -> [ValuePlace] {
        Set(policy.vocabulary.schemas.map(\.protocolID.name)).sorted().flatMap {
            places(of: ProtocolID($0))
        }
    }

    private func places(of protocolID: ProtocolID) -> [ValuePlace] {
        let schemas = policy.vocabulary.schemas.filter { $0.protocolID == protocolID }
        let own = rulesOf[protocolID] ?? []
        let networks = Set(own.flatMap { $0.listed("network") ?? [] }.compactMap(\.word)).sorted()
        let model = ValueModel.known[protocolID.name]
        let units = Set(
            schemas.compactMap { schema -> AmountUnit? in
                guard case .amount(let unit) = schema.field(named: PolicyField.outflowName)?.type
                else { return nil }
                return unit
            })
        var assets = units.sorted { $0.symbol < $1.symbol }.map { ValuePlace.Asset.coin($0) }
        if let model {
            if model.tokenAmount != nil {
                assets += tokens(model, own, protocolID).map { .token($0) } + [.token(nil)]
            }
            if !model.orders.isEmpty { assets.append(.orders(model.orders)) }
        } else {
            assets.append(.everything)
        }
        return assets.flatMap { asset -> [ValuePlace] in
            var names: [String?] = networks + [nil]
            if case .orders = asset { names = [nil] }
            if case .everything = asset { names = [nil] }
            let all = names.map { name in
                ValuePlace(
                    vocabulary: policy.vocabulary, protocolID: protocolID, schemas: schemas,
                    model: model ?? ValueModel(),
                    asset: asset, network: name, named: names.count > 1 ? networks : [])
            }
            // Other networks are left out where no rule reaches them.
            return all.filter { place in
                names.count == 1 || place.network != nil || own.contains(where: place.isReached)
                    || remembered.contains { !place.left(of: $0).isEmpty }
            }
        }
    }

    private func tokens(
        _ model: ValueModel, _ own: [PolicyRule], _ protocolID: ProtocolID
    ) -> [ValuePlace.Token] {
        let listed = own.filter { $0.demandsTokens(model) }
            .flatMap { $0.listed(model.tokenName) ?? [] }
            .compactMap { value in
                value.word.map { ValuePlace.Token(value: ExactValue(value: value), id: $0) }
            }
        let given = remembered.filter { $0.grant.scope.protocolID == protocolID }
            .flatMap(\.left).compactMap { ValuePlace.Token($0.total.outflow.asset, model) }
        let drawn = own.flatMap(\.limits).filter { !$0.tokenRates.isEmpty }
        let priced = policy.document.assets.filter { asset in
            asset.protocolName == protocolID.name
                && drawn.contains { $0.tokenRates[asset.id] != nil }
        }.compactMap { ValuePlace.Token($0) }
        return Set(listed + given + priced).sorted { $0.id < $1.id }
    }
}

extension PolicyRule {
    /// True if the name of a token in the rule is that of a token, not of any other account.
    fileprivate func demandsTokens(_ model: ValueModel) -> Bool {
        guard let amount = model.tokenAmount else { return false }
        return model.tokenName != "receiver" || demands(amount.field)
            || acknowledged.contains(Danger("token_transfer"))
    }
}

extension FactValue {
    /// A text or number as text.
    fileprivate var word: String? {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        case .bool, .bytes, .time, .list: nil
        }
    }
}

extension ValuePlace.Token {
    /// The token that a policy names.
    init?(_ asset: PolicyAsset) {
        guard let id = asset.identity.word else { return nil }
        self.init(value: ExactValue(value: asset.identity), id: id)
    }

    /// The token of an asset such as `algorand/mainnet/asset/5`; nil for a coin.
    fileprivate init?(_ asset: Asset, _ model: ValueModel) {
        let parts = asset.id.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        id = String(parts[3])
        let contract = parts[3].split(separator: "/").first.map(String.init) ?? id
        // Contracts keep tokens of NEAR; assets of Algorand are numbers.
        let number = model.tokenCalls == nil ? Int128(id) : nil
        value = ExactValue(value: number.map { .integer($0) } ?? .text(contract))
    }
}

extension ValuePlace {
    /// The asset and its networks, for people.
    var text: String {
        let place: String =
            if let network {
                " on \(VisibleText.escaped(network))"
            } else {
                named.isEmpty ? "" : " on other networks"
            }
        switch asset {
        case .coin(let unit): return unit.symbol + place
        case .token(let token?):
            return "\(model.tokenNoun) \(VisibleText.escaped(token.id))\(place)"
        case .token(nil):
            return "every other token of \(protocolID)\(place)"
        case .orders: return "payments that \(protocolID) messages order"
        case .everything: return "everything of \(protocolID)"
        }
    }

    /// Whether an asset of the policy is the token, on one of the networks of this place.
    func isToken(_ token: Token, _ asset: PolicyAsset) -> Bool {
        asset.protocolName == protocolID.name && Token(asset) == token
            && network.map { $0 == asset.network } ?? !named.contains(asset.network)
    }

    /// The unit of amounts; nil for smallest units of a token.
    var unit: AmountUnit? { if case .coin(let unit) = asset { unit } else { nil } }

    /// The amounts of the asset that a remembered answer may still let leave.
    func left(of remembered: WorstCase.Remembered) -> [(total: Grant.Total, left: Int128)] {
        guard remembered.grant.scope.protocolID == protocolID else { return [] }
        return remembered.left.filter { part in
            let other = part.total.outflow.asset
            guard network.map({ $0 == other.network }) ?? !named.contains(other.network) else {
                return false
            }
            switch asset {
            case .coin(let unit): return other.unit == unit
            case .token(let token?): return Token(other, model) == token
            case .token(nil), .orders, .everything: return false
            }
        }
    }

    /// The most that remembered answers let leave together in a time; answers may share a total.
    func left(of remembered: [WorstCase.Remembered], in seconds: Int64) -> Most {
        var counters: Set<String> = []
        return remembered.reduce(.nothing) { sum, answer in
            left(of: answer).reduce(sum) { sum, part in
                guard counters.insert(part.total.counter).inserted else { return sum }
                guard part.total.outflow.amount < .max else {
                    return sum
                        + .unbounded([
                            .init(
                                rule: "remembered answer \(answer.grant.idText)",
                                reason: "it covers the whole balance")
                        ])
                }
                let grant = answer.grant
                return sum
                    + .atMost(
                        grant.per == nil
                            ? part.left : grant.most(part.total.outflow.amount, in: seconds))
            }
        }
    }
}

extension Grant {
    /// Returns the most of a limit of this grant that can be used in a time.
    func most(_ limit: Int128, in seconds: Int64) -> Int128 {
        guard let per else { return limit }
        let count = (seconds + per.seconds - 1) / per.seconds
        let (most, hasOverflown) = limit.multipliedReportingOverflow(by: Int128(count))
        return hasOverflown ? .max : most
    }
}
