// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs

extension ReplyReader {
    func signed(
        _ result: ReplyObject, _ asked: [ARC27Client.TransactionToSign]
    ) throws(ARC27ClientError) -> ARC27Client.SignedTransactions {
        let list = try result.list("stxns")
        guard list.count == asked.count else {
            throw .invalidReply("stxns has \(list.count) elements for \(asked.count) txns")
        }
        var items: [ARC27Client.SignedItem] = []
        var missing: [Int] = []
        for index in list.indices {
            do throws(ARC27ClientError) {
                items.append(try Self.item(list[index], asked[index]))
            } catch {
                throw .invalidReply("stxns[\(index)]: \(error.text)")
            }
            if items[index] == .notSigned, asked[index].isToBeSigned { missing.append(index) }
        }
        guard !items.contains(where: \.isBare) || !items.contains(where: \.isWhole) else {
            throw .invalidReply("stxns has both signed transactions and bare signatures")
        }
        return ARC27Client.SignedTransactions(items: items, missing: missing)
    }

    private static func item(
        _ json: JSON, _ asked: ARC27Client.TransactionToSign
    ) throws(ARC27ClientError) -> ARC27Client.SignedItem {
        guard !json.isNull else { return .notSigned }
        guard let text = json.text, let bytes = base64(text) else {
            throw .invalidReply("neither null nor base64")
        }
        guard asked.signed == nil || asked.signed == bytes else {
            throw .invalidReply("not the stxn of the request")
        }
        let transaction = try AskedTransaction(asked)
        // A signed transaction is longer than a signature.
        guard bytes.count == SignedTransaction.signatureCount else {
            return try whole(bytes, transaction)
        }
        guard asked.multisig == nil else {
            throw .invalidReply("a bare signature for a multisignature account")
        }
        return .signature(
            ARC27Client.SignatureToVerify(
                bytes, by: transaction.signer ?? transaction.sender,
                over: transaction.transaction))
    }

    private static func whole(
        _ bytes: [UInt8], _ asked: AskedTransaction
    ) throws(ARC27ClientError) -> ARC27Client.SignedItem {
        let signed: SignedTransaction
        do throws(AlgorandRefusal) {
            signed = try SignedTransaction(canonical: bytes.span)
        } catch {
            throw .invalidReply("not a signed transaction: \(WireText.visible(error.message))")
        }
        guard signed.transaction == asked.transaction else {
            throw .invalidReply("another transaction was signed than requested")
        }
        guard signed.signer != asked.sender else {
            throw .invalidReply("sgnr equals the sender, which every network refuses")
        }
        guard case .signature(let signature) = signed.proof else {
            return .transaction(bytes, nil)
        }
        let key = signed.signer ?? asked.sender
        guard asked.signer == nil || asked.signer == key else {
            throw .invalidReply("signed by another key than requested")
        }
        return .transaction(
            bytes,
            ARC27Client.SignatureToVerify(signature, by: key, over: asked.transaction))
    }

    func transactionIDs(_ result: ReplyObject) throws(ARC27ClientError) -> [String] {
        // Pera writes `txnIds`.
        let name = result["txnIDs"] == nil && result["txnIds"] != nil ? "txnIds" : "txnIDs"
        let list = try result.texts(name, WireText.isTransactionID)
        guard list.count == transactionCount else {
            throw .invalidReply(
                "\(name) has \(list.count) elements for \(transactionCount) transactions")
        }
        return list
    }

    func message(
        _ result: ReplyObject
    ) throws(ARC27ClientError) -> ARC27Client.MessageSignature {
        guard let bytes = Self.base64(try result.text("signature")),
            bytes.count == SignedTransaction.signatureCount
        else { throw .invalidReply("result.signature is not 64 bytes of base64") }
        let signer = try result.optionalText("signer", WireText.isAddress)
        let asked = request.call.messageSigner
        guard asked == nil || signer == nil || signer == asked else {
            throw .invalidReply("signed by another account than requested")
        }
        // Pera names no signer.
        return ARC27Client.MessageSignature(
            signature: bytes, signer: asked ?? signer, readings: request.call.readings)
    }

    private static func base64(_ text: String) -> [UInt8]? {
        try? Base64.decode(
            text, alphabet: .either, padding: .optional, countMax: ARC27Client.frameBytesMax)
    }
}

extension ARC27Client.Call {
    fileprivate var messageSigner: String? {
        switch self {
        case .signMessage(_, let signer): signer
        case .signData(let data): data.signer
        default: nil
        }
    }

    fileprivate var readings: [ARC27Client.Reading] {
        switch self {
        case .signMessage(let text, _):
            [.prefixed([UInt8]("MX".utf8) + text.utf8), .plain([UInt8](text.utf8))]
        case .signData(let data):
            [.digests(data: data.data, authenticatorData: data.authenticatorData)]
        default: []
        }
    }
}

extension ARC27Client.TransactionToSign {
    fileprivate var isToBeSigned: Bool { signers?.isEmpty != true || signed != nil }
}

extension ARC27Client.SignedItem {
    fileprivate var isBare: Bool { if case .signature = self { true } else { false } }
    fileprivate var isWhole: Bool { if case .transaction = self { true } else { false } }
}
