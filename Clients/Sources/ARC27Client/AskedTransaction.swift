// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The parts of a requested transaction that are compared with the answer.
struct AskedTransaction {
    let transaction: [UInt8]
    let sender: [UInt8]
    let group: [UInt8]?
    /// The key that must sign; nil if the wallet may choose another key, or several keys sign.
    let signer: [UInt8]?

    /// Reads an item whose members must be consistent by the rules of ARC-1.
    init(_ item: ARC27Client.TransactionToSign) throws(ARC27ClientError) {
        guard let members = MessagePack.canonicalMembers(item.transaction),
            members["txn"] == nil
        else { throw .invalidCall("txn is not an unsigned transaction in canonical MessagePack") }
        guard case .binary(let sender) = members["snd"], sender.count == WireText.hashCount else {
            throw .invalidCall("txn has no sender")
        }
        transaction = item.transaction
        self.sender = sender
        if case .binary(let group) = members["grp"] { self.group = group } else { group = nil }

        let authority = try item.authAddress.map { (text) throws(ARC27ClientError) in
            try Self.key(text, named: "authAddr")
        }
        let keys = try Self.signers(item)
        if let multisig = item.multisig {
            try Self.check(multisig, signers: item.signers ?? [])
            signer = nil
        } else {
            guard keys.count <= 1 else {
                throw .invalidCall("several signers need msig")
            }
            guard keys.isEmpty || keys == [authority ?? sender] else {
                throw .invalidCall("signers must name authAddr, or else the sender")
            }
            signer = authority ?? keys.first
        }
        if let signed = item.signed { try Self.check(signed, item) }
    }

    private static func key(
        _ text: String, named name: String
    ) throws(ARC27ClientError) -> [UInt8] {
        guard let key = WireText.key(ofAddress: text) else {
            throw .invalidCall("\(name) is not an address")
        }
        return key
    }

    private static func signers(
        _ item: ARC27Client.TransactionToSign
    ) throws(ARC27ClientError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for text in item.signers ?? [] { keys.append(try key(text, named: "signers")) }
        return keys
    }

    private static func check(
        _ multisig: ARC27Client.MultisigToSign, signers: [String]
    ) throws(ARC27ClientError) {
        guard (1...multisigCountMax).contains(multisig.addresses.count),
            (1...multisig.addresses.count).contains(multisig.threshold)
        else {
            throw .invalidCall("msig has no addresses, too many addresses or a wrong threshold")
        }
        guard multisig.addresses.allSatisfy(WireText.isAddress) else {
            throw .invalidCall("msig has an entry that is not an address")
        }
        guard signers.allSatisfy(multisig.addresses.contains) else {
            throw .invalidCall("signers names an address that is not in msig")
        }
    }

    private static func check(
        _ signed: [UInt8], _ item: ARC27Client.TransactionToSign
    ) throws(ARC27ClientError) {
        guard item.signers == [] else { throw .invalidCall("stxn needs an empty list of signers") }
        let value = MessagePack.canonicalMembers(signed)?["txn"]
        guard value?.encode() == item.transaction else {
            throw .invalidCall("stxn is not this transaction, signed")
        }
    }

    private static let multisigCountMax = 255
}

extension MessagePack {
    /// Returns the members of a canonical map by name; nil for other bytes.
    static func canonicalMembers(_ bytes: [UInt8]) -> [String: MessagePack]? {
        guard case .map(let members) = try? decodeCanonical(bytes.span) else { return nil }
        return Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    }
}
