// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// `acfg`: creates, reconfigures or destroys an asset.
struct AssetConfiguration: Hashable, Sendable {
    /// What is done, which the wire says only by what it leaves out.
    enum Action: String {
        case create, reconfigure, destroy
    }

    /// What an asset is and who has power over it.
    struct Parameters: Hashable, Sendable {
        var total: UInt64
        var decimals: UInt64
        var isFrozenByDefault: Bool
        var unit: String?
        var name: String?
        var url: String?
        var metadataHash: [UInt8]?
        var manager: [UInt8]?
        var reserve: [UInt8]?
        var freeze: [UInt8]?
        var clawback: [UInt8]?
    }

    /// The asset; 0 for one that is created.
    var asset: UInt64
    var parameters: Parameters?

    var action: Action {
        if asset == 0 { return .create }
        return parameters == nil ? .destroy : .reconfigure
    }
}

extension AssetConfiguration {
    init(_ fields: TransactionFields) throws(ARC27Failure) {
        asset = try fields.integer("caid")
        let parameters = try fields.fields("apar", names: Parameters.names)
        self.parameters = try parameters.map { fields throws(ARC27Failure) in
            try Parameters(fields)
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.add("caid", asset)
        if let parameters { fields.add("apar", parameters.written) }
    }
}

extension AssetConfiguration.Parameters {
    fileprivate static let names = ["am", "an", "au", "c", "dc", "df", "f", "m", "r", "t", "un"]

    fileprivate init(_ fields: TransactionFields) throws(ARC27Failure) {
        total = try fields.integer("t")
        decimals = try fields.integer("dc", max: UInt64(UInt32.max))
        isFrozenByDefault = try fields.flag("df")
        unit = try fields.text("un")
        name = try fields.text("an")
        url = try fields.text("au")
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

/// `afrz`: stops or frees an account's units of an asset.
struct AssetFreeze: Hashable, Sendable {
    var asset: UInt64
    var account: [UInt8]?
    var isFrozen: Bool

    init(_ fields: TransactionFields) throws(ARC27Failure) {
        asset = try fields.integer("faid")
        account = try fields.address("fadd")
        isFrozen = try fields.flag("afrz")
    }

    func write(to fields: inout FieldWriter) {
        fields.add("faid", asset)
        fields.add("fadd", account)
        fields.add("afrz", isFrozen)
    }
}
