// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension Transaction {
    /// Reads the canonical form of a transaction that can be valid on some network.
    package init(canonical bytes: Span<UInt8>) throws(AlgorandRefusal) {
        let fields = try TransactionFields(canonical: bytes)
        let body = try Self.body(of: fields)
        guard let sender = try fields.address("snd") else { throw .invalid("snd is missing") }
        guard let genesisHash = try fields.bytes("gh", count: Self.hashCount) else {
            throw .invalid("gh is missing; every network needs it")
        }
        self.init(
            sender: sender, fee: try fields.integer("fee"), firstValid: try fields.integer("fv"),
            lastValid: try fields.integer("lv"),
            note: try fields.bytes("note", countMax: Self.noteCountMax),
            genesisID: try fields.text("gen"), genesisHash: genesisHash,
            group: try fields.bytes("grp", count: Self.hashCount),
            lease: try fields.bytes("lx", count: Self.hashCount),
            rekeyTo: try fields.address("rekey"), body: body)
        try checkRounds()
        // The network hashes its own encoding, so only canonical bytes can carry the signature.
        guard Self.isSame(encoded(), bytes) else {
            throw .invalid("the bytes are not the canonical form")
        }
    }

    private static func body(of fields: TransactionFields) throws(AlgorandRefusal) -> Body {
        guard !fields.has("txn") else {
            throw .invalid("this is a signed transaction; send the unsigned one")
        }
        guard let name = try fields.text("type") else { throw .invalid("type is missing") }
        guard let type = TransactionType(rawValue: name) else {
            throw .invalid("unknown transaction type")
        }
        try fields.check(type: type)
        switch type {
        case .pay: return .payment(try Payment(fields))
        case .axfer: return .assetTransfer(try AssetTransfer(fields))
        case .acfg: return .assetConfiguration(try AssetConfiguration(fields))
        case .afrz: return .assetFreeze(try AssetFreeze(fields))
        case .appl: return .applicationCall(try ApplicationCall(fields))
        case .keyreg: return .keyRegistration(try KeyRegistration(fields))
        case .stpf:
            throw .invalid("transaction type stpf, a state proof, is never signed here")
        case .hb:
            throw .invalid("transaction type hb, the heartbeat of a node, is never signed here")
        }
    }

    private func checkRounds() throws(AlgorandRefusal) {
        guard lastValid >= firstValid else { throw .invalid("lv is below fv") }
        guard lastValid - firstValid <= Self.validRoundsMax else {
            throw .invalid("lv is more than \(Self.validRoundsMax) rounds after fv")
        }
    }

    private static func isSame(_ bytes: [UInt8], _ other: Span<UInt8>) -> Bool {
        guard bytes.count == other.count else { return false }
        for index in bytes.indices where bytes[index] != other[index] { return false }
        return true
    }
}

extension Transaction.Payment {
    fileprivate init(_ fields: TransactionFields) throws(AlgorandRefusal) {
        self.init(
            receiver: try fields.address("rcv"), amount: try fields.integer("amt"),
            closeTo: try fields.address("close"))
    }
}

extension Transaction.AssetTransfer {
    fileprivate init(_ fields: TransactionFields) throws(AlgorandRefusal) {
        self.init(
            asset: try fields.integer("xaid"), amount: try fields.integer("aamt"),
            source: try fields.address("asnd"), receiver: try fields.address("arcv"),
            closeTo: try fields.address("aclose"))
    }
}

extension TransactionFields {
    /// Returns an address; nil if the field is missing.
    package func address(_ name: String) throws(AlgorandRefusal) -> [UInt8]? {
        try bytes(name, count: AlgorandAddress.keyCount)
    }
}
