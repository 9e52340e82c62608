// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The most assets in one file.
    static let assetCountMax = 1_000
    /// The longest name of an asset, in bytes.
    static let assetNameMax = 32
    /// The most decimals of an asset: a unit of more is larger than any amount.
    static let assetDecimalsMax: Int64 = 38
    /// The ids of assets; 0 stands for an asset to be created.
    private static let assetIDs = 1...Int128(UInt64.max)

    /// Reads `[asset.NAME]` tables.
    mutating func readAssets(_ node: TOMLNode) {
        let position = node.keyPosition
        guard case .table(let tables) = node.value else {
            return refuse("assets are written as [asset.NAME]", at: position)
        }
        guard version > 1, tables.count <= Self.assetCountMax else {
            let problem = "assets need version = 2, and there are at most \(Self.assetCountMax)"
            return refuse(problem, at: position)
        }
        let units = vocabulary.unitNames.map { (AssetName.shape(of: $0), $0) }
        var shapes = Dictionary(units) { first, _ in first }
        for table in tables {
            let (name, position) = (table.key, table.keyPosition)
            // An asset with an error is known, so that its amounts are not reported as well.
            assetPositions[name] = position
            if !AssetName.isValid(name) {
                refuse("the asset name \(quoted(name)) is invalid: \(AssetName.rule)", at: position)
            } else if let other = shapes.updateValue(name, forKey: AssetName.shape(of: name)) {
                refuse("the asset name \"\(name)\" looks like \"\(other)\"", at: position)
            } else if let asset = readAsset(table) {
                if let other = assets.values.first(where: asset.isSameToken) {
                    refuse("\"\(name)\" is \"\(other.name)\" under another name", at: position)
                }
                assets[name] = asset
            }
        }
    }

    private mutating func readAsset(_ node: TOMLNode) -> PolicyAsset? {
        let members = if case .table(let members) = node.value { members } else { [TOMLNode]() }
        let parts = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
        guard let named = parts["protocol"] else {
            reportMissing("protocol", of: node)
            return nil
        }
        guard case .text(let name) = named.value, let field = vocabulary.tokenField(of: name)
        else {
            let known = vocabulary.protocols.filter { vocabulary.tokenField(of: $0) != nil }
            reportUnknownName(named, of: "protocol with tokens", among: known, .any)
            return nil
        }
        let idKey = field.identity.field.type == .integer ? "id" : "contract"
        let keys = ["protocol", "network", idKey, "decimals"]
        for member in members where !keys.contains(member.key) {
            report.error(
                .unknownKey, "unknown key \(quoted(member.key)) in an asset of \(name)",
                at: member.keyPosition,
                suggestion: Suggestion.closest(to: member.key, among: keys))
        }
        for key in keys where parts[key] == nil { reportMissing(key, of: node) }
        let network = parts["network"].flatMap { readPart($0, field.network) }
        let identity = parts[idKey].flatMap { readPart($0, field.identity) }
        guard let decimals = parts["decimals"] else { return nil }
        guard case .integer(let number) = decimals.value, 0...Self.assetDecimalsMax ~= number else {
            refuse("decimals is 0 to \(Self.assetDecimalsMax)", at: decimals.position)
            return nil
        }
        guard case .text(let network)? = network, let identity else { return nil }
        let word = if case .text(let text) = identity { text } else { "\(identity.number ?? 0)" }
        return PolicyAsset(
            name: node.key, protocolName: name, network: network, identity: identity,
            decimals: Int(number),
            id: ExactText(text: "\(name)/\(network)/\(field.fields.kind)/\(word)"))
    }

    /// Reads a value of a field under the key that assets have for it.
    private mutating func readPart(
        _ node: TOMLNode, _ known: PolicyVocabulary.Declaration
    ) -> FactValue? {
        let field = PolicyField(name: node.key, type: known.field.type, isList: false)
        let value = readValue(node, .init(field: field, form: known.form), .any)
        guard node.setReference == nil, value?.number.map(Self.assetIDs.contains) ?? true else {
            refuse("\"\(node.key)\" takes one value; an id is 1 to 2^64 - 1", at: node.position)
            return nil
        }
        return value
    }

    private mutating func reportMissing(_ key: String, of asset: TOMLNode) {
        let message = "the asset \"\(asset.key)\" has no \(key)"
        report.error(.missingKey, message, at: asset.keyPosition)
    }

    private mutating func refuse(_ problem: String, at position: SourcePosition) {
        report.error(.asset, problem, at: position)
    }

    mutating func warnOfUnusedAssets() {
        for (name, position) in assetPositions where !usedAssets.contains(name) {
            report.warn(.unusedAsset, "no amount is in \"\(name)\"", at: position)
        }
    }
}

/// The names that assets may have.
enum AssetName {
    static let rule = "1 to \(PolicyReader.assetNameMax) of A-Z, a-z, 0-9, '.', -, _, with a letter"

    static func isValid(_ name: String) -> Bool {
        let lower = name.lowercased().utf8
        // The Kelvin sign, which is no ASCII, becomes a "k".
        return 1...PolicyReader.assetNameMax ~= name.utf8.count
            && name.utf8.allSatisfy { $0 < 0x80 }
            && lower.allSatisfy { PolicyReader.isNameByte($0) || "._".utf8.contains($0) }
            && lower.contains { 0x61...0x7A ~= $0 }
    }

    /// The name with everything equal that looks alike in common fonts.
    static func shape(of name: String) -> String {
        let alike = [
            (".", ""), ("-", ""), ("_", ""), ("0", "o"), ("1", "l"), ("i", "l"), ("2", "z"),
            ("5", "s"), ("8", "b"), ("rn", "m"), ("vv", "w"), ("cl", "d"),
        ]
        return alike.reduce(name.lowercased()) { $0.replacing($1.0, with: $1.1) }
    }
}

extension PolicyAsset {
    fileprivate func isSameToken(as other: PolicyAsset) -> Bool {
        protocolName == other.protocolName && network.isExactly(other.network)
            && ExactValue(value: identity) == ExactValue(value: other.identity)
    }
}
