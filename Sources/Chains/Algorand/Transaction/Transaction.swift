// SPDX-License-Identifier: Apache-2.0

/// An unsigned Algorand transaction of a type that accounts sign.
package struct Transaction: Hashable, Sendable {
    /// The fields of each transaction type.
    package enum Body: Hashable, Sendable {
        case payment(Payment)
        case assetTransfer(AssetTransfer)
        case assetConfiguration(AssetConfiguration)
        case assetFreeze(AssetFreeze)
        case applicationCall(ApplicationCall)
        case keyRegistration(KeyRegistration)
    }

    /// `pay`: moves ALGO.
    package struct Payment: Hashable, Sendable {
        package var receiver: [UInt8]?
        package var amount: UInt64
        package var closeTo: [UInt8]?
    }

    /// `axfer`: moves, accepts or claws back units of an asset.
    package struct AssetTransfer: Hashable, Sendable {
        package var asset: UInt64
        package var amount: UInt64
        /// The source of the units in a clawback.
        package var source: [UInt8]?
        package var receiver: [UInt8]?
        package var closeTo: [UInt8]?
    }

    package var sender: [UInt8]
    /// The fee in microAlgo, like all amounts.
    package var fee: UInt64
    package var firstValid: UInt64
    package var lastValid: UInt64
    package var note: [UInt8]
    package var genesisID: String?
    package var genesisHash: [UInt8]
    package var group: [UInt8]?
    package var lease: [UInt8]?
    package var rekeyTo: [UInt8]?
    package var body: Body

    /// The number of bytes of a hash and of a lease.
    package static let hashCount = 32
    /// The maximum length of a note on any network, in bytes.
    package static let noteCountMax = 4096
    /// The maximum number of rounds between the first and the last valid round.
    package static let validRoundsMax: UInt64 = 1000
    /// The prefix of a transaction that is hashed or signed.
    package static let prefix: [UInt8] = [UInt8(ascii: "T"), UInt8(ascii: "X")]
}

extension Transaction {
    /// The zero address; a missing address field has this value.
    package static let zeroAddress = [UInt8](repeating: 0, count: AlgorandAddress.keyCount)

    package var type: TransactionType {
        switch body {
        case .payment: .pay
        case .assetTransfer: .axfer
        case .assetConfiguration: .acfg
        case .assetFreeze: .afrz
        case .applicationCall: .appl
        case .keyRegistration: .keyreg
        }
    }

    /// The receiver of the amount; nil for the types that move none.
    package var receiver: [UInt8]? {
        switch body {
        case .payment(let payment): payment.receiver ?? Self.zeroAddress
        case .assetTransfer(let transfer): transfer.receiver ?? Self.zeroAddress
        default: nil
        }
    }

    /// The account that gets the remaining balance.
    package var closeTo: [UInt8]? {
        switch body {
        case .payment(let payment): payment.closeTo
        case .assetTransfer(let transfer): transfer.closeTo
        default: nil
        }
    }
}
