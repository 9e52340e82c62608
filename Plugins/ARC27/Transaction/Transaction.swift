// SPDX-License-Identifier: Apache-2.0

/// An unsigned Algorand transaction of a type that accounts sign.
struct Transaction: Hashable, Sendable {
    /// What is special about a type.
    enum Body: Hashable, Sendable {
        case payment(Payment)
        case assetTransfer(AssetTransfer)
        case assetConfiguration(AssetConfiguration)
        case assetFreeze(AssetFreeze)
        case applicationCall(ApplicationCall)
        case keyRegistration(KeyRegistration)
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
        case .assetConfiguration: .acfg
        case .assetFreeze: .afrz
        case .applicationCall: .appl
        case .keyRegistration: .keyreg
        }
    }

    /// Who gets the amount; nil for the types that move none.
    var receiver: [UInt8]? {
        switch body {
        case .payment(let payment): payment.receiver ?? Self.zeroAddress
        case .assetTransfer(let transfer): transfer.receiver ?? Self.zeroAddress
        default: nil
        }
    }

    /// Who gets everything that is left.
    var closeTo: [UInt8]? {
        switch body {
        case .payment(let payment): payment.closeTo
        case .assetTransfer(let transfer): transfer.closeTo
        default: nil
        }
    }
}
