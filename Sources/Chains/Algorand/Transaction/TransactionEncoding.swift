// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningDigests

extension Transaction {
    /// Returns the canonical form; without the group field for ids that the group id is made of.
    package func encoded(withGroup: Bool = true) -> [UInt8] {
        var fields = FieldWriter()
        body.write(to: &fields)
        fields.add("fee", fee)
        fields.add("fv", firstValid)
        fields.add("gen", genesisID)
        fields.add("gh", genesisHash)
        if withGroup { fields.add("grp", group) }
        fields.add("lv", lastValid)
        fields.add("lx", lease)
        fields.addUnlessEmpty("note", note)
        fields.add("rekey", rekeyTo)
        fields.add("snd", sender)
        fields.add("type", type.rawValue)
        return fields.map.encode()
    }

    /// Returns the id of the transaction, 32 bytes.
    package static func id(ofEncoded bytes: [UInt8]) -> [UInt8] {
        let preimage = prefix + bytes
        return Digest.sha512_256(preimage.span)
    }
}

extension Transaction.Body {
    fileprivate func write(to fields: inout FieldWriter) {
        switch self {
        case .payment(let payment):
            fields.add("amt", payment.amount)
            fields.add("close", payment.closeTo)
            fields.add("rcv", payment.receiver)
        case .assetTransfer(let transfer):
            fields.add("aamt", transfer.amount)
            fields.add("aclose", transfer.closeTo)
            fields.add("arcv", transfer.receiver)
            fields.add("asnd", transfer.source)
            fields.add("xaid", transfer.asset)
        case .assetConfiguration(let configuration): configuration.write(to: &fields)
        case .assetFreeze(let freeze): freeze.write(to: &fields)
        case .applicationCall(let call): call.write(to: &fields)
        case .keyRegistration(let registration): registration.write(to: &fields)
        }
    }
}
