// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension ARC27Adapter {
    static let schema = FactSchema(
        protocolID: .algorand, operations: ARC27Wire.Method.allCases.map(\.rawValue),
        fields: [
            FactField(
                "network", .text, boundsGrants: true,
                note: "mainnet, testnet, or a configured genesis id."),
            FactField(
                "type", .text, boundsGrants: true, note: "The transaction type: pay or axfer."),
            FactField(
                "sender", .account, boundsGrants: true,
                note: "The account the transaction acts for."),
            FactField("receiver", .account, boundsGrants: true, note: "Who gets the amount."),
            FactField(
                "amount", .amount(.algo), boundsGrants: true, note: "ALGO moved by a payment."),
            FactField("asset", .integer, boundsGrants: true, note: "The id of the asset moved."),
            FactField(
                "asset.amount", .integer, boundsGrants: true,
                note: "Smallest units of the asset moved."),
            FactField(
                "fee", .amount(.algo), boundsGrants: true, note: "The fee of this transaction."),
            FactField("close_to", .account, boundsGrants: true, note: "Who gets all that is left."),
            FactField(
                "rekey_to", .account, boundsGrants: true,
                note: "Whose key signs for the account from then on."),
            FactField("note.bytes", .integer, note: "Length of the note in bytes."),
            FactField("group.size", .integer, note: "Transactions in the group; 1 alone."),
            FactField("group.index", .integer, note: "Position in the group, from 0."),
            FactField("validity.rounds", .integer, note: "Rounds between first and last valid."),
        ],
        dangers: [.rekey, .closeOut, .assetClose, .clawback, .highFee] + .otherTypes)
}

extension AmountUnit {
    static let algo = AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo")
}

extension Danger {
    static let rekey = Danger("rekey")
    static let closeOut = Danger("close_out")
    static let assetClose = Danger("asset_close")
    static let clawback = Danger("clawback")
    static let highFee = Danger("high_fee")
}

extension [Danger] {
    /// The flags of transactions and messages that are not offered yet; a policy that names
    /// them is right today and stays right.
    fileprivate static let otherTypes = [
        "app_update", "app_delete", "asset_destroy", "asset_reconfigure", "key_registration",
        "non_participation", "raw_message", "partial_multisig", "liquid_challenge",
    ].map { Danger($0) }
}

extension SigningDomain {
    /// "TX" and a canonical transaction.
    ///
    /// Any key may sign for any sender: the network knows which key an account is rekeyed to.
    static let algorandTransaction = SigningDomain(
        id: ID("algorand/transaction"), protocolID: .algorand, algorithm: .ed25519, prehash: .none,
        prefix: Transaction.prefix,
        isValid: { preimage, _ in
            guard preimage.starts(with: Transaction.prefix) else { return false }
            let bytes = preimage.span.extracting(Transaction.prefix.count..<preimage.count)
            return (try? Transaction(canonical: bytes)) != nil
        })
}
