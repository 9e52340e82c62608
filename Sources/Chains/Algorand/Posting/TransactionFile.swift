// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// A file of transactions as goal, algokey and the SDKs write it.
///
/// The file is a sequence of MessagePack values. Each one is a bare, wrapped or signed transaction.
package struct TransactionFile {
    /// One transaction of a file.
    package struct Item {
        /// The bytes of the value in the file.
        package let bytes: [UInt8]
        /// The canonical transaction.
        package let transaction: [UInt8]
        package let sender: [UInt8]
        /// The key that signs for a rekeyed sender, if the file names it.
        package let signer: [UInt8]?
        /// The multisignature account that signs, with the signatures collected so far.
        package let multisig: SignedMultisig?
        /// True if the transaction has enough signatures.
        package let isSigned: Bool

        /// The address whose key or keys must sign.
        package var authority: [UInt8] { signer ?? sender }
    }

    package let items: [Item]

    /// True if the bytes look like a file of transactions: text never begins with the head of a
    /// map.
    package static func isLikely(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && ((0x80...0x8F).contains(bytes[0]) || (0xDE...0xDF).contains(bytes[0]))
    }

    package init(_ bytes: Span<UInt8>) throws(AlgorandRefusal) {
        let values: [MessagePack]
        do throws(CodecError) {
            values = try MessagePack.decodeCanonicalSequence(bytes)
        } catch {
            throw .invalid("not canonical MessagePack: \(error.text)")
        }
        var items: [Item] = []
        for (place, value) in values.enumerated() {
            do throws(AlgorandRefusal) {
                items.append(try Item(value))
            } catch {
                throw error.at("transaction \(place + 1)")
            }
        }
        self.items = items
    }
}

extension TransactionFile.Item {
    fileprivate init(_ value: MessagePack) throws(AlgorandRefusal) {
        guard case .map(let members) = value else { throw .invalid("not a map") }
        let bytes = value.encode()
        let isProved = members.contains { Self.proofs.contains($0.name) }
        let txn = members.first { $0.name == "txn" }?.value
        let inner = txn.map { (isProved ? $0 : Self.withoutZeros($0)).encode() } ?? bytes
        let sender = try Transaction(canonical: inner.span).sender
        var signer: [UInt8]?
        var multisig: SignedMultisig?
        var isSigned = false
        if isProved {
            let signed = try SignedTransaction(canonical: bytes.span)
            signer = signed.signer
            isSigned = true
            if case .multisig(let found) = signed.proof {
                multisig = found
                isSigned = found.isComplete
                guard found.account.publicKey() == signer ?? sender else {
                    throw .invalid("msig is not the account that must sign")
                }
            }
        } else if txn != nil {
            signer = try Self.signer(members)
        }
        self.bytes = bytes
        self.transaction = inner
        self.sender = sender
        self.signer = signer
        self.multisig = multisig
        self.isSigned = isSigned
    }

    /// Removes the zero fields that the Python SDK writes into unsigned wrappers, as nodes do.
    private static func withoutZeros(_ transaction: MessagePack) -> MessagePack {
        guard case .map(let members) = transaction else { return transaction }
        let zeros: [MessagePack] = [
            .unsigned(0), .bool(false), .text(""), .binary([]), .array([]), .map([]),
        ]
        return .map(members.filter { !zeros.contains($0.value) })
    }

    private static let proofs = ["sig", "msig", "lsig", "pqsig"]

    /// Returns the signing key that an unsigned wrapper names.
    private static func signer(
        _ members: [MessagePackMember]
    ) throws(AlgorandRefusal) -> [UInt8]? {
        guard members.count > 1 else { return nil }
        guard members.count == 2, case .binary(let key) = members[0].value,
            key.count == AlgorandAddress.keyCount
        else { throw .invalid("the wrapper has a field that is wrong or unknown") }
        return key
    }

    /// Returns the item of `sign_transactions`; nil if no key held here can sign.
    ///
    /// `kept` returns the members of an account that the owner keeps. Members that have already
    /// signed are skipped, as are members beyond the threshold. `isRekeyed` is true for an account
    /// that the owner watches and that another key signs for.
    package func request(
        isHeld: ([UInt8]) -> Bool, kept: ([UInt8]) -> Multisig?,
        isRekeyed: ([UInt8]) -> Bool = { _ in false }
    ) -> JSON? {
        guard !isSigned else { return nil }
        var members = [JSONObject.Member(name: "txn", value: Self.base64(transaction))]
        if let signer { members.append(.init(name: "authAddr", value: Self.address(signer))) }
        guard let account = multisig?.account ?? kept(authority) else {
            let isOpen = signer == nil && isRekeyed(sender)
            return isHeld(authority) || isOpen ? .object(JSONObject(members)) : nil
        }
        let signatures = multisig?.signatures ?? account.keys.map { _ in nil }
        let signedCount = multisig?.signedCount ?? 0
        var missing: [[UInt8]] = []
        for (key, signature) in zip(account.keys, signatures)
        where signature == nil && isHeld(key) {
            let isNeeded = signedCount + missing.count < Int(account.threshold)
            if isNeeded, !missing.contains(key) { missing.append(key) }
        }
        guard !missing.isEmpty else { return nil }
        let named: JSON = [
            "version": .integer(Int64(account.version)),
            "threshold": .integer(Int64(account.threshold)),
            "addrs": .array(account.keys.map(Self.address)),
        ]
        members.append(.init(name: "msig", value: named))
        members.append(.init(name: "signers", value: .array(missing.map(Self.address))))
        return .object(JSONObject(members))
    }

    /// The item for a transaction that no key here signs: it is part of the group and is passed on.
    package var passed: JSON {
        var members = [JSONObject.Member(name: "txn", value: Self.base64(transaction))]
        if let signer { members.append(.init(name: "authAddr", value: Self.address(signer))) }
        members.append(.init(name: "signers", value: []))
        if isSigned || multisig != nil {
            members.append(.init(name: "stxn", value: Self.base64(bytes)))
        }
        return .object(JSONObject(members))
    }

    /// Returns the signed transaction of an answer, merged with the signatures in the file.
    package func joined(with answer: [UInt8]) throws(AlgorandRefusal) -> [UInt8] {
        let signed = try SignedTransaction(canonical: answer.span)
        guard signed.transaction == transaction else {
            throw .invalid("the answer is another transaction")
        }
        guard let multisig, case .multisig(let added) = signed.proof else { return answer }
        var signatures: [[UInt8]: [UInt8]] = [:]
        for part in [multisig, added] {
            for (key, signature) in zip(part.account.keys, part.signatures) {
                if let signature { signatures[key] = signature }
            }
        }
        return SignedTransaction.encode(
            transaction: transaction, multisig: multisig.account, signatures: signatures,
            signer: signer)
    }

    private static func base64(_ bytes: [UInt8]) -> JSON { .string(Base64.encode(bytes.span)) }

    private static func address(_ key: [UInt8]) -> JSON {
        .string(AlgorandAddress.text(publicKey: key.span))
    }
}
