// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// Looks up a field, also the sums of `request.total`, which bear the names of coins and of the
    /// file's assets.
    func lookUpTotal(
        _ name: String, _ scope: PolicyVocabulary.Scope
    ) -> PolicyVocabulary.Lookup {
        guard RequestTotal.isTotal(name) else { return vocabulary.lookUp(name, in: scope) }
        let known = totals.filter { $0.name.isExactly(name) }
        let owners = known.map(\.protocolName)
        guard let first = known.first else { return .unknown }
        switch scope {
        case .any, .shared, .broken: return .needsProtocol(of: owners)
        case .protocols(let names):
            guard names.contains(where: owners.contains) else { return .unknown }
            guard names.count == 1 else { return .differs }
            return .declared(
                .init(field: PolicyField(name: name, type: .amount(first.unit), isList: false)))
        }
    }

    /// Whether there are fields below this name, as below `request.total` and `first_use`.
    func hasFields(below name: String, in scope: PolicyVocabulary.Scope) -> Bool {
        vocabulary.hasFields(below: name, in: scope)
            || (totals.map(\.name) + firstUses(in: scope)).contains { $0.hasPrefix(name + ".") }
    }

    /// The asset of a total; nil for a coin and for other fields.
    mutating func useAsset(ofTotal name: String) -> PolicyAsset? {
        guard let name = Self.assetName(ofTotal: name), let asset = assets[name] else { return nil }
        usedAssets.insert(name)
        return asset
    }

    /// Whether the table of a total's asset has an error, which is reported there.
    func isOfRefusedAsset(_ name: String) -> Bool {
        guard let name = Self.assetName(ofTotal: name) else { return false }
        return assetPositions[name] != nil && assets[name] == nil
    }

    private static func assetName(ofTotal name: String) -> String? {
        RequestTotal.isTotal(name) ? String(name.dropFirst(RequestTotal.prefix.count)) : nil
    }

    /// The names of all totals, each with its protocol and unit.
    var totals: [(name: String, protocolName: String, unit: AmountUnit)] {
        let coins = vocabulary.protocols.compactMap { name -> (String, AmountUnit)? in
            guard
                case .amount(let unit)? = vocabulary.field(
                    named: PolicyField.outflowName, of: name)?.type
            else { return nil }
            return (name, unit)
        }
        let tokens = assets.values.map { ($0.protocolName, $0.unit) }
        return (coins + tokens).map { (RequestTotal.prefix + $1.symbol, $0, $1) }
    }
}
