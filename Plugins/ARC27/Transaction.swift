// SPDX-License-Identifier: Apache-2.0

/// An unsigned Algorand transaction of a type offered here.
struct Transaction: Hashable, Sendable {
    /// What is special about a type.
    enum Body: Hashable, Sendable {
        case payment(Payment)
        case assetTransfer(AssetTransfer)
    }

    /// `pay`: moves ALGO.
    struct Payment: Hashable, Sendable {
        var receiver: [UInt8]?
        var amount: UInt64
        var closeTo: [UInt8]?
    }

    /// `axfer`: moves, accepts or claws back units of an asset.
    struct AssetTransfer: Hashable, Sendable {
        var asset: UInt64
        var amount: UInt64
        /// Where the units come from in a clawback.
        var source: [UInt8]?
        var receiver: [UInt8]?
        var closeTo: [UInt8]?
    }

    var sender: [UInt8]
    /// In microAlgo, as all amounts.
    var fee: UInt64
    var firstValid: UInt64
    var lastValid: UInt64
    var note: [UInt8]
    var genesisID: String?
    var genesisHash: [UInt8]
    var group: [UInt8]?
    var lease: [UInt8]?
    var rekeyTo: [UInt8]?
    var body: Body

    /// Bytes of a hash and of a lease.
    static let hashCount = 32
    /// Bytes of the longest note any network takes.
    static let noteCountMax = 4096
    /// Rounds a transaction may be valid for.
    static let validRoundsMax: UInt64 = 1000
    /// What stands before a transaction that is hashed or signed.
    static let prefix: [UInt8] = [UInt8(ascii: "T"), UInt8(ascii: "X")]
}

extension Transaction {
    /// The address whose absence on the wire means "nobody".
    static let zeroAddress = [UInt8](repeating: 0, count: AlgorandAddress.keyCount)

    var type: TransactionType {
        switch body {
        case .payment: .pay
        case .assetTransfer: .axfer
        }
    }

    var receiver: [UInt8] {
        switch body {
        case .payment(let payment): payment.receiver ?? Self.zeroAddress
        case .assetTransfer(let transfer): transfer.receiver ?? Self.zeroAddress
        }
    }

    /// Who gets everything that is left.
    var closeTo: [UInt8]? {
        switch body {
        case .payment(let payment): payment.closeTo
        case .assetTransfer(let transfer): transfer.closeTo
        }
    }
}

/// Every transaction type of the protocol, offered here or not, with the fields of its own.
enum TransactionType: String, CaseIterable {
    case pay, axfer, keyreg, acfg, afrz, appl, stpf, hb

    static let headerFields = [
        "fee", "fv", "gen", "gh", "grp", "lv", "lx", "note", "rekey", "snd", "type",
    ]

    var fields: [String] {
        switch self {
        case .pay: ["amt", "close", "rcv"]
        case .axfer: ["aamt", "aclose", "arcv", "asnd", "xaid"]
        case .keyreg:
            ["nonpart", "selkey", "sprfkey", "votefst", "votekd", "votekey", "votelst"]
        case .acfg: ["apar", "caid"]
        case .afrz: ["afrz", "fadd", "faid"]
        case .appl:
            [
                "al", "apaa", "apan", "apap", "apas", "apat", "apbx", "apep", "apfa", "apgs",
                "apid", "apls", "aprv", "apsu",
            ]
        case .stpf: ["sp", "spmsg", "sptype"]
        case .hb: ["hb"]
        }
    }
}
