// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension Transaction {
    /// The canonical form; without the group where ids of its members are made.
    func encoded(withGroup: Bool = true) -> [UInt8] {
        var fields = FieldWriter()
        switch body {
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
        }
        fields.add("fee", fee)
        fields.add("fv", firstValid)
        fields.add("gen", genesisID)
        fields.add("gh", genesisHash)
        if withGroup { fields.add("grp", group) }
        fields.add("lv", lastValid)
        fields.add("lx", lease)
        fields.add("note", note.isEmpty ? nil : note)
        fields.add("rekey", rekeyTo)
        fields.add("snd", sender)
        fields.add("type", type.rawValue)
        return MessagePack.map(fields.members).encode()
    }

    /// The transaction's id, 32 bytes.
    static func id(ofEncoded bytes: [UInt8], _ hash: ARC27Configuration.Hash) -> [UInt8] {
        let preimage = prefix + bytes
        return hash(preimage.span)
    }
}

/// Collects the members of a map; the codec sorts them.
private struct FieldWriter {
    private(set) var members: [MessagePackMember] = []

    init() { members.reserveCapacity(16) }

    mutating func add(_ name: String, _ integer: UInt64) {
        guard integer != 0 else { return }
        members.append(MessagePackMember(name: name, value: .unsigned(integer)))
    }

    mutating func add(_ name: String, _ bytes: [UInt8]?) {
        guard let bytes else { return }
        members.append(MessagePackMember(name: name, value: .binary(bytes)))
    }

    mutating func add(_ name: String, _ text: String?) {
        guard let text else { return }
        members.append(MessagePackMember(name: name, value: .text(text)))
    }
}
