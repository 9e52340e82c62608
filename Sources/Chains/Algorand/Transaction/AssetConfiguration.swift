// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// `acfg`: creates, reconfigures or destroys an asset.
package struct AssetConfiguration: Hashable, Sendable {
    /// The action, which the wire format only implies by missing fields.
    package enum Action: String {
        case create, reconfigure, destroy
    }

    /// The properties of an asset and the accounts with power over it.
    package struct Parameters: Hashable, Sendable {
        package var total: UInt64
        package var decimals: UInt64
        package var isFrozenByDefault: Bool
        package var unit: AssetText?
        package var name: AssetText?
        package var url: AssetText?
        package var metadataHash: [UInt8]?
        package var manager: [UInt8]?
        package var reserve: [UInt8]?
        package var freeze: [UInt8]?
        package var clawback: [UInt8]?
    }

    /// The asset; 0 creates one.
    package var asset: UInt64
    package var parameters: Parameters?

    package var action: Action {
        if asset == 0 { return .create }
        return parameters == nil ? .destroy : .reconfigure
    }
}

extension AssetConfiguration {
    package init(_ fields: TransactionFields) throws(AlgorandRefusal) {
        asset = try fields.integer("caid")
        let parameters = try fields.fields("apar", names: Parameters.names)
        self.parameters = try parameters.map { fields throws(AlgorandRefusal) in
            try Parameters(fields)
        }
    }

    package func write(to fields: inout FieldWriter) {
        fields.add("caid", asset)
        if let parameters { fields.add("apar", parameters.written) }
    }
}

extension AssetConfiguration.Parameters {
    fileprivate static let names = ["am", "an", "au", "c", "dc", "df", "f", "m", "r", "t", "un"]

    fileprivate init(_ fields: TransactionFields) throws(AlgorandRefusal) {
        total = try fields.integer("t")
        decimals = try fields.integer("dc", max: UInt64(UInt32.max))
        isFrozenByDefault = try fields.flag("df")
        unit = try fields.assetText("un")
        name = try fields.assetText("an")
        url = try fields.assetText("au")
        metadataHash = try fields.bytes("am", count: Transaction.hashCount)
        manager = try fields.address("m")
        reserve = try fields.address("r")
        freeze = try fields.address("f")
        clawback = try fields.address("c")
    }

    fileprivate var written: FieldWriter {
        var fields = FieldWriter()
        fields.add("t", total)
        fields.add("dc", decimals)
        fields.add("df", isFrozenByDefault)
        fields.add("un", unit)
        fields.add("an", name)
        fields.add("au", url)
        fields.add("am", metadataHash)
        fields.add("m", manager)
        fields.add("r", reserve)
        fields.add("f", freeze)
        fields.add("c", clawback)
        return fields
    }
}

/// A text of an asset; nodes accept any bytes.
package enum AssetText: Hashable, Sendable {
    case text(String)
    /// Bytes that are not UTF-8.
    case bytes([UInt8])

    /// The text; nil for bytes.
    package var string: String? {
        if case .text(let text) = self { text } else { nil }
    }
}

/// `afrz`: freezes or unfreezes an account's units of an asset.
package struct AssetFreeze: Hashable, Sendable {
    package var asset: UInt64
    package var account: [UInt8]?
    package var isFrozen: Bool

    package init(_ fields: TransactionFields) throws(AlgorandRefusal) {
        asset = try fields.integer("faid")
        account = try fields.address("fadd")
        isFrozen = try fields.flag("afrz")
    }

    package func write(to fields: inout FieldWriter) {
        fields.add("faid", asset)
        fields.add("fadd", account)
        fields.add("afrz", isFrozen)
    }
}
